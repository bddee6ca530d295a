/**
 * The guest's half of the boundary: JavaScript that runs before the program, inside its sandbox, and gives it `tools`, `console` and
 * `ToolError`. Every intrinsic is taken before the program can change it. It guards convenience, not safety: the host believes nothing
 * it hears from here (see bridge/).
 *
 * The text is one expression, `(host, limits) => ({ tools, console, ToolError, run, settle })`. `host(op, ...)` takes primitives only:
 * `call` (seq, name, JSON text, line), `log` (level, text), `done` (kind, JSON text, length), `stop` (kind of error).
 */
import { MAX_NESTING } from '../definition/limits.ts'

export const PRELUDE: string = String.raw`(function (host, limits) {
  'use strict'
  const { apply, getPrototypeOf } = Reflect
  const { stringify, parse } = JSON
  const { isArray } = Array
  const { keys, getOwnPropertySymbols, defineProperty, hasOwn, create, freeze, setPrototypeOf } = Object
  const { isFinite } = Number
  const ObjectProto = Object.prototype
  const ArrayProto = Array.prototype
  const FunctionProto = Function.prototype
  const ErrorProto = Error.prototype
  const Text = String
  const Failure = Error
  const NotJson = TypeError
  const Later = Promise
  const Wrapped = Proxy
  const { indexOf, charCodeAt } = String.prototype
  const slice = String.prototype.slice
  const mapEach = Map.prototype.forEach
  const setEach = Set.prototype.forEach
  const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get
  const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get
  const dateText = Date.prototype.toISOString
  const PLACE = 'program:'

  // ---- lines

  const textOf = (value, fallback) => (typeof value === 'string' ? value : fallback)
  const lineOf = (stack) => {
    if (typeof stack !== 'string') return 0
    // By hand: it runs at every call, and a regular expression costs ten times as much.
    for (let at = apply(indexOf, stack, [PLACE, 0]); at !== -1; at = apply(indexOf, stack, [PLACE, at + 1])) {
      const before = at === 0 ? 32 : apply(charCodeAt, stack, [at - 1])
      let line = 0
      let digit = at + PLACE.length
      for (let code = apply(charCodeAt, stack, [digit]); code >= 48 && code <= 57; code = apply(charCodeAt, stack, [++digit])) line = line * 10 + code - 48
      if (line > 0 && (before === 32 || before === 40 || before === 64 || before === 10)) return line
    }
    return 0
  }

  // ---- values: JSON without loss, or a refusal that names the place

  const whereOf = (frame) => {
    let path = ''
    for (let at = frame; at !== null; at = at.above) path = '/' + at.key + path
    if (path.length > 200) path = '...' + apply(slice, path, [path.length - 60])
    return path === '' ? 'the value' : path
  }
  const refuse = (frame, what) => {
    throw new NotJson(whereOf(frame) + ' ' + what)
  }
  const ownName = (prototype) => {
    try {
      const owner = prototype.constructor
      const name = typeof owner === 'function' ? owner.name : ''
      return typeof name === 'string' && name !== '' ? 'a ' + name : 'an instance of a class'
    } catch {
      return 'an instance of a class'
    }
  }
  const frameFor = (known, above, key, container) => {
    if (known === null) return { __proto__: null, above, key, container }
    known.key = key
    return known
  }
  const copy = (value, frame, depth) => {
    const type = typeof value
    if (type === 'string' || type === 'boolean' || value === null) return value
    if (type === 'number') return isFinite(value) ? value + 0 : refuse(frame, 'is ' + value)
    if (type !== 'object') return refuse(frame, type === 'undefined' ? 'is undefined' : 'is a ' + type)
    if (depth > ${MAX_NESTING}) refuse(frame, 'is nested deeper than ${MAX_NESTING} levels')
    for (let at = frame; at !== null; at = at.above) if (at.container === value) refuse(frame, 'refers back to a value that contains it')
    const list = isArray(value)
    const prototype = getPrototypeOf(value)
    if (list ? prototype !== ArrayProto : prototype !== ObjectProto && prototype !== null) refuse(frame, 'is ' + ownName(prototype))
    if (getOwnPropertySymbols(value).length > 0) refuse(frame, 'has a symbol as key')
    const names = keys(value)
    const total = names.length
    const length = list ? value.length : total
    // Made when something inside is a container too: most are not, and this is the hottest code of the guest.
    let here = null
    if (list) {
      // Own index keys come first and in order: a dense array is told by their number and the last of them.
      if (total !== length || (total > 0 && names[total - 1] !== Text(total - 1))) refuse(frame, total < length ? 'has a hole' : 'has named properties')
      // Without prototypes, here and below: a toJSON or an index set on one is never met.
      const out = setPrototypeOf([], null)
      for (let index = 0; index < total; index++) {
        const item = value[index]
        const type = typeof item
        out[index] = type === 'string' || type === 'boolean' || (type === 'number' && item - item === 0) ? item : copy(item, (here = frameFor(here, frame, index, value)), depth + 1)
      }
      return out
    }
    const out = { __proto__: null }
    for (let index = 0; index < total; index++) {
      const key = names[index]
      const item = value[key]
      const type = typeof item
      if (type === 'string' || type === 'boolean' || (type === 'number' && item - item === 0)) out[key] = item
      else if (item !== undefined) out[key] = copy(item, (here = frameFor(here, frame, key, value)), depth + 1)
    }
    return out
  }
  const encode = (value) => stringify(copy(value, null, 1))

  // ---- what console shows

  const PLAIN = 4
  const inspect = (value, depth, seen) => {
    const type = typeof value
    if (type === 'string') return depth === 0 ? value : stringify(value)
    if (type === 'bigint') return Text(value) + 'n'
    if (type === 'function') return '[function' + (textOf(value.name, '') === '' ? '' : ' ' + value.name) + ']'
    if (type === 'symbol' || value === null || type !== 'object') return Text(value)
    for (let at = seen; at !== null; at = at.above) if (at.value === value) return '[circular]'
    if (depth > PLAIN) return isArray(value) ? '[...]' : '{...}'
    const here = { __proto__: null, above: seen, value }
    if (isError(value)) return errorText(value)
    const special = inspectSpecial(value, depth, here)
    if (special !== undefined) return special
    const list = isArray(value)
    let text = ''
    const names = keys(value)
    for (let index = 0; index < names.length; index++) {
      if (text.length > limits.logBytes) {
        text += ', ...'
        break
      }
      const shown = inspect(value[names[index]], depth + 1, here)
      text += (text === '' ? '' : ', ') + (list ? shown : stringify(names[index]) + ': ' + shown)
    }
    return list ? '[' + text + ']' : '{' + text + '}'
  }
  const inspectSpecial = (value, depth, here) => {
    const entries = (each, size, open, show) => {
      let text = ''
      apply(each, value, [(item, key) => {
        if (text.length <= limits.logBytes) text += (text === '' ? '' : ', ') + show(item, key)
      }])
      return open + '(' + size + ') {' + text + '}'
    }
    const inner = (item) => inspect(item, depth + 1, here)
    try {
      return entries(mapEach, apply(mapSize, value, []), 'Map', (item, key) => inner(key) + ' => ' + inner(item))
    } catch {}
    try {
      return entries(setEach, apply(setSize, value, []), 'Set', (item) => inner(item))
    } catch {}
    try {
      return apply(dateText, value, [])
    } catch {}
    return undefined
  }
  const isError = (value) => {
    for (let at = value, steps = 0; at !== null && steps < 32; at = getPrototypeOf(at), steps++) if (at === ErrorProto) return true
    return false
  }
  const errorText = (error) => {
    const line = lineOf(error.stack)
    return textOf(error.name, 'Error') + ': ' + textOf(error.message, '') + (line === 0 ? '' : ' (line ' + line + ')')
  }
  const show = (value) => {
    if (typeof value === 'string') return value
    try {
      if (typeof value === 'object' && value !== null) return encode(value)
    } catch {}
    try {
      return inspect(value, 0, null)
    } catch {
      return '[cannot be shown]'
    }
  }
  const print = (level) => (...values) => {
    let text = ''
    for (let index = 0; index < values.length; index++) text += (index === 0 ? '' : ' ') + show(values[index])
    const most = limits.logBytes * limits.logFlood + 1
    host('log', level, text.length > most ? apply(slice, text, [0, most]) : text)
  }
  const console = create(null)
  for (const [name, level] of [
    ['log', 'log'], ['info', 'info'], ['debug', 'debug'], ['warn', 'warn'], ['error', 'error'],
    ['dir', 'log'], ['table', 'log'], ['trace', 'debug'], ['group', 'log'],
  ]) console[name] = print(level)
  console.groupEnd = console.time = console.timeEnd = console.count = () => undefined
  console.assert = (fine, ...values) => {
    if (!fine) console.error('assertion failed', ...values)
  }

  // ---- calls

  class ToolError extends Failure {
    #branded = true
    static is(value) {
      return typeof value === 'object' && value !== null && #branded in value
    }
    constructor(facts) {
      const { tool, code, message, line } = typeof facts === 'object' && facts !== null ? facts : { message: facts }
      super(textOf(message, 'the call failed'))
      this.tool = textOf(tool, '')
      this.code = textOf(code, 'TOOL_FAILED')
      if (typeof line === 'number' && line > 0) this.line = line
      const at = this.line === undefined ? '' : '\n    at program:' + this.line
      defineProperty(this, 'stack', { value: 'ToolError: ' + this.message + at, writable: true, configurable: true })
    }
  }
  const isToolError = ToolError.is
  delete ToolError.is
  defineProperty(ToolError.prototype, 'name', { value: 'ToolError', writable: true, configurable: true })

  const open = create(null)
  let count = 0
  let sent = 0
  let outstanding = 0
  let outstandingChars = 0
  let firstHeld = null
  let lastHeld = null
  let over = false

  const rejected = (facts) => new Later((_, reject) => reject(new ToolError(facts)))
  const packed = (name, args) => {
    if (args.length === 0 || (args.length === 1 && args[0] === undefined)) return {}
    if (typeof args[0] === 'string') {
      if (name === 'search' || name === '$search') return { query: args[0], ...args[1] }
      if ((name === 'describe' || name === '$describe') && args.length === 1) return { name: args[0] }
    }
    if (args.length > 1) throw new NotJson('a tool takes one object with its arguments, and got ' + args.length + ' values')
    return args[0]
  }
  const invoke = (name, args) => {
    const line = lineOf(new Failure('').stack)
    if (name.length > 256) return rejected({ tool: apply(slice, name, [0, 64]), code: 'UNKNOWN_TOOL', message: 'There is no such tool.', line })
    let text
    try {
      text = encode(packed(name, args))
    } catch (error) {
      const message = 'The arguments are not JSON: ' + textOf(error.message, 'they cannot be read') + '. Nothing was called.'
      return rejected({ tool: name, code: 'CODE_INVALID_ARGUMENTS', message, line })
    }
    if (text.length > limits.argumentBytes) {
      const message = 'The arguments are larger than ' + limits.argumentBytes + ' bytes. Nothing was called.'
      return rejected({ tool: name, code: 'CODE_ARGUMENTS_TOO_LARGE', message, line })
    }
    if (count >= limits.calls) {
      host('stop', 'call-limit')
      return new Later(() => undefined)
    }
    count++
    return new Later((resolve, reject) => {
      const call = { __proto__: null, seq: 0, name, text, line, resolve, reject, chars: text.length, next: null }
      if (firstHeld === null) firstHeld = call
      else lastHeld.next = call
      lastHeld = call
      submit()
    })
  }
  // Large arguments wait here, in the guest's own memory, rather than pile up on the host.
  const submit = () => {
    while (firstHeld !== null && (outstanding === 0 || outstandingChars + firstHeld.chars <= limits.argumentBytes * 4)) {
      const call = firstHeld
      firstHeld = call.next
      call.next = null
      const { text } = call
      call.text = ''
      const seq = sent + 1
      try {
        host('call', seq, call.name, text, call.line)
      } catch (error) {
        // No room left for the call itself: nothing was told, and its number goes to the next.
        call.reject(error)
        continue
      }
      call.seq = sent = seq
      open[seq] = call
      outstanding++
      outstandingChars += call.chars
    }
  }
  const settle = (seq, ok, text) => {
    const call = open[seq]
    if (call === undefined) return
    delete open[seq]
    outstanding--
    outstandingChars -= call.chars
    submit()
    if (ok) return call.resolve(parse(text))
    const { code, message } = parse(text)
    call.reject(new ToolError({ tool: call.name, code, message, line: call.line }))
  }

  // Awaiting or printing a name must not call a tool.
  const isPlainKey = (key) => typeof key === 'symbol' || key === 'then' || key === 'toJSON'
  const still = {
    __proto__: null,
    set: () => false, defineProperty: () => false, deleteProperty: () => false, setPrototypeOf: () => false,
  }
  const known = create(null)
  const toolNamed = (name, nested) => {
    if (known[name] !== undefined) return known[name]
    const target = (...args) => invoke(name, args)
    defineProperty(target, 'name', { value: name, configurable: true })
    const tool = nested ? freeze(target) : new Wrapped(target, {
      ...still,
      get: (_, key) => (isPlainKey(key) || hasOwn(FunctionProto, key) ? (key === 'then' || key === 'toJSON' ? undefined : target[key]) : toolNamed(name + '.' + key, true)),
    })
    return (known[name] = tool)
  }
  const tools = new Wrapped(create(null), {
    ...still,
    get: (_, key) => (isPlainKey(key) ? undefined : toolNamed(key, false)),
    has: (_, key) => !isPlainKey(key),
    getPrototypeOf: () => null,
  })

  // ---- the program

  const done = (kind, text, length) => {
    if (over) return
    over = true
    host('done', kind, text, length)
  }
  const failed = (error) => {
    try {
      if (isToolError(error)) {
        const { tool, code, message, line } = error
        return done('tool-error', encode({ name: 'ToolError', message: textOf(message, ''), tool: textOf(tool, ''), code: textOf(code, ''), line: typeof line === 'number' ? line : 0 }))
      }
      const known = typeof error === 'object' && error !== null && isError(error)
      const name = known ? textOf(error.name, 'Error') : 'Error'
      const message = known ? textOf(error.message, '') : 'thrown: ' + show(error)
      return done('exception', encode({ name, message, line: known ? lineOf(error.stack) : 0 }))
    } catch {
      return done('exception', '{"name":"Error","message":"something was thrown that cannot be read"}')
    }
  }
  const succeeded = (value) => {
    let text
    try {
      // One level less than arguments have: the result of the tool holds it.
      text = stringify(copy(value === undefined ? null : value, null, 2))
    } catch (error) {
      const message = 'The value that the program returned is not JSON: ' + textOf(error.message, 'it cannot be read') + '. Convert it before returning it.'
      return done('exception', encode({ name: 'TypeError', message }))
    }
    const { length } = text
    done('value', length > limits.resultBytes ? apply(slice, text, [0, limits.resultBytes]) : text, length)
  }
  const run = async (program) => {
    try {
      succeeded(await program())
    } catch (error) {
      failed(error)
    }
  }
  return { __proto__: null, tools, console: freeze(console), ToolError, run, settle }
})`
