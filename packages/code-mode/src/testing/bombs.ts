/**
 * Programs that use up what they are given: memory, time, output, calls. Each must end by itself, with one of the kinds it names.
 */

export interface Bomb {
  readonly name: string
  readonly program: string
  readonly kinds: readonly string[]
}

const bomb = (name: string, program: string, kinds: readonly string[]): Bomb => ({ name, program, kinds })
const MEMORY = ['memory', 'timeout']

export const MEMORY_BOMBS: readonly Bomb[] = [
  bomb('arrays, caught', 'const a = []; for (;;) { try { while (true) a.push(new Array(1e4).fill(a.length)) } catch {} }', MEMORY),
  bomb('one string', 'let s = "x"; for (;;) s += s', MEMORY),
  bomb('many strings', 'const a = []; for (;;) a.push("x".repeat(1e5) + a.length)', MEMORY),
  bomb('map entries', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })', MEMORY),
  bomb('typed arrays', 'const a = []; for (;;) a.push(new Uint8Array(64 << 20))', [...MEMORY, 'exception']),
  bomb('array buffers, caught', 'const a = []; for (;;) { try { a.push(new ArrayBuffer(8 << 20)) } catch {} }', MEMORY),
  bomb('growing buffer', 'const b = new ArrayBuffer(1, { maxByteLength: 2 ** 30 }); for (let n = 1; ; n *= 2) b.resize(n)', [
    ...MEMORY,
    'exception',
  ]),
  bomb('native repeat', 'const a = []; for (;;) a.push("ab".repeat(2 ** 27))', [...MEMORY, 'exception']),
  bomb('native normalize', 'let s = "\\ufdfa".repeat(1e6); for (;;) s = s.normalize("NFKD")', MEMORY),
  bomb('closures', 'const a = []; for (;;) { const big = new Array(1000).fill(0); a.push(() => big) }', MEMORY),
  bomb('promises', 'const a = []; for (;;) a.push(new Promise(() => {}).then(() => a))', MEMORY),
  bomb('linked objects after a wait', 'await tools.echo(1); let o = {}; for (;;) o = { o, pad: [1, 2, 3, 4] }', MEMORY),
  bomb('bigint', 'let x = 3n; for (;;) x = x * x', [...MEMORY, 'exception']),
  bomb('regular expression captures', 'const a = []; for (;;) a.push(/(x*)(x*)(x*)/.exec("x".repeat(1e5)))', MEMORY),
  bomb(
    'calls that pile up',
    'const big = "x".repeat(900000); const all = []; for (let i = 0; i < 500; i++) all.push(tools.echo({ big: big + i })); await Promise.all(all)',
    [...MEMORY, 'value'],
  ),
]

export const LOOPS: readonly Bomb[] = [
  bomb('loop', 'while (true) {}', ['timeout']),
  bomb('loop that catches', 'for (;;) { try { for (;;) {} } catch {} finally { continue } }', ['timeout']),
  bomb('loop behind a pending call', 'const p = tools.sleep({ ms: 60000, id: "decoy" }); while (true) {}', ['timeout']),
  bomb('loop after a call', 'await tools.echo(1); while (true) {}', ['timeout']),
  bomb('microtasks that never end', 'const turn = () => Promise.resolve().then(turn); await turn()', ['timeout']),
  bomb('awaits that never end', 'for (;;) await null', ['timeout']),
  bomb('recursion that catches', 'const f = () => { try { f() } catch { f() } }; f()', ['timeout', 'exception', 'memory']),
  bomb('backtracking', '/^(a+)+$/.test("a".repeat(50) + "b")', ['timeout']),
  bomb('native search', 'const a = "a".repeat(2 ** 22); for (let n = 0; ; n += a.indexOf("b")) {}', ['timeout']),
  bomb('sort that never decides', '[3, 1, 2].sort(() => { for (;;) {} })', ['timeout']),
  bomb('getter', 'const o = { get a() { for (;;) {} } }; await tools.echo(o)', ['timeout']),
  bomb('proxy trap in what is returned', 'return new Proxy({}, { ownKeys() { for (;;) {} } })', ['timeout']),
  bomb('loop after the end', 'Promise.resolve().then(() => Promise.resolve()).then(() => { for (;;) {} }); return 1', ['value', 'timeout']),
  bomb('generator', 'function* g() { for (;;) yield 1 } for (const x of g()) {}', ['timeout']),
]
