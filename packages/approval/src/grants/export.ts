/**
 * Grants as policy rules: what `approvals grants --export` writes. Loading the file gives the same decisions, for as long as the
 * grants would have lasted. Grants of a turn or a session end with it and are named as left out.
 */
import type { JsonValue } from '@toolseam/core-tools'
import type { PolicyFile, PolicyRule } from '../definition/policy-file.ts'
import type { Grant } from '../definition/record.ts'

export interface GrantExport {
  file: PolicyFile
  /** Ids of grants that cannot be written as a rule, and why. */
  left: { id: string; why: 'ends-with-session' | 'arguments-unknown' | 'inactive' | 'no-agent' }[]
}

/** `argumentsOf`: the arguments that an exact grant was given for, from the record of its ask. */
export function exportGrants(
  grants: readonly Grant[],
  options: { argumentsOf(grant: Grant): JsonValue | undefined; now?: number },
): GrantExport {
  const { argumentsOf, now = Date.now() } = options
  const rules: PolicyRule[] = []
  const left: GrantExport['left'] = []
  for (const grant of grants) {
    const rule = ruleOf(grant, argumentsOf, now)
    if (typeof rule === 'string') left.push({ id: grant.id, why: rule })
    else rules.push(rule)
  }
  return { file: { version: 1, rules }, left }
}

function ruleOf(
  grant: Grant,
  argumentsOf: (grant: Grant) => JsonValue | undefined,
  now: number,
): PolicyRule | GrantExport['left'][number]['why'] {
  if (grant.revokedAt !== undefined || (grant.expiresAt !== undefined && Date.parse(grant.expiresAt) <= now)) return 'inactive'
  if (grant.scope === 'turn' || grant.scope === 'session' || grant.scope === 'once') return 'ends-with-session'
  // Given to calls of no agent: a rule cannot say that, and without a caller it would serve every agent.
  if (grant.scope === 'agent' && grant.agent === undefined && !grant.inherit) return 'no-agent'
  const args = grant.match === 'exact' ? argumentsOf(grant) : undefined
  if (grant.match === 'exact' && args === undefined) return 'arguments-unknown'
  const rule: PolicyRule = {
    id: grant.id,
    ...(grant.match === 'exact' ? { tool: grant.tool } : partsOf(grant.match.rule)),
    decision: 'allow',
    grantedBy: grant.by.name ?? grant.by.id,
    grantedAt: grant.createdAt,
  }
  // The pointer '' is the whole of the arguments: nothing more and nothing less than what was approved.
  if (args !== undefined) rule.args = { '': { in: [args] } }
  if (grant.scope === 'agent' && grant.agent !== undefined)
    rule.caller = { agent: grant.agent, ...(grant.inherit ? { inherit: true } : {}) }
  if (grant.expiresAt !== undefined) rule.expires = grant.expiresAt
  return rule
}

/** `NAME(SPEC)` as the fields of a structured rule. */
function partsOf(rule: string): Pick<PolicyRule, 'tool' | 'command' | 'path' | 'domain'> {
  const open = rule.indexOf('(')
  if (open < 0 || !rule.endsWith(')')) return { tool: rule }
  const [tool, spec] = [rule.slice(0, open), rule.slice(open + 1, -1)]
  if (spec.startsWith('domain:')) return { tool, domain: spec.slice('domain:'.length) }
  return /^(?:bash|Bash)$/.test(tool) ? { tool, command: spec } : { tool, path: spec }
}
