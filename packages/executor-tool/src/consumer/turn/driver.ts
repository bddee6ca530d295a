/**
 * The turn driver, read as a table of contents: a turn is created, its events go through the kernel, its commands are carried out, its stop is
 * recorded and executed, a crashed one is resumed.
 */
import { TOOL_RUNTIME_SCHEDULER, type ToolExecutionInput, type ToolResult } from '@toolseam/core-tools'
import type { AdmittedBlock } from '../../definition/admissions.ts'
import type { HaltReport } from '../../definition/domain.ts'
import type { ResumeRequest, TurnDriver, TurnDriverOptions, TurnOutcome, TurnRequest } from '../../definition/driver.ts'
import type { ToolDomainEvent } from '../../definition/events.ts'
import type { Kernel } from '../../definition/kernel.ts'
import type { ToolTurnCommand, ToolTurnEvent, ToolTurnState, TurnBlockInput } from '../../definition/turn.ts'
import type { HaltOrder, HaltReason, TurnMode } from '../../definition/vocabulary.ts'
import { codeOf } from '../../guarding/thrown.ts'
import { blockId } from './blocks.ts'
import { applyClosing, applyOutcome } from './apply.ts'
import { describeBlocks, type KnownBlock } from './describe-blocks.ts'
import { domainReady, rearmDomain } from './domain-ready.ts'
import { endAborted } from './ends.ts'
import { journalled } from './journalled.ts'
import { deniedNested, dispatchOptionsOf } from './nested.ts'
import { openKernel } from './open-kernel.ts'
import { createProgressTap } from './progress-tap.ts'
import { checkCalls, checkWidth } from './read-calls.ts'
import { initialToolTurnState } from './reducer.ts'
import { createSlot, type Slot } from './slot.ts'
import { createStops } from './stops.ts'
import { TurnRun } from './turn-run.ts'

const DEFAULT_MAX_PARALLEL = 10

interface Begin {
  readonly turnId: string
  readonly calls: readonly ToolExecutionInput[]
  readonly mode: TurnMode
  readonly signal: AbortSignal | undefined
  /** What a resumed turn knows of a block already. */
  readonly known: (index: number) => KnownBlock | undefined
  /** Why it is not to begin: a stop came while it waited. */
  stopped?: HaltReason
}

