/**
 * One turn under way. What the reducer grants is judged one call at a time and in model order, handed to the domain, and published in model
 * order; only bodies overlap (P-76, E-38, E-40). Everything that happens sets the loop going; it does the most urgent thing until there is none.
 */
import type { StagedRuntime, ToolResult } from '@toolseam/core-tools'
import type { BlockTold, ToolTurnEvent, TurnConcluded } from '../../definition/turn.ts'
import type { ToolRunCommand, TurnMode } from '../../definition/vocabulary.ts'
import { messageOf } from '../../guarding/thrown.ts'
import { endAborted, endBare, endOf } from './ends.ts'
import type { Slot } from './slot.ts'

export interface TurnParts {
  readonly turnId: string
  readonly mode: TurnMode
  readonly staged: StagedRuntime
  readonly slots: readonly Slot[]
  readonly surface: NonNullable<Parameters<StagedRuntime['prepare']>[1]>['surface']
  post(event: ToolTurnEvent): Promise<{ refused?: { code: string } }>
  /** Admits a prepared block and hands its command to the domain. */
  handOver(slot: Slot, command: ToolRunCommand): void
  /** The kernel takes no more events: the turn is ended without it. */
  onBroken(): void
}

export class TurnRun {
  readonly turnId: string
  readonly slots: readonly Slot[]
  readonly results: ToolResult[] = []
  /** It goes on without its journal, to its end only. */
  isBroken = false
  /** A stop came before it began. */
  isHalted = false
  readonly #parts: TurnParts
  readonly #byId: ReadonlyMap<string, Slot>
  readonly #over: Promise<void>
  #resolve: () => void = () => {}
  #busy = false
  #done = false
  #stopReason: string | undefined
  #concluded = false

  constructor(parts: TurnParts) {
    this.#parts = parts
    this.turnId = parts.turnId
    this.slots = parts.slots
    this.#byId = new Map(parts.slots.map((slot) => [slot.dlineTid, slot]))
    this.#over = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Resolves when every call is published and the reducer has closed the turn. */
  get over(): Promise<void> {
    return this.#over
  }

  find(dlineTid: string): Slot | undefined {
    return this.#byId.get(dlineTid)
  }

  grant(command: ToolRunCommand): void {
    const slot = this.find(command.dlineTid)
    if (slot === undefined || slot.stage === 'ended') return
    slot.run = command
    this.pump()
  }

  /** The reducer skipped it: a call under judgement is aborted, others end as they are. */
  skip(dlineTid: string, reason: string): void {
    const slot = this.find(dlineTid)
    if (slot === undefined || slot.stage === 'handed' || slot.stage === 'ended') return
    if (slot.stage === 'idle' || slot.stage === 'prepared') {
      this.#end(slot, endAborted(this.#parts.staged, slot, { code: 'TOOL_ABORTED_BEFORE_DISPATCH', reason }))
    } else {
      slot.skipped = reason
      slot.control.abort(new Error(`skipped: ${reason}`))
    }
    this.pump()
  }

  /** The turn is stopped: judging ends at once; what was handed over is the domain's. */
  stop(reason: string, order: object): void {
    this.#stopReason ??= reason
    for (const slot of this.slots) slot.control.abort(order)
    this.pump()
  }

  settle(slot: Slot, end: () => Promise<ToolResult>): void {
    if (slot.stage === 'ended') return
    this.#end(slot, end)
    this.pump()
  }

  /** It cannot be handed over: it ends unrun. */
  refuse(slot: Slot, reason: string): void {
    this.#settleHere(slot, endBare(this.#parts.staged, slot, reason))
    this.pump()
  }

  done(): void {
    this.#done = true
    this.pump()
  }

  pump(): void {
    if (this.#busy) return
    this.#busy = true
    void this.#loop()
  }

  async #loop(): Promise<void> {
    // What a caller does in one go is seen as a whole.
    await Promise.resolve()
    for (let step = this.#next(); step !== undefined; step = this.#next()) await step
    this.#busy = false
    if (this.#done && this.results.length === this.slots.length) this.#resolve()
  }

  /** The next thing that must not overlap with another, most urgent first. */
  #next(): Promise<void> | undefined {
    const head = this.slots[this.results.length]
    if (head?.end !== undefined) return this.#publish(head, head.end)
    const resumed = this.slots.find((slot) => slot.answered !== undefined)
    if (resumed !== undefined) return this.#resume(resumed)
    for (const slot of this.slots) {
      if (slot.run === undefined) continue
      if (slot.stage === 'prepared') this.#handOver(slot, slot.run)
      else if (slot.stage === 'idle' && this.#mayBegin(slot)) return this.#begin(slot)
    }
    return undefined
  }

  /** Published is what settled means here: an exclusive predecessor has been finalized before anything later is judged (P-74). */
  #mayBegin(slot: Slot): boolean {
    for (let at = this.results.length; at < slot.index; at += 1) {
      const earlier = this.slots[at]
      if (this.#isExclusive(slot) || (earlier !== undefined && this.#isExclusive(earlier))) return false
    }
    return true
  }

  #isExclusive(slot: Slot): boolean {
    return this.#parts.mode === 'serial' || slot.concurrency === 'exclusive'
  }

  async #publish(slot: Slot, end: () => Promise<ToolResult>): Promise<void> {
    const result = await end()
    slot.release()
    this.results.push(result)
    if (result.isError || result.concludesTurn !== true || this.#concluded) return
    this.#concluded = true
    const unbegun = this.#unbegunAfter(slot)
    await this.#post({
      kind: 'turn.concluded',
      turnId: this.turnId,
      dlineTid: slot.dlineTid,
      withdrawn: unbegun.map((later) => later.dlineTid),
    })
    // Granted while the conclusion was being recorded: not begun, so not run.
    for (const later of this.#unbegunAfter(slot)) this.#settleHere(later, endBare(this.#parts.staged, later, 'concluded'))
  }

  /** Judges a call: its mode as sent, then policy, guards and the human. */
  async #begin(slot: Slot): Promise<void> {
    const { staged } = this.#parts
    if (this.#stopReason !== undefined) {
      this.#settleHere(slot, endBare(staged, slot, this.#stopReason))
      return
    }
    if (!this.#isExclusive(slot) && (await staged.classify(slot.input)) === 'exclusive') {
      await this.#becomeExclusive(slot)
      return
    }
    slot.stage = 'preparing'
    await new Promise<void>((endStep) => {
      slot.endStep = endStep
      void this.#judge(slot)
    })
  }

