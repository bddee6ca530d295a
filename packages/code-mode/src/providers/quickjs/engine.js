// @ts-check
/**
 * The engine beside the host: runs in a worker thread or a child process and owns one virtual machine at a time. Plain JavaScript, since
 * a worker is started from its file, which Node 20 cannot read as TypeScript.
 *
 * It hears `run`, `answer` and `stop`, and tells `ready`, `call`, `log`, `idle`, `end` and `broken` (shapes: bridge/messages.ts).
 */
/**
 * @typedef {import('../../definition/limits.ts').CodeLimits} Limits
 * @typedef {import('quickjs-wasi').QuickJS} Machine
 * @typedef {import('quickjs-wasi').JSValueHandle} Handle
 * @typedef {{ vm: Machine, run: Handle, settle: Handle, key: string }} Guest
 * @typedef {{ run: number, code: string, limits: Limits & { logFlood: number } }} Order
 * @typedef {{ op: (...args: Handle[]) => void, interrupt: () => boolean }} Wiring
 */

// Chattier than this and messages cost more than the printing.
const LOG_BATCH = 8 * 1024

/**
 * @param {{ post(message: object): void, QuickJS: typeof import('quickjs-wasi').QuickJS, wasm: any, prelude: string }} port
 * @returns {(message: any) => void}
 */
export function createEngine({ post, QuickJS, wasm, prelude }) {
  /** @type {Run | undefined} */
  let current
  /** A machine made while nobody waits, so that a run starts at once. @type {Guest | undefined} */
  let spare
  /** What the machine at hand calls; a fresh machine is wired before its run is known. @type {Wiring} */
  let wiring = idle()

  /** @param {Limits & { logFlood: number }} limits */
  async function makeGuest(limits) {
    const vm = await QuickJS.create({
      wasm,
      memoryLimit: limits.memoryBytes,
      maxStackSize: limits.stackBytes,
      interruptHandler: () => wiring.interrupt(),
      // The engine's own diagnostics are nobody's output.
      wasi: () => ({ fd_write: () => 8 }),
    })
    const host = vm.newFunction('host', (...args) => {
      wiring.op(...args)
      return vm.undefined
    })
    const factory = vm.evalCode(prelude, 'toolseam')
    const facts = vm.evalCode(`(${JSON.stringify(limits)})`, 'toolseam')
    const guest = vm.callFunction(factory, vm.undefined, host, facts)
    for (const name of ['tools', 'console', 'ToolError']) {
      const value = guest.getProp(name)
      vm.defineProp(vm.global, name, value, { writable: false, enumerable: false, configurable: false })
      value.dispose()
    }
    // Threads do not exist here; waiting on shared memory would only block.
    vm.evalCode('delete globalThis.SharedArrayBuffer; delete globalThis.Atomics', 'toolseam').dispose()
    const parts = { vm, run: guest.getProp('run'), settle: guest.getProp('settle'), key: JSON.stringify(limits) }
    for (const handle of [host, factory, facts, guest]) handle.dispose()
    return parts
  }

  /** @param {Order} order */
  async function start(order) {
    try {
      const fits = spare !== undefined && spare.key === JSON.stringify(order.limits)
      if (!fits) dropSpare()
      const guest = spare ?? (await makeGuest(order.limits))
      spare = undefined
      const run = new Run({ guest, order, post, over: () => void finish(run) })
      current = run
      wiring = run
      run.begin()
    } catch (error) {
      post({ type: 'broken', message: String(error) })
    }
  }

  /** @param {Run} run */
  async function finish(run) {
    current = undefined
    wiring = idle()
    try {
      run.guest.vm.dispose()
      spare = await makeGuest(run.order.limits)
      post({ type: 'ready' })
    } catch (error) {
      post({ type: 'broken', message: String(error) })
    }
  }

  function dropSpare() {
    spare?.vm.dispose()
    spare = undefined
  }

  return (message) => {
    if (message.type === 'run') void start(message)
    else if (current === undefined || message.run !== current.order.run) return
    else if (message.type === 'answer') current.answer(message)
    else if (message.type === 'stop') current.end({ kind: 'abort' })
  }
}

/** @returns {Wiring} */
function idle() {
  return { op: () => undefined, interrupt: () => false }
}

/** One program in its machine. */
class Run {
  #post
  #over
  #ended = false
  /** @type {{ kind: string } & Record<string, unknown> | undefined} */
  #verdict
  #busyMs = 0
  #sliceStart = 0
  #heard = 0
  #peakBytes = 0
  /** Calls without an answer. */
  #open = 0
  #logChars = 0
  /** @type {{ level: string, text: string }[]} */
  #logs = []
  #batchChars = 0

  /** @param {{ guest: Guest, order: Order, post(message: object): void, over(): void }} options */
  constructor({ guest, order, post, over }) {
    this.guest = guest
    this.order = order
    this.#post = post
    this.#over = over
  }

