/**
 * What a grant binds to, and how long it lasts. Pure.
 */
import type { AgentId } from '@toolseam/core-tools'
import { GRANT_SCOPES, type Grant, type GrantScope } from '../definition/record.ts'
import type { Remember } from '../definition/policy-file.ts'

/** The call that a grant is to serve. */
export interface GrantCall {
  tool: string
  argsHash: string
  session: string
  agent?: AgentId
  /** The scope chain, root first. */
  agents: readonly AgentId[]
  turnId?: string
}

/** Grants of the agent and wider end after 30 days, unless the human said otherwise; narrower ones end with what they bind. */
export const GRANT_LIFETIME_MS = 2_592_000_000

export function defaultExpiry(scope: GrantScope, now: number): string | undefined {
  return scope === 'turn' || scope === 'session' ? undefined : new Date(now + GRANT_LIFETIME_MS).toISOString()
}

/** Whether the grant is about this session, agent and turn. What it matches is another question. */
export function binds(grant: Grant, call: GrantCall): boolean {
  switch (grant.scope) {
    case 'once':
      // Bound to its record, which finds its own answer; never by look-up.
      return false
    case 'turn':
      return grant.session === call.session && grant.turnId !== undefined && grant.turnId === call.turnId && serves(grant, call)
    case 'session':
      return grant.session === call.session && serves(grant, call)
    case 'agent':
      return serves(grant, call)
    case 'project':
    case 'user':
      return true
    default:
      return grant.scope satisfies never
  }
}

/** The agent itself, or with `inherit` those below it. Calls without an agent are above all agents. */
function serves(grant: Grant, call: GrantCall): boolean {
  if (grant.agent === call.agent) return true
  return grant.inherit && (grant.agent === undefined || call.agents.includes(grant.agent))
}

/** Whether a rule that may be remembered up to `widest` is lifted by a grant of `scope`. */
export function isWithin(scope: GrantScope, widest: Remember): boolean {
  return widest !== 'none' && GRANT_SCOPES.indexOf(scope) <= GRANT_SCOPES.indexOf(widest)
}
