/**
 * What a filter lets through, the same in every store.
 */
import type { ApprovalFilter, ApprovalRecord, Grant, GrantFilter } from '../definition/record.ts'

export function matchesFilter(record: ApprovalRecord, filter: ApprovalFilter = {}): boolean {
  const { ids, state, session, agent, tool } = filter
  return (
    (ids === undefined || ids.includes(record.id)) &&
    (state === undefined || (typeof state === 'string' ? state === record.state : state.includes(record.state))) &&
    (session === undefined || session === record.call.session) &&
    (agent === undefined || agent === record.call.agent) &&
    (tool === undefined || tool === record.tool.name)
  )
}

export function matchesGrantFilter(grant: Grant, now: number, filter: GrantFilter = {}): boolean {
  return (
    (filter.agent === undefined || filter.agent === grant.agent) &&
    (filter.scope === undefined || filter.scope === grant.scope) &&
    (filter.active === undefined || filter.active === isActive(grant, now))
  )
}

export function isActive(grant: Grant, now: number): boolean {
  return grant.revokedAt === undefined && (grant.expiresAt === undefined || now < Date.parse(grant.expiresAt))
}

/** In order of creation; the id settles what was created in the same millisecond. */
export function byCreation(a: { createdAt: string; id: string }, b: { createdAt: string; id: string }): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  return a.id < b.id ? -1 : 1
}
