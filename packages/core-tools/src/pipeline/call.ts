/**
 * One call on its way through the pipeline: a single record that gains facts from stage to stage. Internal; what the
 * outside sees are the frozen execution, the result and the record made of it.
 */
import {
  EXECUTION_TOKEN,
  type AgentId,
  type CallerKind,
  type TokenFacts,
  type ToolExecution,
  type ToolExecutionToken,
} from '../contracts/execution.ts'
import type { JsonValue } from '../contracts/json.ts'
import type { ToolCallRecord, TrailEntry } from '../contracts/result.ts'
import type { CallView } from '../contracts/call-view.ts'
import type { DispatchOptions } from '../contracts/staged.ts'
import type { RegisteredTool } from '../registry/registry.ts'
import { Cancellable } from './cancellation.ts'
import type { CallLane, Layer, PipelineParts } from './parts.ts'

export interface CallFacts {
  readonly callId: string
  readonly rootCallId: string
  readonly name: string
  readonly agent: AgentId | undefined
  readonly caller: CallerKind
  readonly parent: ToolExecutionToken | undefined
  readonly turnId: string | undefined
  readonly signal: AbortSignal | undefined
}

export interface PolicyState {
  readonly kind: 'allow' | 'ask' | 'deny'
  readonly by: string
  readonly reason?: string
  readonly code?: string
}

/** Nobody has spoken. Told by identity: a tap may be called `default` as well. */
export const DEFAULT_DECISION: PolicyState = Object.freeze({ kind: 'allow', by: 'default' })

export class Call extends Cancellable {
  readonly parts: PipelineParts
  readonly facts: CallFacts
  readonly depth: number
  /** Made after its parent settled: it is answered, but is no call, and nobody is told of it (P-70, P-84). */
  readonly orphan: boolean
  readonly layers: readonly Layer[]
  readonly tool: RegisteredTool | undefined
  readonly startedMono: number = performance.now()
  /** The JSON in force, and the typed input made of it. */
  arguments: JsonValue = null
  input: unknown
  #token: ToolExecutionToken | undefined
  #execution: ToolExecution | undefined
  originalArguments: JsonValue = null

  decision: PolicyState = DEFAULT_DECISION
  askers: { tap: string; by: string; reason?: string }[] = []
  policyRan = false
  approval: ToolCallRecord['approval']
  trail: TrailEntry[] | undefined
  bodyStarted = false
  attempts = 0
  detached = false
  settled = false
  /** Dispatch was given up by its owner: what it still brings is ignored. */
  givenUp = false
  /** On its last way: nothing else may settle it. */
  concluding = false
  /** Neighbours in the list of running calls. */
  newer: Call | undefined
  older: Call | undefined
  /** Between two stages, in the hands of whoever uses the staged view. */
  idle = false
  surfaceKind: 'user_facing' | 'denied' | undefined
  /** The lane of nested calls and how many were made; one per call, over all attempts. */
  nested: { lane: CallLane; count: number } | undefined
  dispatchOptions: DispatchOptions = NO_OPTIONS

  constructor(parts: PipelineParts, facts: CallFacts) {
    super(undefined, facts.signal)
    this.parts = parts
    this.facts = facts
    this.depth = facts.parent === undefined ? 0 : facts.parent[EXECUTION_TOKEN].depth + 1
    this.orphan = facts.parent !== undefined && facts.parent[EXECUTION_TOKEN].settled
    this.layers = parts.registry.chain(facts.agent)
    this.tool = parts.registry.resolve(facts.name, facts.agent)
  }

  get token(): ToolExecutionToken {
    return (this.#token ??= new CallToken(this))
  }

  /** The frozen face of what is in force; made for the first who looks. */
  get execution(): ToolExecution {
    return (this.#execution ??= new CallExecution(this))
  }

  /** A new execution of the same token; earlier ones stay as they were. */
  setArguments(args: JsonValue, input: unknown): void {
    this.arguments = args
    this.input = input
    this.#execution = undefined
  }

  note(entry: TrailEntry): void {
    this.trail ??= []
    this.trail.push(Object.freeze(entry))
  }
}

const NO_OPTIONS: DispatchOptions = Object.freeze({})

/** Token and its facts in one; opaque to callers, read by nested calls. */
class CallToken implements TokenFacts, ToolExecutionToken {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
    Object.freeze(this)
  }

  get [EXECUTION_TOKEN](): TokenFacts {
    return this
  }
  get callId(): string {
    return this.#call.facts.callId
  }
  get rootCallId(): string {
    return this.#call.facts.rootCallId
  }
  get name(): string {
    return this.#call.facts.name
  }
  get agent(): AgentId {
    return this.#call.facts.agent as AgentId
  }
  get turnId(): string {
    return this.#call.facts.turnId as string
  }
  get depth(): number {
    return this.#call.depth
  }
  get parent(): ToolExecutionToken {
    return this.#call.facts.parent as ToolExecutionToken
  }
  get settled(): boolean {
    return this.#call.settled
  }
  get signal(): AbortSignal {
    return this.#call.cancellation.signal
  }
}

/** The frozen face of a call. `signal` is made when first read. */
class CallExecution implements ToolExecution {
  readonly #call: Call
  #view: Promise<CallView> | undefined
  #preview: Promise<CallView> | undefined
  readonly token: ToolExecutionToken
  readonly callId: string
  readonly rootCallId: string
  readonly name: string
  readonly arguments: JsonValue
  readonly input: unknown
  readonly caller: CallerKind
  declare readonly agent?: AgentId
  declare readonly parent?: ToolExecutionToken
  declare readonly turnId?: string

  constructor(call: Call) {
    const { facts } = call
    this.#call = call
    this.token = call.token
    this.callId = facts.callId
    this.rootCallId = facts.rootCallId
    this.name = facts.name
    this.arguments = call.arguments
    this.input = call.input
    this.caller = facts.caller
    if (facts.agent !== undefined) this.agent = facts.agent
    if (facts.parent !== undefined) this.parent = facts.parent
    if (facts.turnId !== undefined) this.turnId = facts.turnId
    Object.freeze(this)
  }

  get signal(): AbortSignal {
    return this.#call.cancellation.signal
  }

  static callOf(execution: ToolExecution): Call | undefined {
    return #call in execution ? execution.#call : undefined
  }

  /** The view made once per execution; `make` runs for the first who asks. */
  static sharedView(execution: ToolExecution, { preview, make }: { preview: boolean; make(): Promise<CallView> }): Promise<CallView> {
    if (!(#call in execution)) return make()
    if (execution.#preview !== undefined) return execution.#preview
    if (preview) return (execution.#preview = make())
    return (execution.#view ??= make())
  }
}

export const callOf: (execution: ToolExecution) => Call | undefined = CallExecution.callOf
export const sharedView: (execution: ToolExecution, options: { preview: boolean; make(): Promise<CallView> }) => Promise<CallView> =
  CallExecution.sharedView
