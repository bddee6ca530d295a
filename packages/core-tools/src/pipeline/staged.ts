/**
 * The staged view: prepare, dispatch, finalize and finish as separate steps, each value good for one use.
 */
import type { ToolExecution, ToolExecutionInput } from '../contracts/execution.ts'
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import type { ToolResult } from '../contracts/result.ts'
import type {
  Dispatched,
  DispatchOptions,
  GivenUp,
  PostResult,
  Prepared,
  PreparedDispatch,
  PrepareOptions,
  StagedRuntime,
} from '../contracts/staged.ts'
import type { ToolConcurrency } from '../contracts/tool.ts'
import type { Call } from './call.ts'
import { isAbortSignal, listenTo } from './cancellation.ts'
import { classifyInput, concurrencyOf } from './classify.ts'
import { createCall, readForRecord } from './create-call.ts'
import { dispatch as runDispatch } from './dispatch.ts'
import { conclude, prepare as runPrepare } from './execute.ts'
import { finalResult, type Outcome, type Ready } from './outcome.ts'
import type { PipelineParts } from './parts.ts'
import { aborted, freezeJson } from './results.ts'
import { settle } from './settle.ts'

type StageKind = 'dispatch' | 'post-result' | 'final-result'

/** A value between two stages. What it stands for cannot be reached from outside. */
class StageValue {
  readonly kind: StageKind
  readonly execution: ToolExecution
  declare readonly result?: ToolResult
  declare readonly concurrency?: ToolConcurrency
  readonly #step: Ready | Outcome
  #used = false

  constructor(step: Ready | Outcome) {
    this.#step = step
    step.call.idle = true
    this.kind = step.kind
    this.execution = step.call.execution
    if (step.kind === 'dispatch') this.concurrency = concurrencyOf(step.call)
    else this.result = step.result
    Object.freeze(this)
  }

  /** Takes the value; one of the wrong kind or of a call that is over is refused and stays as it is. */
  static use<Kind extends StageKind>(value: object, stage: string, kind: Kind): Extract<Ready | Outcome, { kind: Kind }> | never {
    const given = StageValue.#read(value, stage)
    if (given.kind !== kind) throw misuse(`${stage} takes a value of kind "${kind}", not "${given.kind}"`)
    if (given.#used) throw misuse('this value was used already; each value of the staged view is good for one use')
    const { call } = given.#step
    if (call.settled) throw misuse('this call has settled already')
    given.#used = true
    call.idle = false
    call.concluding = kind !== 'dispatch'
    return given.#step as Extract<Ready | Outcome, { kind: Kind }>
  }

  /** For a dispatch that was given up: used or not. */
  static giveUp(value: object): Call {
    const stage = StageValue.#read(value, 'finish')
    const { call } = stage.#step
    if (call.settled || call.concluding) throw misuse('this call has settled already, or is about to')
    stage.#used = true
    call.idle = false
    call.concluding = true
    return call
  }

  static is(value: unknown): value is StageValue {
    return typeof value === 'object' && value !== null && #step in value
  }

  static #read(value: object, wanted: string): StageValue {
    if (!StageValue.is(value)) throw misuse(`${wanted} takes a value that this runtime's staged view gave`)
    return value
  }
}

export function createStagedRuntime(parts: () => PipelineParts): StagedRuntime {
  return Object.freeze({
    classify: (input) => classifyInput(parts(), input),
    prepare: (input, options) => prepare(parts(), { input, options: options ?? {} }),
    dispatch: (prepared, options) => dispatch(prepared, options ?? {}),
    finalize: (value) => finalize(value),
    finish: (value, options) => finish(parts(), { value, options }),
  } satisfies StagedRuntime)
}

async function prepare(
  parts: PipelineParts,
  { input, options }: { input: ToolExecutionInput; options: PrepareOptions },
): Promise<Prepared> {
  return new StageValue(await runPrepare(parts, { input, options })) as Prepared
}

async function dispatch(prepared: PreparedDispatch, options: DispatchOptions): Promise<Dispatched> {
  const { signal } = options
  if (signal !== undefined && !isAbortSignal(signal)) throw misuse('dispatch: signal is not an abort signal')
  const step = StageValue.use(prepared, 'dispatch', 'dispatch')
  const { call } = step
  call.dispatchOptions = options
  const forward = signal === undefined ? undefined : forwardAbort(signal, call)
  try {
    return new StageValue(await runDispatch(step)) as Dispatched
  } finally {
    forward?.()
  }
}

/** The domain's own signal, fused into the call's for as long as the body runs. */
function forwardAbort(signal: AbortSignal, call: Call): () => void {
  const forward = (): void => call.cancellation.abort(signal.reason)
  if (!signal.aborted) return listenTo(signal, forward)
  forward()
  return () => undefined
}

async function finalize(value: PostResult): Promise<ToolResult> {
  return conclude(StageValue.use(value, 'finalize', 'post-result'))
}

async function finish(
  parts: PipelineParts,
  { value, options }: { value: Prepared | ToolExecutionInput; options: GivenUp | undefined },
): Promise<ToolResult> {
  if (!StageValue.is(value)) return finishBare(parts, { input: value as ToolExecutionInput, options })
  if (value.kind === 'dispatch') {
    if (options === undefined) throw misuse('finish of a prepared call needs { aborted: { code, reason } }')
    const result = givenUp(options)
    const call = StageValue.giveUp(value)
    call.givenUp = true
    return settle(finalResult(call, result))
  }
  return settle(StageValue.use(value, 'finish', 'final-result'))
}

function finishBare(parts: PipelineParts, { input, options }: { input: ToolExecutionInput; options: GivenUp | undefined }): ToolResult {
  if (options === undefined) throw misuse('finish of a bare call needs { aborted: { code, reason } }')
  const result = givenUp(options)
  const call = createCall(parts, input)
  readForRecord(call, input)
  return settle(finalResult(call, result))
}

function givenUp({ aborted: { code, reason } }: GivenUp): ToolResult {
  return aborted(code === 'TOOL_ABORTED', undefined, freezeJson({ reason }) as { reason: string })
}

function misuse(message: string): ToolSeamError {
  return new ToolSeamError(ErrorCode.INVALID_CALL, message)
}