  begin() {
    this.#heard += 1
    this.#slice(() => {
      const { vm, run } = this.guest
      const program = vm.evalCode(this.order.code, 'program')
      vm.callFunction(run, vm.undefined, program).dispose()
      program.dispose()
    })
  }

  /** @param {{ seq: number, ok: boolean, text: string }} message */
  answer({ seq, ok, text }) {
    this.#heard += 1
    this.#open -= 1
    this.#slice(() => {
      const { vm, settle } = this.guest
      const handles = [vm.newNumber(seq), ok ? vm.true : vm.false, vm.newString(text)]
      vm.callFunction(settle, vm.undefined, ...handles).dispose()
      handles[0]?.dispose()
      handles[2]?.dispose()
    })
  }

  /** The busy clock runs in here and nowhere else (C-13). @param {() => void} work */
  #slice(work) {
    if (this.#ended) return
    this.#sliceStart = performance.now()
    try {
      work()
      this.guest.vm.executePendingJobs()
    } catch (error) {
      this.#verdict ??= verdictOf(error)
    }
    this.#busyMs += performance.now() - this.#sliceStart
    this.#measure()
    if (this.#verdict !== undefined) return this.end(this.#verdict)
    if (this.#open === 0) return this.end({ kind: 'deadlock' })
    this.#flush()
    this.#post({ type: 'idle', run: this.order.run, heard: this.#heard, busyMs: this.#busyMs })
  }

  /** True ends what runs; the guest cannot catch it. */
  interrupt() {
    // Whatever still runs after the end has nothing more to say.
    if (this.#verdict !== undefined) return true
    if (this.#busyMs + (performance.now() - this.#sliceStart) <= this.order.limits.busyMs) return false
    this.#verdict = { kind: 'timeout' }
    return true
  }

  /** What the prelude tells. Only primitives are read; anything else is ignored. @param {Handle[]} args */
  op(...args) {
    if (this.#ended) return
    const [op, ...rest] = args.map(primitive)
    if (op === 'call') this.#call(rest)
    else if (op === 'log') this.#log(rest)
    else if (op === 'done') this.#verdict ??= { kind: String(rest[0]), text: String(rest[1]), chars: Number(rest[2] ?? 0) }
    else if (op === 'stop') this.#verdict ??= { kind: String(rest[0]) }
  }

  /** @param {unknown[]} args */
  #call([seq, name, text, line]) {
    if (this.#verdict !== undefined) return
    this.#open += 1
    this.#post({ type: 'call', run: this.order.run, seq, name, text, line })
  }

  /** @param {unknown[]} args */
  #log([level, text]) {
    if (this.#verdict !== undefined) return
    const entry = { level: String(level), text: String(text) }
    this.#logChars += entry.text.length + 1
    this.#logs.push(entry)
    this.#batchChars += entry.text.length + 1
    const { logBytes, logFlood } = this.order.limits
    if (this.#logChars > logBytes * logFlood) this.#verdict = { kind: 'output-limit' }
    // What is beyond the kept part is counted here and not sent.
    if (this.#batchChars > LOG_BATCH) this.#flush()
  }

  #flush() {
    const entries = this.#logs
    this.#logs = []
    this.#batchChars = 0
    if (entries.length > 0) this.#post({ type: 'log', run: this.order.run, entries })
  }

  #measure() {
    try {
      this.#peakBytes = Math.max(this.#peakBytes, this.guest.vm.getAllocatedSize())
    } catch {
      // A machine that trapped has no size to tell.
    }
  }

  /** @param {{ kind: string } & Record<string, unknown>} verdict */
  end(verdict) {
    if (this.#ended) return
    this.#ended = true
    this.#flush()
    this.#post({ type: 'end', run: this.order.run, ...verdict, busyMs: this.#busyMs, peakBytes: this.#peakBytes })
    this.#over()
  }
}

/**
 * @param {Handle} handle
 * @returns {unknown}
 */
function primitive(handle) {
  if (handle.isString) return handle.toString()
  if (handle.isNumber) return handle.toNumber()
  return undefined
}

/** What escaped the program's own handling: the engine's limits, or a trap of the machine. @param {unknown} error */
function verdictOf(error) {
  const { name, message } = /** @type {{ name?: string, message?: string }} */ (error)
  if (name === 'InternalError' && message === 'interrupted') return { kind: 'timeout' }
  if (name === 'InternalError' && (message === 'out of memory' || message === 'string too long')) return { kind: 'memory' }
  if (error instanceof RangeError || name === 'RuntimeError') return { kind: 'memory' }
  if (name === 'SyntaxError') return { kind: 'syntax', text: JSON.stringify({ name, message, line: 0 }) }
  return { kind: 'engine', text: JSON.stringify({ name: 'Error', message: `${name}: ${message}`, line: 0 }) }
}
