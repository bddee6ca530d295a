/**
 * The words of one ask: who answers, what may be answered, and the record that keeps both. Version 1 of the record is JSON and is what
 * every store holds. A leaf: types and limits only.
 */
import type { AgentId, CallerKind, CallView, JsonValue } from '@toolseam/core-tools'

/** How far an approval is remembered, narrowest first. What each binds: A-24. */
export type GrantScope = 'once' | 'turn' | 'session' | 'agent' | 'project' | 'user'

/** All scopes, narrowest first. */
export const GRANT_SCOPES: readonly GrantScope[] = ['once', 'turn', 'session', 'agent', 'project', 'user']

export type ApproverKind = 'terminal' | 'cli' | 'callback' | 'scripted' | 'mcp' | 'web'

/** Who answered. `verified`: the way of answering proves who it was; a terminal or a callback does not. */
export interface Approver {
  kind: ApproverKind
  id: string
  name?: string
  verified: boolean
}

/** What an answerer may say. `arguments` on an approval are an edit: what runs instead. Absent is no edit, `{}` is one. */
export type Decision =
  | {
      outcome: 'approve'
      /** Default 'once'. */
      scope?: GrantScope
      /** Default 'exact': this tool with these arguments. */
      match?: 'exact' | { rule: string }
      /** The grant also serves the agents below the asking one. Default false. */
      inherit?: boolean
      /** End of the grant, RFC 3339. Default: A-27. */
      expiresAt?: string
      arguments?: JsonValue
      reason?: string
    }
  | { outcome: 'reject'; reason?: string }

/** A remembered approval. Lifts asks that its scope and match cover, never a deny. */
export interface Grant {
  id: string
  scope: GrantScope
  tool: string
  match: 'exact' | { rule: string }
  /** Of the approved arguments, where `match` is exact. */
  argsHash?: string
  session?: string
  agent?: AgentId
  turnId?: string
  inherit: boolean
  by: Approver
  createdAt: string
  expiresAt?: string
  revokedAt?: string
  revokedBy?: Approver
  revokedReason?: string
  mac: string
}

export type ApprovalState =
  | 'pending'
  | 'approved'
  | 'rejected'
  | 'expired'
  | 'cancelled'
  | 'unavailable'
  | 'claimed'
  | 'consumed'
  | 'interrupted'

export const APPROVAL_STATES: readonly ApprovalState[] = [
  'pending',
  'approved',
  'rejected',
  'expired',
  'cancelled',
  'unavailable',
  'claimed',
  'consumed',
  'interrupted',
]

/** One fact of how the call came to be asked about. */
export interface ApprovalTrailEntry {
  at: string
  by: string
  layer?: string
  rule?: string
  decision: 'allow' | 'ask' | 'deny'
  reason?: string
}

export interface ApprovalCall {
  callId: string
  rootCallId: string
  turnId?: string
  session: string
  agent?: AgentId
  /** The scope chain of the agent, root first, itself last. */
  agents: AgentId[]
  /** The calls that this one is nested in, root first. */
  parents: { callId: string; tool: string }[]
  caller: CallerKind
}

/** What the human may remember: scopes, and policy strings that cover this very call. */
export interface ApprovalOffer {
  scopes: GrantScope[]
  rules: string[]
}

export interface StoredDecision {
  outcome: 'approve' | 'reject'
  by: Approver
  /** RFC 3339. */
  at: string
  reason?: string
  /** The revision that the approver saw. */
  revision?: number
  /** Edited arguments, their hash, and what policy said about them. */
  edited?: { args: JsonValue; argsHash: string; trail: ApprovalTrailEntry[] }
  grantId?: string
  /** Over id, revision, outcome, arguments hash, approver and grant. */
  mac: string
}

export interface ApprovalClaim {
  worker: string
  /** Grows by one per claim; an older one is refused. */
  fence: number
  leaseUntil: string
  dispatchedAt?: string
}

export interface ApprovalRecord {
  v: 1
  id: string
  /** Of (session, agent, callId, tool, arguments hash), and the attempt where it is not the first. */
  key: string
  revision: number
  state: ApprovalState
  call: ApprovalCall
  /** `source`: 'local' or 'mcp:NAME'. `schemaHash`: of the input schema as presented. */
  tool: { name: string; source: string; schemaHash: string }
  args: JsonValue
  argsHash: string
  view: CallView
  /** Why the call asks, as the rule or tap said it. */
  reason?: string
  /** The rule or tap that decided on asking. */
  by?: string
  batch?: string
  /** Absent for the first ask of a call; one more each time an earlier ask of the same call can no longer be used. */
  attempt?: number
  /** The ask before this one, and why it could not be used. */
  supersedes?: { id: string; why: 'stale' | 'interrupted' | 'consumed' | 'expired' | 'cancelled' | 'unavailable' }
  trail: ApprovalTrailEntry[]
  offer: ApprovalOffer
  requester: { kind: 'runtime'; id: string; host: string; pid: number }
  createdAt: string
  expiresAt: string
  decision?: StoredDecision
  claim?: ApprovalClaim
  settled?: { at: string; isError: boolean; code?: string }
}

/** A record that is not yet stored: what `request` makes revision 1 of. */
export type ApprovalDraft = Omit<ApprovalRecord, 'revision' | 'state' | 'decision' | 'claim' | 'settled'>

/** All given fields must hold; an empty filter means all. */
export interface ApprovalFilter {
  ids?: readonly string[]
  state?: ApprovalState | readonly ApprovalState[]
  session?: string
  agent?: AgentId
  tool?: string
}

/** `active`: neither revoked nor expired. */
export interface GrantFilter {
  agent?: AgentId
  scope?: GrantScope
  active?: boolean
}

/** Most bytes of canonical arguments in a record: 1 MiB. A bigger call cannot be asked about. */
export const MAX_ARGS_BYTES = 1_048_576

/** Most bytes of a call view in a record: 64 KiB. */
export const MAX_VIEW_BYTES = 65_536
