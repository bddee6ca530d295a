/**
 * What the parts of the ask service share.
 */
import type { AgentId, ToolExecutionToken, ToolRuntime } from '@toolseam/core-tools'
import type { Answerer } from '../definition/answerer.ts'
import type { ApprovalEvent, AskForwarding } from '../definition/approval.ts'
import type { RulePolicy } from '../definition/policy.ts'
import type { ApprovalRecord } from '../definition/record.ts'
import type { Seal } from '../definition/seal.ts'
import type { ApprovalStore } from '../definition/store.ts'
import type { Gatherer } from './gather.ts'
import type { ChangeHub } from './watch-hub.ts'

/** The name of the policy's tap; an ask of any other tap is somebody else's. */
export const POLICY_TAP = 'toolseam/approval'

/** This runtime as records name it. `isAlive`: whether the process that asked still runs, as far as this one can tell. */
export interface Worker {
  id: string
  host: string
  pid: number
  isAlive(requester: { host: string; pid: number }): boolean
}

/** A call that `resume` runs again: its ask belongs to the session of the process that died. */
export interface ResumedCall {
  record: ApprovalRecord
  /** Set once the call is in the pipeline. */
  token?: ToolExecutionToken
}

export interface ApprovalParts {
  runtime: ToolRuntime
  store: ApprovalStore
  policy: RulePolicy
  seal: Seal
  session: string
  worker: Worker
  asks: AskForwarding
  /** In the order in which they are asked. */
  answerers: { list: readonly Answerer[] }
  gatherer: Gatherer
  hub: ChangeHub
  claims: Claims
  /** By call id. */
  resumed: Map<string, ResumedCall>
  /** Aborts when the service is disposed. */
  closing: AbortSignal
  tell(event: ApprovalEvent): void
}

export interface Claims {
  /** The right of an execution to run, taken before its ask answered. */
  hold(token: ToolExecutionToken, claim: { id: string; fence: number }): Promise<void>
  /** Gives a claim back whose call will not run. */
  drop(id: string, fence: number, code: string): Promise<void>
  /** Every mark on its way is durable, or has failed. */
  drain(): Promise<void>
}

/** How long a claim holds without being renewed. */
export const LEASE_MS = 60_000

/** The nearest agent of the chain that `asks` names decides; without one, forward. */
export function forwardingFor(asks: AskForwarding, agents: readonly AgentId[]): 'forward' | 'refuse' {
  if (typeof asks === 'string') return asks
  for (const agent of agents.toReversed()) {
    const said = Object.hasOwn(asks, agent) ? asks[agent] : undefined
    if (said !== undefined) return said
  }
  return 'forward'
}

/** Answerers for an agent: those of the nearest ancestor that has some, then those that serve all. */
export function answerersFor(answerers: readonly Answerer[], agents: readonly AgentId[]): readonly Answerer[] {
  const nearest = agents.findLast((agent) => answerers.some((answerer) => answerer.agent === agent))
  const own = nearest === undefined ? [] : answerers.filter((answerer) => answerer.agent === nearest)
  return [...own, ...answerers.filter((answerer) => answerer.agent === undefined)]
}
