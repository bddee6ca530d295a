/**
 * What an ask is about: the call with its hashes, its scope chain, and what policy says of it now.
 */
import type { AgentId, CallView, JsonValue } from '@toolseam/core-tools'
import type { AskRequest } from '../definition/approval.ts'
import type { PolicyCall, PolicyJudgement } from '../definition/policy.ts'
import { MAX_ARGS_BYTES, type ApprovalOffer, type ApprovalTrailEntry } from '../definition/record.ts'
import type { GrantCall } from '../grants/bind.ts'
import { canonicalJson } from '../record/canonical.ts'
import { POLICY_TAP, type ApprovalParts } from './parts.ts'

export interface Subject {
  request: AskRequest
  args: JsonValue
  argsHash: string
  tooLarge: boolean
  tool: { name: string; source: string; schemaHash: string }
  /** The scope chain, root first. */
  agents: AgentId[]
  session: string
  policyCall: PolicyCall
  judgement: PolicyJudgement
  policyAsks: boolean
  othersAsk: boolean
}

export async function readSubject(parts: ApprovalParts, request: AskRequest): Promise<Subject> {
  const { execution, askers } = request
  const args = execution.arguments
  const text = canonicalJson(args)
  const agents = [...parts.runtime.view(execution.agent).agents]
  const policyCall = policyCallOf({ ...execution, tool: execution.name, args, agents, view: request.call })
  const judgement = await parts.policy.judge(policyCall)
  return {
    request,
    args,
    argsHash: parts.seal.hash(text),
    tooLarge: byteLength(text) > MAX_ARGS_BYTES,
    tool: toolFacts(parts, execution.name, execution.agent),
    agents,
    session: parts.resumed.get(execution.callId)?.record.call.session ?? parts.session,
    policyCall,
    judgement,
    policyAsks: askers.some((asker) => asker.tap === POLICY_TAP),
    othersAsk: askers.some((asker) => asker.tap !== POLICY_TAP),
  }
}

interface CallFacts {
  tool: string
  args: JsonValue
  agent?: AgentId
  agents: AgentId[]
  caller?: PolicyCall['caller']
  turnId?: string
  view: CallView
}

export function policyCallOf({ tool, args, agent, agents, caller, turnId, view }: CallFacts): PolicyCall {
  return {
    tool,
    arguments: args,
    agents,
    view,
    ...(agent === undefined ? {} : { agent }),
    ...(caller === undefined ? {} : { caller }),
    ...(turnId === undefined ? {} : { turnId }),
  }
}

/** `schemaHash`: of the input schema as presented. A tool that is not visible has the hash of no schema. */
export function toolFacts(parts: ApprovalParts, name: string, agent: AgentId | undefined): Subject['tool'] {
  const view = parts.runtime.view(agent)
  const source = view.get(name)?.source
  const schema = view.schema(name)?.input
  return {
    name,
    source: source === undefined ? 'local' : `mcp:${source.server}`,
    schemaHash: parts.seal.hash(schema === undefined ? '' : canonicalJson(schema)),
  }
}

/** Annotations count where the tool is ours or its source is trusted. */
export function mayRunAgain(parts: ApprovalParts, name: string, agent: AgentId | undefined): boolean {
  const tool = parts.runtime.view(agent).get(name)
  const trusted = tool?.source === undefined || tool.source.trusted === true
  return trusted && tool?.annotations?.idempotentHint === true
}

export function grantCallOf({ request, tool, argsHash, session, agents }: Subject): GrantCall {
  const { agent, turnId } = request.execution
  return {
    tool: tool.name,
    argsHash,
    session,
    agents,
    ...(agent === undefined ? {} : { agent }),
    ...(turnId === undefined ? {} : { turnId }),
  }
}

/**
 * What may be remembered. An ask of a tap alone may be remembered exactly, as no rule speaks for it; where a tap asked beside the
 * policy, no rule is offered. Where the policy no longer asks what it asked, nothing is.
 */
export function offerFor(
  parts: ApprovalParts,
  subject: Pick<Subject, 'policyCall' | 'judgement' | 'policyAsks' | 'othersAsk'>,
): ApprovalOffer {
  const { policyCall, judgement, policyAsks, othersAsk } = subject
  if (policyAsks && judgement.decision !== 'ask') return { scopes: ['once'], rules: [] }
  const offer: ApprovalOffer = policyAsks
    ? parts.policy.offerGrants(policyCall, judgement)
    : { scopes: ['once', 'turn', 'session', 'agent', 'project', 'user'], rules: [] }
  const scopes = offer.scopes.filter((scope) => scope !== 'turn' || policyCall.turnId !== undefined)
  return { scopes: scopes.includes('once') ? scopes : ['once', ...scopes], rules: othersAsk ? [] : [...offer.rules] }
}

/** What policy said, unit by unit, and which other taps asked. */
export function trailOf(judgement: PolicyJudgement, askers: AskRequest['askers'], at: string): ApprovalTrailEntry[] {
  const units = judgement.units.map((unit): ApprovalTrailEntry =>
    entryOf({ at, decision: unit.decision, by: unit.by, reason: unit.reason }),
  )
  const taps = askers
    .filter((asker) => asker.tap !== POLICY_TAP)
    .map((asker): ApprovalTrailEntry => ({
      ...entryOf({ at, decision: 'ask', by: asker.by, reason: asker.reason }),
      layer: `tap:${asker.tap}`,
    }))
  const whole = units.length === 0 ? [entryOf({ at, decision: judgement.decision, by: judgement.by, reason: judgement.reason })] : units
  return [...whole, ...taps]
}

function entryOf(said: {
  at: string
  decision: ApprovalTrailEntry['decision']
  by: string
  reason: string | undefined
}): ApprovalTrailEntry {
  const { at, decision, by, reason } = said
  const layer = by.includes(':') ? by.slice(0, by.indexOf(':')) : undefined
  return { at, by, decision, rule: by, ...(layer === undefined ? {} : { layer }), ...(reason === undefined ? {} : { reason }) }
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