  async #judge(slot: Slot): Promise<void> {
    try {
      await this.#prepare(slot)
    } catch (error) {
      this.#settleHere(slot, endBare(this.#parts.staged, slot, messageOf(error)))
    } finally {
      slot.endStep()
    }
  }

  async #prepare(slot: Slot): Promise<void> {
    const { staged, surface } = this.#parts
    const prepared = await staged.prepare(slot.input, {
      onAsk: () => this.#onAsk(slot),
      onAnswer: () => this.#onAnswer(slot),
      ...(surface === undefined ? {} : { surface }),
    })
    const asked = slot.stage === 'asking'
    if (prepared.kind !== 'dispatch') {
      this.#settleHere(slot, endOf(staged, prepared))
      return
    }
    slot.prepared = prepared
    if (slot.skipped !== undefined) {
      this.#settleHere(slot, endAborted(staged, slot, { code: 'TOOL_ABORTED_BEFORE_DISPATCH', reason: slot.skipped }))
      return
    }
    slot.stage = 'prepared'
    if (prepared.concurrency === 'exclusive' && !this.#isExclusive(slot)) await this.#becomeExclusive(slot)
    // Its place was given back while the human thought; the run it comes back to is a new one.
    if (asked) await this.#tell('block.answered', slot)
  }

  /** Only a human's answer is outstanding: the place is given back, others go on. */
  #onAsk(slot: Slot): void {
    if (slot.stage !== 'asking') {
      slot.stage = 'asking'
      slot.run = undefined
      void this.#tell('block.asking', slot)
    }
    slot.endStep()
  }

  /** What follows a human's answer waits for the round in progress. */
  #onAnswer(slot: Slot): Promise<void> {
    return new Promise((resume) => {
      slot.answered = resume
      this.pump()
    })
  }

  #resume(slot: Slot): Promise<void> {
    return new Promise((endStep) => {
      const { answered } = slot
      slot.answered = undefined
      slot.endStep = endStep
      answered?.()
    })
  }

  /** Gives its place back, and with it every later run that was not acted upon; until no such run is left (E-38). */
  async #becomeExclusive(slot: Slot): Promise<void> {
    slot.concurrency = 'exclusive'
    let withdrawn = this.#unbegunAfter(slot)
    do {
      slot.run = undefined
      for (const later of withdrawn) later.run = undefined
      await this.#tell('block.exclusive', slot, withdrawn)
      withdrawn = this.#unbegunAfter(slot)
    } while (withdrawn.length > 0)
  }

  /** Later calls that have a run and were not judged for it. */
  #unbegunAfter(slot: Slot): Slot[] {
    return this.slots.filter((later) => later.index > slot.index && later.run !== undefined && later.stage === 'idle')
  }

  #handOver(slot: Slot, command: ToolRunCommand): void {
    slot.stage = 'handed'
    this.#parts.handOver(slot, command)
  }

  /** Ended without the domain: the reducer is told. */
  #settleHere(slot: Slot, end: () => Promise<ToolResult>): void {
    this.#end(slot, end)
    void this.#tell('block.settled', slot)
  }

  #end(slot: Slot, end: () => Promise<ToolResult>): void {
    slot.stage = 'ended'
    slot.run = undefined
    slot.end = end
  }

  #tell(kind: BlockTold['kind'], { dlineTid }: Slot, withdrawn?: readonly Slot[]): Promise<void> {
    const told = { kind, turnId: this.turnId, dlineTid }
    return this.#post(withdrawn === undefined ? told : { ...told, withdrawn: withdrawn.map((later) => later.dlineTid) })
  }

  async #post(event: BlockTold | TurnConcluded): Promise<void> {
    try {
      await this.#parts.post(event)
    } catch {
      this.#parts.onBroken()
    }
  }
}
