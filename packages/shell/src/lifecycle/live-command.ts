/**
 * The life of one command over any `Subprocess`: output is captured, deadlines run, somebody may end it, and in the end it has one `ShellExit`.
 */
import type { AgentId } from '@toolseam/core-tools'
import { pause } from '../definition/clock.ts'
import type {
  EndCause,
  OutputEvent,
  OutputSlice,
  Owner,
  ReadOptions,
  ShellExit,
  ShellNote,
  ShellSpec,
  State,
  WaitCondition,
} from '../definition/command.ts'
import { ShellError } from '../definition/errors.ts'
import type { ShellCommand } from '../definition/shell.ts'
import type { ChildExit, KillReport, SurvivorInfo } from '../definition/subprocess.ts'
import { eventStream, type EventStream } from '../output/events.ts'
import { capture, type Capture } from './capture.ts'
import { armDeadlines } from './deadlines.ts'
import { drain } from './drain.ts'
import type { CommandParts, EndFacts } from './ports.ts'
import { watchers } from './watchers.ts'

const STATE_OF: Readonly<Record<EndCause, Exclude<State, 'running'>>> = {
  timeout: 'timed-out',
  abort: 'aborted',
  kill: 'killed',
  halt: 'killed',
  dispose: 'killed',
  limit: 'killed',
}
/** A look at new output for `waitFor` is made at most this often, ms. */
const LOOK_INTERVAL_MS = 10

export class LiveCommand implements ShellCommand {
  readonly id: string
  readonly pid: number
  readonly spec: ShellSpec
  readonly lineage: readonly AgentId[]
  readonly exit: Promise<ShellExit>
  /** Resolves when it is moved out of its turn. */
  readonly detached: Promise<void>
  readonly startedAt: number
  readonly #parts: CommandParts
  readonly #out: Capture
  readonly #err: Capture | undefined
  readonly #cutDrain = new AbortController()
  readonly #watchers = watchers()
  readonly #events: EventStream[] = []
  #disarm: () => void
  #owner: Owner
  #state: State = 'running'
  #cause: EndCause | undefined
  #shellEnded = false
  #ending: Promise<KillReport> | undefined
  #survivors: SurvivorInfo[] = []
  /** Silence ended it, not its deadline. */
  #idle: ShellNote | undefined
  #lastByteAt: number
  #inputOpen: boolean
  #announceDetached = (): void => {}
  /** The shell itself outlived its KILL: nobody waits for it any longer (S-23). */
  #giveUp = (): void => {}

