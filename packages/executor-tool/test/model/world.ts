/**
 * The world of the model test: a domain (with children), everything that its surroundings observe, and the invariants I1 to I12 as checks that
 * can run after every step. It watches the public interface only.
 */
import { deniedSurface, surfaceFor, type UserFacingSurface } from '@toolseam/core-tools'
import {
  createToolExecutionDomain,
  type HaltReason,
  type HaltReport,
  type Ident,
  type ToolDomainEvent,
  type ToolExecutionDomain,
} from '@toolseam/executor-tool'
import { drainReady, scriptedRunner, type ScriptedRunner, type VirtualClock, virtualClock } from '@toolseam/executor-tool/testing'

type Event = ToolDomainEvent<string>

interface StopRecord {
  readonly haltId: string
  readonly acceptedAt: number
  readonly budgetMs: number
  readonly cut: Ident[]
  report: HaltReport | undefined
}

/** One domain under watch. */
export class Watched {
  readonly domain: ToolExecutionDomain<string>
  readonly runner: ScriptedRunner<string>
  readonly world: World
  readonly accepted: string[] = []
  readonly ended = new Map<string, number>()
  readonly closings = new Map<string, Event['kind'][]>()
  readonly stops: StopRecord[] = []
  readonly opened: string[] = []
  readonly closedScopes: string[] = []
  readonly closedOrder: string[] = []
  handled = 0
  lastSeq = 0
  outcomesForbidden = false

  constructor(world: World, runner: ScriptedRunner<string>, domain: ToolExecutionDomain<string>) {
    this.world = world
    this.runner = runner
    this.domain = domain
    domain.subscribe((event) => this.#watch(event))
  }

  handle(stop?: 'abandon' | { graceMs: number }): void {
    this.handled += 1
    const id = `c${this.handled}`
    if (stop !== undefined) this.runner.admitted.set(`${id}#0`, { stop })
    this.runner.script.delete(id)
    this.handleId(id)
  }

  handleId(id: string): void {
    const { phase, inFlight } = this.domain.snapshot()
    this.domain.handle({ commandId: id, dlineTid: `${id}#0` })
    const taken = this.domain.snapshot().inFlight.length > inFlight.length
    if (taken) this.accepted.push(id)
    // I5
    if (taken && phase !== 'armed') this.world.fail(`I5: '${id}' was accepted while ${phase}`)
  }

  duplicate(index: number): void {
    const id = this.accepted[index % Math.max(1, this.accepted.length)]
    if (id === undefined) return
    const before = this.domain.snapshot().inFlight.length
    this.domain.handle({ commandId: id, dlineTid: `${id}#0` })
    if (this.domain.snapshot().inFlight.length !== before) this.world.fail(`'${id}' was accepted twice`)
  }

  running(): readonly { resolve(value: string): void; reject(error: unknown): void }[] {
    return this.runner.bodies.filter((body) => body.running)
  }

  halt(haltId: string, reason: HaltReason): void {
    const isNew = !this.stops.some((stop) => stop.haltId === haltId)
    const cut = this.domain
      .snapshot()
      .inFlight.filter((ident) => !this.stops.some((stop) => stop.cut.some((c) => c.commandId === ident.commandId)))
    if (isNew) this.#accept({ haltId, acceptedAt: this.world.clock.now(), budgetMs: Infinity, cut: [...cut], report: undefined })
    // The promise is dropped on purpose (I9).
    void this.domain.halt({ haltId, reason })
  }

  haltBounded(reason: HaltReason, budgetMs: number): void {
    const known = new Set(this.stops.flatMap((stop) => stop.cut.map((ident) => ident.commandId)))
    const haltId = this.world.mint()
    const cut = this.domain.snapshot().inFlight.filter((ident) => !known.has(ident.commandId))
    const record: StopRecord = { haltId, acceptedAt: this.world.clock.now(), budgetMs, cut: [...cut], report: undefined }
    this.#accept(record)
    void this.domain.haltToolDomain(reason, { budgetMs, haltId }).then((report) => {
      record.report = report
    })
  }

  #accept(record: StopRecord): void {
    this.stops.push(record)
    this.outcomesForbidden = true
  }

  rearm(haltId: string | undefined): void {
    const before = this.domain.snapshot()
    const answer = this.domain.rearm(haltId)
    const after = this.domain.snapshot()
    if (answer === 'rearmed') {
      this.outcomesForbidden = false
      if (before.phase !== 'halted') this.world.fail(`a domain that was ${before.phase} was rearmed`)
    } else if (JSON.stringify(before) !== JSON.stringify(after)) this.world.fail(`I6: a refused rearm (${answer}) changed the domain`)
  }

