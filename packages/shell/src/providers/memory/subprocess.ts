/**
 * The `memory` provider of `Subprocess`: programs are functions, time is a clock that a test may own; no process, no disk.
 */
import { pause, systemClock, type Clock } from '../../definition/clock.ts'
import { ShellError } from '../../definition/errors.ts'
import type {
  ChildExit,
  ChildHandle,
  KillOptions,
  KillReport,
  OutputPipe,
  SpawnSpec,
  Subprocess,
  SurvivorInfo,
} from '../../definition/subprocess.ts'

export interface MemoryIo {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  out(data: string | Uint8Array): void
  /** The same pipe as `out`, unless the spawn asked for two. */
  err(data: string | Uint8Array): void
  /** The next input; undefined at its end. */
  read(): Promise<string | undefined>
  /** Rejects when the program is ended. */
  sleep(ms: number): Promise<void>
  /** Runs instead of the signal's default. KILL cannot be trapped. */
  trap(name: 'SIGTERM' | 'SIGINT', run: () => void): void
  /** A process that outlives this one. It ends with its function, or by a kill. */
  leave(argv: string, run: (io: Pick<MemoryIo, 'out' | 'sleep'>) => Promise<void>): void
}

/** Gives its exit: a code, or the signal that ended it. */
export type MemoryProgram = (argv: readonly string[], io: MemoryIo) => Promise<number | ChildExit> | number | ChildExit

export function memorySubprocess(options: { programs: Readonly<Record<string, MemoryProgram>>; clock?: Clock }): Subprocess {
  const clock = options.clock ?? systemClock
  const children = new Set<ChildHandle>()
  let pids = 1000
  let closed = false
  return {
    spawn: async (spec) => {
      if (closed) throw new ShellError('SHELL_DISPOSED')
      const program = Object.hasOwn(options.programs, spec.file) ? options.programs[spec.file] : undefined
      if (program === undefined) throw new ShellError('SHELL_START_FAILED', { file: spec.file, errno: 'ENOENT' })
      const child = memoryChild(program, { spec, clock, nextPid: () => (pids += 1) })
      children.add(child)
      return child
    },
    dispose: async () => {
      closed = true
      await Promise.all([...children].map((child) => child.kill({ graceMs: 0 })))
    },
  }
}

/** One process: ended once, by itself or by a signal. */
interface Ending {
  readonly done: Promise<ChildExit>
  readonly over: AbortSignal
  end(exit: ChildExit): void
}

function ending(): Ending {
  const controller = new AbortController()
  let end = (_exit: ChildExit): void => {}
  const done = new Promise<ChildExit>((resolve) => (end = resolve))
  return {
    done,
    over: controller.signal,
    end: (exit) => {
      controller.abort()
      end(exit)
    },
  }
}

