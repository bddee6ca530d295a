/**
 * A lane: calls in model order over the staged view. Bodies overlap where they may; everything else runs one at a time and
 * in order. `executeAll` is a lane filled at once, the nested calls of a parent are one that grows.
 */
import type { ToolExecutionInput } from '../contracts/execution.ts'
import type { ToolResult } from '../contracts/result.ts'
import type { Dispatched, DispatchOptions, GivenUp, Prepared, PreparedDispatch, StagedRuntime } from '../contracts/staged.ts'
import type { ToolConcurrency } from '../contracts/tool.ts'
import { startable, type LaneEntry } from './startable.ts'

export interface LaneCallOptions {
  onAsk?(asking: boolean): void
  surface?: DispatchOptions['surface']
  call?: DispatchOptions['call']
  outlived?: DispatchOptions['outlived']
}

/** A call on its way: `prepared` waits for its place, `ended` for its turn to be published. */
interface Entry extends LaneEntry {
  readonly input: ToolExecutionInput
  readonly options: LaneCallOptions
  readonly resolve: (result: ToolResult) => void
  readonly reject: (error: unknown) => void
  concurrency: ToolConcurrency
  state: LaneEntry['state']
  prepared: PreparedDispatch | undefined
  ended: (() => Promise<ToolResult>) | undefined
  /** A human's answer is there; called when the round in progress is over. */
  answered: (() => void) | undefined
  /** Ends the step of the lane in which this call is being judged: it is over, or a human is asked. */
  endStep: () => void
}

export class Lane {
  readonly #staged: StagedRuntime
  readonly #limit: number
  readonly #signal: AbortSignal | undefined
  /** Calls not yet published, in model order; of these the first `#classified` know their mode. */
  #entries: Entry[] = []
  #classified = 0
  #busy = false

  constructor(staged: StagedRuntime, options: { limit: number; signal?: AbortSignal }) {
    this.#staged = staged
    this.#limit = options.limit
    this.#signal = options.signal
  }