  #watch(event: Event): void {
    const { world } = this
    const { epoch } = this.domain.snapshot()
    if (event.seq !== this.lastSeq + 1) world.fail(`seq jumped from ${this.lastSeq} to ${event.seq}`)
    this.lastSeq = event.seq
    if (event.epoch !== epoch) world.fail(`I3: event of epoch ${event.epoch} in epoch ${epoch}`)
    if (event.kind === 'tool.block_result' || event.kind === 'tool.block_failed') {
      if (this.outcomesForbidden) world.fail(`I4: outcome of '${event.commandId}' between a stop and its rearm`)
      this.#end(event.commandId)
      if (this.domain.snapshot().inFlight.some((ident) => ident.commandId === event.commandId)) world.fail('in flight at emission')
    }
    if (event.kind === 'tool.halted' || event.kind === 'tool.halt_failed') this.#watchClosing(event)
  }

  #watchClosing(event: Extract<Event, { haltId: string }>): void {
    const { world } = this
    this.closedOrder.push(event.haltId)
    this.closings.set(event.haltId, [...(this.closings.get(event.haltId) ?? []), event.kind])
    for (const ident of event.discarded) this.#end(ident.commandId)
    this.#watchChildren(event.haltId)
    if (event.kind === 'tool.halt_failed') {
      for (const ident of event.abandoned) this.#end(ident.commandId)
      const { code } = event.cause
      if (code === 'DRAIN_TIMEOUT' || code === 'ABANDONED') this.#watchScopes(event.abandoned)
      return
    }
    const stop = this.stops.find((record) => record.haltId === event.haltId)
    for (const { commandId } of stop?.cut ?? []) {
      const runs = this.runner.bodies.some((body) => body.command.commandId === commandId && body.running)
      if (runs) world.fail(`I7: '${commandId}' still runs after tool.halted '${event.haltId}'`)
    }
  }

  /** E-27: every child closes before the release of its parent, and so before its closing. */
  #watchChildren(haltId: string): void {
    if (this !== this.world.top) return
    for (const child of this.world.children) {
      const open = child.runner.interrupts.find(({ order }) => order.haltId.startsWith(`${haltId}/`) && !child.closings.has(order.haltId))
      if (open !== undefined) this.world.fail(`E-27: '${haltId}' closed before its child's '${open.order.haltId}'`)
    }
  }

  /** E-24: the scope of an abandoned block is closed in the release. */
  #watchScopes(abandoned: readonly Ident[]): void {
    for (const { commandId } of abandoned) {
      const open = this.opened.find((id) => id.startsWith(`${commandId}/`) && !this.closedScopes.includes(id))
      if (open !== undefined) this.world.fail(`I12: '${open}' was still open when its block had been given up`)
    }
  }

  #end(commandId: string): void {
    this.ended.set(commandId, (this.ended.get(commandId) ?? 0) + 1)
  }

  /** What must hold at any moment. */
  check(): void {
    const { world } = this
    for (const [id, count] of this.ended) if (count > 1) world.fail(`I1: '${id}' ended ${count} times`)
    for (const [id, kinds] of this.closings) if (kinds.length > 1) world.fail(`I2: '${id}' closed ${kinds.length} times`)
    const interrupts = this.runner.interrupts.map((call) => call.order.haltId)
    const releases = this.runner.releases.map((call) => call.order.haltId)
    if (new Set(interrupts).size !== interrupts.length) world.fail(`I2: an interrupt ran twice: ${interrupts.join()}`)
    if (new Set(releases).size !== releases.length) world.fail(`I2: a release ran twice: ${releases.join()}`)
    // E-18: interrupts are made in the order of acceptance, and closings keep it; releases never overlap with one that still counts.
    if (this.closedOrder.some((id, at) => interrupts[at] !== id))
      world.fail(`E-18: closed ${this.closedOrder.join()}, accepted ${interrupts.join()}`)
    const open = this.runner.releases.filter(({ order, scope }) => !this.closings.has(order.haltId) && !scope.signal.aborted)
    if (open.length > 1) world.fail(`E-18: releases overlap: ${open.map(({ order }) => order.haltId).join()}`)
    for (const stop of this.stops) {
      const late = world.clock.now() - stop.acceptedAt > stop.budgetMs + 100
      if (late && stop.report === undefined) world.fail(`I8: the bounded stop '${stop.haltId}' did not close in time`)
    }
  }

  /** What must hold when everything is over. */
  checkEnd(): void {
    const { world } = this
    this.check()
    for (const id of this.accepted) if (this.ended.get(id) !== 1) world.fail(`I1: '${id}' ended ${this.ended.get(id) ?? 0} times`)
    for (const id of this.ended.keys()) if (!this.accepted.includes(id)) world.fail(`I1: '${id}' ended but was never accepted`)
    for (const stop of this.stops) {
      if (this.closings.get(stop.haltId)?.length !== 1) world.fail(`I2: '${stop.haltId}' did not close once`)
    }
    const open = this.opened.filter((id) => !this.closedScopes.includes(id))
    if (open.length > 0) world.fail(`I12: never released: ${open.join()}`)
    if (new Set(this.closedScopes).size !== this.closedScopes.length) world.fail('I12: released twice')
  }
}