  constructor(parts: CommandParts) {
    const { id, spec, child, clock } = parts
    this.#parts = parts
    this.id = id
    this.pid = child.pid
    this.spec = spec
    this.lineage = parts.lineage
    this.#owner = spec.owner
    this.#inputOpen = spec.input !== 'none'
    this.startedAt = clock.now()
    this.#lastByteAt = this.startedAt
    this.detached = new Promise((resolve) => (this.#announceDetached = resolve))
    this.#out = this.#capture('stdout')
    this.#err = child.stderr === undefined ? undefined : this.#capture('stderr')
    this.#disarm = this.#arm()
    this.exit = this.#live()
  }

  get state(): State {
    return this.#state
  }

  get owner(): Owner {
    return this.#owner
  }

  get live(): boolean {
    return this.#state === 'running' || this.#survivors.length > 0
  }

  get totalBytes(): number {
    return this.#out.ring.total + (this.#err?.ring.total ?? 0)
  }

  /** Both pipes, for the result. */
  get captures(): { out: Capture; err: Capture | undefined } {
    return { out: this.#out, err: this.#err }
  }

  read(options: ReadOptions & { reserve?: number } = {}): OutputSlice {
    const source = options.stream === 'stderr' && this.#err !== undefined ? this.#err : this.#out
    return source.slice({ ...options, final: !this.live })
  }

  async write(data: string | Uint8Array): Promise<void> {
    if (!this.#inputOpen || this.#state !== 'running') throw new ShellError('SHELL_INPUT_CLOSED', { job: this.id, state: this.#state })
    await this.#parts.child.write(typeof data === 'string' ? new TextEncoder().encode(data) : data)
  }

  async closeInput(): Promise<void> {
    // A terminal stays open after its ctrl-d.
    if (this.spec.input !== 'terminal') this.#inputOpen = false
    await this.#parts.child.closeInput()
  }

  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 'SIGTSTP' | 'SIGCONT'): boolean {
    return this.#parts.child.signal(name)
  }

  detach(): void {
    if (this.#owner.kind === 'explicit') return
    this.#owner = { kind: 'explicit' }
    // What runs in the background has no deadline (S-26).
    this.#disarm()
    this.#announceDetached()
  }

  async survivors(): Promise<SurvivorInfo[]> {
    if (!this.#shellEnded) return this.#parts.child.survivors()
    if (this.#survivors.length > 0) await this.#refreshSurvivors()
    return this.#survivors
  }

  async terminate(cause: EndCause, options: { graceMs?: number; deadline?: AbortSignal } = {}): Promise<ShellExit> {
    if (!this.#shellEnded) this.#cause ??= cause
    this.#cutDrain.abort()
    const graceMs = options.graceMs ?? this.#parts.limits.graceMs
    const ending = this.#parts.child.kill({ graceMs, ...(options.deadline === undefined ? {} : { deadline: options.deadline }) })
    this.#ending ??= ending
    const { stuck } = await ending
    if (stuck.length > 0) this.#parts.report({ code: 'SHELL_KILL_FAILED', details: { job: this.id, pids: stuck } })
    if (stuck.includes(this.pid)) this.#giveUp()
    const exit = await this.exit
    if (this.#survivors.length > 0) await this.#refreshSurvivors()
    this.#watchers.pulse()
    return { ...exit, survivors: this.#survivors, stuck: stuck.length > 0 ? stuck : exit.stuck }
  }

  async waitFor(condition: WaitCondition, signal?: AbortSignal): Promise<'matched' | 'exited' | 'elapsed'> {
    const { clock } = this.#parts
    const deadline = clock.now() + condition.ms
    for (;;) {
      if (condition.until !== undefined && this.#holds(condition.until, condition.from ?? 0)) return 'matched'
      if (this.#state !== 'running' && (condition.exit === true || !this.live)) return 'exited'
      const left = deadline - clock.now()
      if (left <= 0 || signal?.aborted === true) return 'elapsed'
      await this.#watchers.change({ clock, ms: left, signal })
      if (condition.until !== undefined) await pause(clock, Math.min(LOOK_INTERVAL_MS, Math.max(0, deadline - clock.now())), signal)
    }
  }

  /** Sends output on as it comes, until the command has ended. */
  forward(onOutput: (event: OutputEvent) => void): void {
    const { clock } = this.#parts
    this.#events.push(eventStream(this.#out.ring, { clock, stream: this.#err === undefined ? 'output' : 'stdout', onOutput }))
    if (this.#err !== undefined) this.#events.push(eventStream(this.#err.ring, { clock, stream: 'stderr', onOutput }))
  }

  /** From start to the settled exit. Never rejects. */
  async #live(): Promise<ShellExit> {
    const ended = await this.#shellEnd()
    await drain(this.#pipesEnded(), { clock: this.#parts.clock, lastByteAt: () => this.#lastByteAt, cut: this.#cutDrain.signal })
    const report = await this.#ending
    if (report !== undefined) await this.#lastBytes()
    await this.#meetSurvivors()
    const facts = await this.#factsOf(ended)
    if (this.#survivors.length === 0) await this.#finishSpills()
    return this.#conclude(ended, { facts, stuck: report?.stuck ?? [] })
  }

  /** The exit of the shell, or the news that it cannot be ended. */
  async #shellEnd(): Promise<ChildExit> {
    const stuck = new Promise<ChildExit>((resolve) => (this.#giveUp = () => resolve({ exitCode: null, signal: null })))
    const ended = await Promise.race([this.#parts.child.exit, stuck])
    this.#shellEnded = true
    this.#disarm()
    return ended
  }

  async #meetSurvivors(): Promise<void> {
    this.#survivors = await this.#parts.child.survivors()
    if (this.#survivors.length === 0) return
    if (this.#parts.survivors === 'end') {
      await this.#parts.child.kill({ graceMs: this.#parts.limits.graceMs })
      await this.#refreshSurvivors()
      return
    }
    void Promise.all(this.#pipesEnded()).then(() => this.#refreshSurvivors())
  }

  async #refreshSurvivors(): Promise<void> {
    this.#survivors = await this.#parts.child.survivors()
    if (this.#survivors.length > 0) return
    await this.#finishSpills()
    this.#watchers.pulse()
  }

  #conclude(ended: ChildExit, { facts, stuck }: { facts: EndFacts; stuck: readonly number[] }): ShellExit {
    this.#state = this.#cause === undefined ? 'exited' : STATE_OF[this.#cause]
    for (const events of this.#events) events.finish()
    this.#events.length = 0
    this.#watchers.pulse()
    return {
      state: this.#state,
      ...(this.#cause === undefined ? {} : { cause: this.#cause }),
      exitCode: ended.exitCode,
      signal: ended.signal,
      ...(facts.stages === undefined ? {} : { stages: facts.stages }),
      cwd: facts.cwd ?? this.spec.cwd,
      survivors: this.#survivors,
      stuck,
      durationMs: Math.round(this.#parts.clock.now() - this.startedAt),
      notes: [...this.spec.notes, ...facts.notes, ...this.#ownNotes(stuck)],
    }
  }

  #ownNotes(stuck: readonly number[]): ShellNote[] {
    const failed = this.#out.spill?.failure ?? this.#err?.spill?.failure
    return [
      ...(this.#idle === undefined ? [] : [this.#idle]),
      ...(failed === undefined ? [] : [{ kind: 'spill-failed' as const, code: failed }]),
      ...(stuck.length === 0 ? [] : [{ kind: 'stuck' as const, pids: stuck }]),
    ]
  }

  async #factsOf(ended: ChildExit): Promise<EndFacts> {
    try {
      return await this.#parts.facts(ended)
    } catch {
      return { notes: [] }
    }
  }

  #capture(stream: 'stdout' | 'stderr'): Capture {
    const { child, limits } = this.#parts
    const pipe = stream === 'stderr' ? (child.stderr ?? child.stdout) : child.stdout
    return capture(pipe, {
      limits,
      openSpill: () => this.#parts.openSpill(stream),
      onBytes: () => {
        this.#lastByteAt = this.#parts.clock.now()
        for (const events of this.#events) events.touch()
        this.#watchers.pulse()
      },
    })
  }

  #arm(): () => void {
    return armDeadlines(this.spec, {
      clock: this.#parts.clock,
      lastByteAt: () => this.#lastByteAt,
      onDeadline: () => void this.terminate('timeout'),
      onSilence: (idleTimeoutMs) => {
        if (this.#cause === undefined && !this.#shellEnded) this.#idle = { kind: 'idle', idleTimeoutMs }
        void this.terminate('timeout')
      },
    })
  }

  #pipesEnded(): Promise<void>[] {
    return this.#err === undefined ? [this.#out.pipe.ended] : [this.#out.pipe.ended, this.#err.pipe.ended]
  }

  /** The tree is dead: its pipes hold what was printed, and then their end. */
  async #lastBytes(): Promise<void> {
    await Promise.race([Promise.all(this.#pipesEnded()), pause(this.#parts.clock, 50)])
  }

  async #finishSpills(): Promise<void> {
    await Promise.all([this.#out.spill?.finish(), this.#err?.spill?.finish()])
  }

  #holds(until: RegExp | string, from: number): boolean {
    const { text } = this.#out.slice({ from, final: !this.live })
    return this.#parts.matches(until, text)
  }
}