  add(input: ToolExecutionInput, options: LaneCallOptions = {}): Promise<ToolResult> {
    return new Promise((resolve, reject) => {
      this.#entries.push({
        input,
        options,
        resolve,
        reject,
        concurrency: 'exclusive',
        state: 'waiting',
        prepared: undefined,
        ended: undefined,
        answered: undefined,
        endStep: () => undefined,
      })
      this.#pump()
    })
  }

  /** One stage at a time: whatever happens sets this going, and it runs until there is nothing to do. */
  #pump(): void {
    if (this.#busy) return
    this.#busy = true
    void this.#run()
  }

  async #run(): Promise<void> {
    for (let step = this.#next(); step !== undefined; step = this.#next()) await step
    this.#busy = false
  }

  /** The next thing that must not overlap with another, most urgent first. */
  #next(): Promise<void> | undefined {
    const stopping = this.#signal?.aborted === true
    if (stopping) this.#giveUpRest(this.#signal?.reason)
    const head = this.#entries[0]
    if (head?.ended !== undefined) return this.#publish(head, head.ended)
    const resumed = this.#firstAnswered()
    if (resumed !== undefined) return this.#resume(resumed)
    return stopping ? undefined : (this.#startNext() ?? this.#classifyNext())
  }

  /** Only calls that have begun can have been asked about. */
  #firstAnswered(): Entry | undefined {
    for (let index = 0; index < this.#classified; index += 1) {
      const entry = this.#entries[index]
      if (entry?.answered !== undefined) return entry
    }
    return undefined
  }

  async #publish(entry: Entry, end: () => Promise<ToolResult>): Promise<void> {
    this.#entries.shift()
    this.#classified = Math.max(0, this.#classified - 1)
    try {
      entry.resolve(await end())
    } catch (error) {
      entry.reject(error)
    }
  }

  /** Nothing more starts: what waits settles in its turn. */
  #giveUpRest(reason: unknown): void {
    const given: GivenUp = { aborted: { code: 'TOOL_ABORTED_BEFORE_DISPATCH', reason: reasonText(reason) } }
    for (const entry of this.#entries) {
      if (entry.state === 'waiting') this.#ended(entry, () => this.#staged.finish(entry.prepared ?? entry.input, given))
    }
  }

  #startNext(): Promise<void> | undefined {
    for (;;) {
      const index = startable(this.#entries.slice(0, this.#classified), this.#limit)[0]
      const entry = index === undefined ? undefined : this.#entries[index]
      if (entry === undefined) return undefined
      entry.state = 'running'
      if (entry.prepared === undefined) return this.#prepare(entry)
      this.#dispatch(entry, entry.prepared)
    }
  }

  /** A call's mode is asked when its turn comes: a place is free and no barrier stands before it. */
  #classifyNext(): Promise<void> | undefined {
    const entry = this.#entries[this.#classified]
    if (entry === undefined) return undefined
    let running = 0
    for (let index = 0; index < this.#classified; index += 1) {
      const earlier = this.#entries[index]
      if (earlier?.concurrency === 'exclusive' && earlier.state !== 'settled') return undefined
      if (earlier?.state === 'running') running += 1
    }
    if (running >= this.#limit) return undefined
    this.#classified += 1
    return this.#staged.classify(entry.input).then((mode) => {
      entry.concurrency = mode
    })
  }

  #prepare(entry: Entry): Promise<void> {
    return new Promise((endStep) => {
      entry.endStep = endStep
      const { surface } = entry.options
      const options = {
        onAsk: () => this.#asking(entry),
        onAnswer: () => this.#answered(entry),
        ...(surface === undefined ? {} : { surface }),
      }
      this.#staged.prepare(entry.input, options).then(
        (prepared) => {
          this.#prepared(entry, prepared)
          entry.endStep()
        },
        (error: unknown) => {
          this.#ended(entry, () => Promise.reject(error))
          entry.endStep()
        },
      )
    })
  }

  /** Only a human's answer is outstanding: the place is given back, others go on. */
  #asking(entry: Entry): void {
    entry.state = 'asking'
    tell(entry, true)
    entry.endStep()
  }

  /** What follows a human's answer waits for the round in progress. */
  #answered(entry: Entry): Promise<void> {
    tell(entry, false)
    return new Promise((resume) => {
      entry.answered = resume
      this.#pump()
    })
  }

  #resume(entry: Entry): Promise<void> {
    return new Promise((endStep) => {
      const { answered } = entry
      entry.answered = undefined
      entry.endStep = endStep
      answered?.()
    })
  }

  #prepared(entry: Entry, prepared: Prepared): void {
    if (prepared.kind !== 'dispatch') return this.#end(entry, prepared)
    entry.prepared = prepared
    if (prepared.concurrency === 'exclusive') entry.concurrency = 'exclusive'
    entry.state = 'waiting'
  }

  #dispatch(entry: Entry, prepared: PreparedDispatch): void {
    const { call, outlived, surface } = entry.options
    const run = (options: DispatchOptions = {}): Promise<Dispatched> =>
      this.#staged.dispatch(prepared, {
        ...(surface === undefined ? {} : { surface }),
        ...(outlived === undefined ? {} : { outlived }),
        ...(call === undefined ? {} : { call }),
        ...options,
      })
    void this.#await(entry, { prepared, work: call === undefined ? run() : (async () => call(prepared, run))() })
  }

  /** Whoever runs bodies in our stead may fail or answer nonsense: the call is then given up, and settles all the same. */
  async #await(entry: Entry, { prepared, work }: { prepared: PreparedDispatch; work: Promise<Dispatched | GivenUp> }): Promise<void> {
    try {
      const outcome = await work
      if ('aborted' in outcome) this.#ended(entry, () => this.#staged.finish(prepared, outcome))
      else this.#end(entry, outcome)
    } catch (error) {
      const given: GivenUp = { aborted: { code: 'TOOL_ABORTED', reason: reasonText(error) } }
      this.#ended(entry, () => this.#staged.finish(prepared, given))
    }
    this.#pump()
  }

  #end(entry: Entry, outcome: Dispatched): void {
    this.#ended(entry, () => (outcome.kind === 'post-result' ? this.#staged.finalize(outcome) : this.#staged.finish(outcome)))
  }

  /** The place is free again; the call is settled only when it is published. */
  #ended(entry: Entry, end: () => Promise<ToolResult>): void {
    entry.state = 'asking'
    entry.ended = end
  }
}

function tell(entry: Entry, asking: boolean): void {
  try {
    entry.options.onAsk?.(asking)
  } catch {
    // Whoever listens cannot hold the lane.
  }
}

function reasonText(reason: unknown): string {
  return reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : 'the batch was cancelled'
}