export class World {
  readonly clock: VirtualClock = virtualClock()
  readonly failures: string[] = []
  readonly top: Watched
  readonly children: Watched[] = []
  portCalls = 0
  lateUser = 0
  rejections = 0
  #minted = 0
  #ownTimers = 0
  readonly #onRejection = (): void => {
    this.rejections += 1
  }

  constructor() {
    process.on('unhandledRejection', this.#onRejection)
    const runner = scriptedRunner<string>()
    const domain = createToolExecutionDomain<string>({ runner, surface: this.#user(), clock: this.clock, interruptMs: 400 })
    this.top = new Watched(this, runner, domain)
  }

  #user(): UserFacingSurface {
    const call = async (): Promise<void> => {
      this.portCalls += 1
    }
    return { kind: 'user_facing', ask: call, say: call, openInteraction: call, diff: { show: call, close: async () => {} } }
  }

  fail(message: string): void {
    this.failures.push(message)
  }

  mint(): string {
    this.#minted += 1
    return `bounded-${this.#minted}`
  }

  openChild(): void {
    if (this.top.domain.snapshot().phase !== 'armed' || this.children.length >= 3) return
    const runner = scriptedRunner<string>()
    const domain = this.top.domain.openChild<string>({ surface: deniedSurface('subagent_execution'), runner })
    this.children.push(new Watched(this, runner, domain))
  }

  /** I11: a denied block asks; no port may hear of it. */
  askDenied(child: Watched): void {
    const before = this.portCalls
    for (const body of child.runner.bodies) {
      try {
        void surfaceFor(body.context.surface).require('ask')('?')
        this.fail('I11: a denied surface was granted')
      } catch {
        // Refused, as it must be.
      }
    }
    if (this.portCalls !== before) this.fail('I11: a user port was called')
  }

  /** A body of the user-facing domain asks; after its end or its cut it must not reach the port. */
  askUser(index: number): void {
    const body = this.top.runner.bodies[index % Math.max(1, this.top.runner.bodies.length)]
    if (body === undefined) return
    const inFlight = this.top.domain.snapshot().inFlight.some((ident) => ident.commandId === body.command.commandId)
    const cut = this.top.stops.some((stop) => stop.cut.some((ident) => ident.commandId === body.command.commandId))
    const before = this.portCalls
    void surfaceFor(body.context.surface).require('say')('x')
    if ((!inFlight || cut) && this.portCalls !== before) this.fail('E-34: a revoked surface reached its port')
  }

  acquire(watched: Watched, index: number): void {
    const body = watched.runner.bodies[index % Math.max(1, watched.runner.bodies.length)]
    if (body === undefined) return
    const id = `${body.command.commandId}/${watched.opened.length}`
    body.context.scope
      .acquire(
        () => void watched.opened.push(id),
        () => {
          const mine = watched.opened.filter(
            (other) => other.startsWith(`${body.command.commandId}/`) && !watched.closedScopes.includes(other),
          )
          if (mine.at(-1) !== id) this.fail(`I12: '${id}' was released before ${String(mine.at(-1))}`)
          watched.closedScopes.push(id)
        },
      )
      .catch(() => {})
  }

  /** The event loop was blocked, then everything that is due runs. */
  blockLoop(ms: number): Promise<void> {
    this.clock.jump(ms)
    return this.clock.settle()
  }

  all(): Watched[] {
    return [this.top, ...this.children]
  }

  /** A timer of the surroundings, told apart from those of the domain. */
  after(ms: number, run: () => void): void {
    this.#ownTimers += 1
    this.clock.after(ms, () => {
      this.#ownTimers -= 1
      run()
    })
  }

  check(): void {
    for (const watched of this.all()) watched.check()
    const isHalting = this.all().some((watched) => watched.domain.snapshot().phase === 'halting')
    if (!isHalting && this.clock.pending !== this.#ownTimers)
      this.fail(`I9: ${this.clock.pending - this.#ownTimers} timer(s) without a stop`)
    for (const child of this.children) {
      if (child.runner.bodies.some((body) => body.context.surface.kind !== 'denied')) this.fail('I11: a body of a denied child has a user')
    }
    if (this.rejections > 0) this.fail(`I9: ${this.rejections} unhandled rejection(s)`)
  }

  /** Everything is let go, the domain is disposed, and what must hold at the end is checked. */
  async end(): Promise<void> {
    for (const watched of this.all()) {
      watched.runner.onRelease = () => {}
      for (const body of watched.running()) body.resolve('end')
    }
    await this.clock.advance(20_000)
    const disposed = this.top.domain.dispose()
    await this.clock.advance(20_000)
    await disposed
    await drainReady()
    for (const watched of this.all()) watched.checkEnd()
    if (this.rejections > 0) this.fail(`I9: ${this.rejections} unhandled rejection(s)`)
    if (this.clock.pending > 0) this.fail(`I9: ${this.clock.pending} timer(s) left behind`)
    process.off('unhandledRejection', this.#onRejection)
  }
}
