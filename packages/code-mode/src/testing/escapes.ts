/**
 * Programs that try to get out. Each returns what it found; `REACHED` in it means that something of the host was found. They are to run
 * beside canaries: a file, an environment variable and a loopback server, whose addresses they are given in place of the words in braces.
 */

/** Tries to get from a function constructor to the host's global scope. */
const REACH =
  'const reach = (F) => { try { const g = F("return [typeof process, typeof require, typeof fetch, typeof Worker, typeof WebAssembly, typeof Deno, typeof setTimeout].filter((t) => t !== \'undefined\').join()")(); return typeof g === "string" && g !== "" ? "REACHED " + g : "none" } catch (e) { return "refused " + e.name } }; '

const BODIES: readonly string[] = [
  // constructor chains on every value of the host that reaches the guest
  'return reach(tools.add.constructor)',
  'return reach(tools.constructor)',
  'return reach(console.log.constructor)',
  'return reach(console.log.bind.constructor)',
  'return reach(ToolError.constructor)',
  'return reach(ToolError.prototype.constructor.constructor)',
  'return reach((await tools.echo({ a: [1] })).constructor.constructor)',
  'return reach((await tools.echo([1, 2])).map.constructor)',
  'return reach(tools.echo("x").constructor.constructor)',
  'return reach(tools.echo("x").then.constructor)',
  'try { await tools.fail({ message: "x" }) } catch (e) { return reach(e.constructor.constructor) }',
  'try { await tools.fail({ message: "x" }) } catch (e) { return reach(Object.getPrototypeOf(Object.getPrototypeOf(e)).constructor.constructor) }',
  'try { await tools.fail({ message: "x" }) } catch (e) { return [e.stack, Object.getOwnPropertyNames(e)] }',
  'const g = await Object.getPrototypeOf(async function () {}).constructor("return typeof process")(); return g === "undefined" ? "none" : "REACHED " + g',
  'return reach(Object.getPrototypeOf(function* () {}).constructor)',
  'const F = Object.getPrototypeOf(async function* () {}).constructor; const r = await F("return typeof process")().next(); return r.value === "undefined" ? "none" : "REACHED " + r.value',
  'return reach((code) => () => (0, eval)("(function () { " + code + " })()"))',
  'return reach(Reflect.construct.bind(null, Function).constructor)',
  'return reach(Array.from.constructor)',
  'return reach(arguments.callee ? arguments.callee.constructor : Function)',
  // stacks and call sites
  'Error.prepareStackTrace = (e, sites) => sites; const sites = new Error("x").stack; return [].concat(sites).map((s) => { try { const f = s.getFunction && s.getFunction(); return f ? reach(f.constructor) : "none" } catch (e) { return e.name } })',
  'Error.prepareStackTrace = (e, sites) => sites.map((s) => { try { return reach(s.getThis().constructor.constructor) } catch { return "none" } }); const out = await tools.nothing({}).catch((e) => e.stack); return out',
  'Error.stackTraceLimit = 1e9; try { null.x } catch (e) { return e.stack }',
  '(function f(n) { try { f(n + 1) } catch (e) { throw [e] } })(0)',
  // prototypes, both ways
  'Object.prototype.env = "polluted"; Object.prototype.then = function (r) { r("its own") }; return { ok: await tools.echo({ a: 1 }) }',
  'Array.prototype.push = function () { throw new Error("hooked") }; JSON.stringify = () => "REACHED"; return await tools.echo({ a: [1] })',
  'Object.defineProperty(Object.prototype, "ok", { set() { throw 1 }, get() { return false } }); return await tools.echo({ ok: true })',
  'const r = await tools.echo(JSON.parse(\'{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}\')); return [{}.polluted === undefined, Object.keys(r)]',
  'Promise.prototype.then = function () { return "REACHED?" }; return await tools.echo(1)',
  'Promise = class { constructor() { throw new Error("mine") } }; return await tools.echo(1)',
  'Array.prototype.toJSON = () => "changed"; String.prototype.toJSON = () => "changed"; return await tools.echo({ a: ["x"] })',
  'globalThis.JSON = { parse: (text) => ({ stolen: text }) }; return await tools.echo({ a: 1 })',
  'Function.prototype.call = Function.prototype.apply = function () { return reach(this.constructor) }; return await tools.echo(1)',
  'Map.prototype.forEach = function (f) { return reach(f.constructor) }; console.log(new Map([[1, 2]])); return "none"',
  // proxies, getters, toJSON, thenables
  'const seen = []; const p = new Proxy({}, { get(t, k, r) { seen.push(String(k)); return reach(r.constructor ?? Function) }, ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) }); try { return await tools.echo(p) } catch (e) { return [e.code, seen] }',
  'return await tools.echo({ get a() { return reach(Function) } })',
  'return await tools.echo({ toJSON() { return reach(Function) } }).catch((e) => e.code)',
  'return { then(resolve) { resolve(reach(resolve.constructor)) } }',
  'return await tools.echo(new Proxy([], { get: (t, k) => (k === "length" ? 2 ** 31 : t[k]) })).catch((e) => e.code)',
  'const e = new Error("x"); Object.defineProperty(e, "message", { get() { throw e } }); throw e',
  'throw new Proxy(new Error("x"), { get: () => { throw 1 }, getPrototypeOf: () => { throw 2 } })',
  'throw { [Symbol.toPrimitive]() { return reach(Function) }, toString() { return reach(Function) } }',
  'return await tools[{ toString: () => "add" }]({ a: 1, b: 2 })',
  'return await Reflect.apply(tools.add, new Proxy({}, {}), [{ a: 1, b: 2 }])',
  // what is there
  'const names = []; for (let o = globalThis; o; o = Object.getPrototypeOf(o)) names.push(...Reflect.ownKeys(o).map(String)); return names.filter((n) => /^(process|require|module|fetch|WebAssembly|Worker|setTimeout|setInterval|setImmediate|Deno|Bun|std|os|print|load|read|quit|gc|host|global|SharedArrayBuffer|Atomics|XMLHttpRequest|WebSocket|importScripts|postMessage)$/.test(n)).map((n) => "REACHED " + n)',
  'try { return "REACHED " + await (0, eval)("import(\'node:fs\')") } catch (e) { return "none " + e.name }',
  'try { return "REACHED " + await new Function("return import(\'{file}\')")() } catch (e) { return "none " + e.name }',
  'try { return await fetch("{url}") } catch (e) { return e.name }',
  'try { return (0, eval)("require")("node:fs").readFileSync("{file}", "utf8") } catch (e) { return e.name }',
  'try { return process.env.{variable} } catch (e) { return e.name }',
  // the bridge itself
  'return await tools.$call?.({ seq: 1, name: "secret" }).catch((e) => e.code)',
  'return await Promise.allSettled([tools.secret({}), tools.run_code({ code: "return 1" }), tools.search_tools({ query: "" }), tools["__proto__"]({}), tools.toString({}), tools["constructor"]({})]).then((all) => all.map((r) => r.status === "rejected" ? r.reason.code : "REACHED"))',
  'try { globalThis.tools = { add: () => "REACHED" } } catch {} try { tools.add = () => "REACHED" } catch {} return await tools.add({ a: 1, b: 2 })',
  'try { Object.defineProperty(globalThis, "tools", { value: 1 }) } catch (e) { return e.name }',
  'try { new ToolError({ tool: "x", code: "y", message: { toString() { throw 1 } } }) } catch (e) { return e.name } return "none"',
]

export interface EscapeProgram {
  readonly name: string
  readonly program: string
}

/** The programs, aimed at the canaries. */
export function escapePrograms({ file, url, variable }: { file: string; url: string; variable: string }): EscapeProgram[] {
  const aim = (text: string): string => text.replaceAll('{file}', file).replaceAll('{url}', url).replaceAll('{variable}', variable)
  return BODIES.map((body, index) => ({ name: `${index + 1}: ${body.slice(0, 60)}`, program: REACH + aim(body) }))
}