function memoryChild(program: MemoryProgram, parts: { spec: SpawnSpec; clock: Clock; nextPid(): number }): ChildHandle {
  const { spec, clock, nextPid } = parts
  const pid = nextPid()
  const main = ending()
  const left = new Map<number, { argv: string; life: Ending }>()
  const traps = new Map<string, () => void>()
  const stdout = memoryPipe()
  const stderr = spec.output === 'split' ? memoryPipe() : undefined
  const input = memoryInput(spec.input !== 'none')

  const closeWhenIdle = (): void => {
    if (!main.over.aborted || left.size > 0) return
    stdout.end()
    stderr?.end()
  }
  const sleepIn = (life: Ending) => async (ms: number) => {
    await pause(clock, ms, life.over)
    if (life.over.aborted) throw new Error('ended')
  }
  const io: MemoryIo = {
    cwd: spec.cwd,
    env: spec.env,
    out: (data) => void (main.over.aborted || stdout.push(data)),
    err: (data) => void (main.over.aborted || (stderr ?? stdout).push(data)),
    read: () => Promise.race([input.read(), main.done.then(() => undefined)]),
    sleep: sleepIn(main),
    trap: (name, run) => void traps.set(name, run),
    leave: (argv, run) => {
      const life = ending()
      const id = nextPid()
      left.set(id, { argv, life })
      const finished = run({ out: (data) => void (life.over.aborted || stdout.push(data)), sleep: sleepIn(life) })
      void finished.catch(() => {}).finally(() => life.end({ exitCode: 0, signal: null }))
      void life.done.then(() => {
        left.delete(id)
        closeWhenIdle()
      })
    },
  }
  void main.done.then(closeWhenIdle)
  void runProgram(program, [spec.file, ...spec.args], io).then((exit) => main.end(exit))

  const signal = (name: string): boolean => {
    const trap = name === 'SIGKILL' ? undefined : traps.get(name)
    const alive = !main.over.aborted || left.size > 0
    if (trap !== undefined && !main.over.aborted) trap()
    else {
      if (!main.over.aborted) main.end({ exitCode: null, signal: name })
      for (const { life } of left.values()) life.end({ exitCode: null, signal: name })
    }
    return alive
  }
  const alive = (): boolean => !main.over.aborted || left.size > 0
  let running: Promise<KillReport> | undefined
  const kill = async ({ graceMs, deadline }: KillOptions): Promise<KillReport> => {
    if (alive() && graceMs > 0 && deadline?.aborted !== true) {
      signal('SIGTERM')
      await settle()
      if (alive()) await Promise.race([pause(clock, graceMs, deadline), main.done])
    }
    if (alive()) signal('SIGKILL')
    await settle()
    return { stuck: [] }
  }
  return {
    pid,
    stdout: stdout.pipe,
    ...(stderr === undefined ? {} : { stderr: stderr.pipe }),
    write: async (data) => input.write(data),
    closeInput: async () => input.close(),
    signal,
    kill: (options) => (running ??= kill(options).finally(() => (running = undefined))),
    survivors: async (): Promise<SurvivorInfo[]> => [...left].map(([id, { argv }]) => ({ pid: id, argv: argv.slice(0, 80) })),
    exit: main.done,
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}

async function runProgram(program: MemoryProgram, argv: readonly string[], io: MemoryIo): Promise<ChildExit> {
  try {
    const exit = await program(argv, io)
    return typeof exit === 'number' ? { exitCode: exit, signal: null } : exit
  } catch {
    return { exitCode: 1, signal: null }
  }
}

interface MemoryPipe {
  readonly pipe: OutputPipe
  push(data: string | Uint8Array): void
  end(): void
}

function memoryPipe(): MemoryPipe {
  const waiting: Uint8Array[] = []
  let listener: ((chunk: Uint8Array) => void) | undefined
  let paused = false
  let over = false
  let finish = (): void => {}
  const ended = new Promise<void>((resolve) => (finish = resolve))
  const flush = (): void => {
    while (listener !== undefined && !paused && waiting.length > 0) listener(waiting.shift() ?? new Uint8Array(0))
    if (over && (waiting.length === 0 || listener === undefined)) finish()
  }
  return {
    push: (data) => {
      waiting.push(typeof data === 'string' ? new TextEncoder().encode(data) : data)
      flush()
    },
    end: () => {
      over = true
      flush()
    },
    pipe: {
      onData: (next) => {
        listener = next
        flush()
      },
      pause: () => void (paused = true),
      resume: () => {
        paused = false
        flush()
      },
      ended,
      close: finish,
    },
  }
}

function memoryInput(open: boolean): { read(): Promise<string | undefined>; write(data: Uint8Array): void; close(): void } {
  const waiting: string[] = []
  const readers: ((text: string | undefined) => void)[] = []
  let closed = !open
  return {
    read: () => {
      const next = waiting.shift()
      if (next !== undefined || closed) return Promise.resolve(next)
      return new Promise((resolve) => readers.push(resolve))
    },
    write: (data) => {
      if (closed) throw new ShellError('SHELL_INPUT_CLOSED')
      const text = new TextDecoder().decode(data)
      const reader = readers.shift()
      if (reader === undefined) waiting.push(text)
      else reader(text)
    },
    close: () => {
      closed = true
      for (const reader of readers.splice(0)) reader(undefined)
    },
  }
}