export function createTurnDriver(options: TurnDriverOptions): TurnDriver {
  const { runtime, domain, admissions, mode: usualMode = 'parallel', maxParallel = DEFAULT_MAX_PARALLEL, lane } = options
  checkWidth(maxParallel)
  const staged = runtime[TOOL_RUNTIME_SCHEDULER]
  const progress = createProgressTap(runtime)
  const nesting = { surfaceOf: options.nestedSurface ?? deniedNested, watch: progress.watch }
  const stops = createStops(domain, (order) => current?.stop(order.reason, order))
  let opening: Promise<Kernel<ToolTurnState, ToolTurnEvent>> | undefined
  let kernel: Kernel<ToolTurnState, ToolTurnEvent> | undefined
  let current: TurnRun | undefined
  let last: Promise<unknown> = Promise.resolve()
  /** Asked for, not begun yet. */
  const coming = new Set<Begin>()
  const subscription = domain.subscribe((event) => void onDomainEvent(event))

  async function open(): Promise<Kernel<ToolTurnState, ToolTurnEvent>> {
    const journal = typeof options.journal === 'function' ? options.journal() : options.journal
    opening ??= openKernel({ execute: carryOut, ...(journal === undefined ? {} : { journal }), ...(lane === undefined ? {} : { lane }) })
    try {
      kernel = await opening
    } catch (error) {
      // A journal that cannot be read may be mended; the next turn tries again.
      opening = undefined
      throw error
    }
    return kernel
  }

  // ---- events in

  async function onDomainEvent(event: ToolDomainEvent<ToolResult>): Promise<void> {
    const turn = current
    if (kernel === undefined) return
    const isClosing = event.kind === 'tool.halted' || event.kind === 'tool.halt_failed'
    if (!isClosing && (turn === undefined || event.turnId !== turn.turnId || turn.find(event.dlineTid) === undefined)) return
    try {
      const { refused } = await kernel.post(journalled(event))
      // Told, but not taken: the reducer has the last word on what belongs to the turn (E-44).
      if (refused !== undefined || turn === undefined) return
      if (isClosing) applyClosing({ turn, staged, admissions }, event)
      else applyOutcome({ turn, staged, admissions }, event)
    } catch {
      if (turn !== undefined) void endUnrecorded(turn)
    }
  }

  // ---- commands out

  function carryOut(command: ToolTurnCommand): void {
    switch (command.kind) {
      case 'run':
        current?.grant(command.command)
        return
      case 'skip':
        if (current?.turnId === command.turnId) current.skip(command.dlineTid, command.reason)
        return
      case 'halt':
        stops.execute(command.order)
        return
      case 'rearm':
        rearmDomain(domain, command.haltId)
        return
      case 'turn.done':
        if (current?.turnId === command.turnId) current.done()
        return
      default:
        command satisfies never
    }
  }

  /** The admission is the block; the domain finds it by its id when the body starts. */
  function handOver(turn: TurnRun, slot: Slot, command: Parameters<typeof domain.handle>[0]): void {
    const { prepared } = slot
    if (prepared === undefined) return
    const { execution } = prepared
    const block: AdmittedBlock<ToolResult> = {
      turnId: turn.turnId,
      callId: execution.callId,
      async run(context) {
        const unwatch = progress.watch(execution, context)
        try {
          slot.dispatched = await staged.dispatch(prepared, dispatchOptionsOf(nesting, { domain, context, execution, root: context }))
          return slot.dispatched.result
        } finally {
          unwatch()
        }
      },
    }
    try {
      admissions.put(slot.dlineTid, block)
    } catch (error) {
      // A turn id that was used before: nothing of it runs twice.
      turn.refuse(slot, codeOf(error) ?? 'ADMISSION_CONSUMED')
      return
    }
    domain.handle(command)
  }

  // ---- a turn

  async function runTurn(begin: Begin): Promise<TurnOutcome> {
    const { turnId, mode, signal } = begin
    const { post } = await open()
    if (begin.stopped === undefined) await domainReady(domain, () => kernel?.idle())
    const slots = begin.calls.map((call, index) =>
      createSlot(call, { index, turnId, dlineTid: blockId(turnId, index), concurrency: 'exclusive' }),
    )
    const turn: TurnRun = new TurnRun({
      turnId,
      mode,
      staged,
      slots,
      surface: domain.surface,
      post,
      handOver: (slot, command) => handOver(turn, slot, command),
      onBroken: () => void endUnrecorded(turn),
    })
    const onAbort = (): void => void halt('cancel')
    current = turn
    try {
      const blocks = begin.stopped === undefined ? await describeBlocks({ runtime, staged }, slots, begin) : []
      coming.delete(begin)
      if (begin.stopped === undefined) await create(turn, { begin, blocks, post })
      else endStopped(turn, begin.stopped)
      if (signal?.aborted) onAbort()
      else signal?.addEventListener('abort', onAbort, { once: true })
      await turn.over
      return outcomeOf(turn)
    } finally {
      signal?.removeEventListener('abort', onAbort)
      current = undefined
    }
  }

  async function create(
    turn: TurnRun,
    { begin, blocks, post }: { begin: Begin; blocks: readonly TurnBlockInput[]; post: Kernel<ToolTurnState, ToolTurnEvent>['post'] },
  ): Promise<void> {
    const { turnId, mode } = begin
    if (domain.snapshot().phase === 'halted' && kernel?.state.phase !== 'stopped') domain.rearm()
    try {
      const { refused } = await post({ kind: 'turn.created', turnId, mode, limit: domain.capacity(maxParallel), blocks })
      if (refused !== undefined) endUnbegun(turn, refused.code)
    } catch {
      await endUnrecorded(turn)
    }
  }

  /** A stop came between the asking for the turn and its beginning: nothing of it begins, and the stop is not taken back for it. */
  function endStopped(turn: TurnRun, reason: HaltReason): void {
    turn.isHalted = true
    endUnbegun(turn, reason)
  }

  function outcomeOf(turn: TurnRun): TurnOutcome {
    const state = kernel?.state ?? initialToolTurnState
    const { results, turnId } = turn
    const halted = state.phase === 'stopped' || state.phase === 'stopping' || turn.isBroken || turn.isHalted
    if (halted) return { turnId, status: 'halted', results, ...(state.haltId === undefined ? {} : { haltId: state.haltId }) }
    return { turnId, status: state.concludedAt === undefined ? 'completed' : 'concluded', results }
  }

  /** The reducer would not begin it. */
  function endUnbegun(turn: TurnRun, reason: string): void {
    for (const slot of turn.slots) turn.skip(slot.dlineTid, reason)
    turn.done()
  }

  /** What cannot be recorded must not go on: the domain is stopped, and every call still gets its result (E-46). */
  async function endUnrecorded(turn: TurnRun): Promise<void> {
    if (turn.isBroken) return
    turn.isBroken = true
    const reason = 'journal_failed'
    turn.stop(reason, new Error(reason))
    await domain.haltToolDomain('terminate')
    for (const slot of turn.slots) {
      if (slot.stage === 'handed') turn.settle(slot, endAborted(staged, slot, { code: 'TOOL_ABORTED', reason }))
      else turn.skip(slot.dlineTid, reason)
    }
    turn.done()
  }

  // ---- stopping

  function halt(reason: HaltReason, limits: { budgetMs?: number } = {}): Promise<HaltReport> {
    const order: HaltOrder = { haltId: stops.mint(), reason }
    for (const begin of coming) begin.stopped ??= reason
    const posted = kernel === undefined ? undefined : kernel.post({ kind: 'stop.requested', order })
    return stops.request(order, { posted, ...limits })
  }

  function enqueue(begin: Begin): Promise<TurnOutcome> {
    coming.add(begin)
    const turn = last.then(() => runTurn(begin)).finally(() => coming.delete(begin))
    last = turn.catch(() => {})
    return turn
  }

  return {
    async execute({ turnId, calls, mode = usualMode, signal }: TurnRequest) {
      checkCalls(turnId, calls)
      return enqueue({ turnId, calls, mode, signal, known: () => undefined })
    },
    async resume({ recovery, calls, run = [] }: ResumeRequest) {
      const { turnId = '', mode = usualMode, blocks } = recovery.state
      checkCalls(turnId, calls)
      const again = new Map(recovery.rerunnable.map(({ dlineTid, commandId }) => [dlineTid, Number(commandId.slice(dlineTid.length + 1))]))
      const fresh = new Set(blocks.filter((block) => block.state === 'waiting' || block.state === 'asking').map((block) => block.dlineTid))
      const known = (index: number): KnownBlock | undefined => {
        const dlineTid = blockId(turnId, index)
        const attempt = again.get(dlineTid)
        if (run.includes(dlineTid) && (attempt !== undefined || fresh.has(dlineTid))) return attempt === undefined ? {} : { attempt }
        const result = recovery.results[index]?.result
        return result === undefined ? undefined : { result }
      }
      return enqueue({ turnId, calls, mode, signal: undefined, known })
    },
    halt,
    get state() {
      return kernel?.state ?? initialToolTurnState
    },
    async close() {
      await last
      subscription()
      progress.close()
      await kernel?.close()
    },
  }
}
