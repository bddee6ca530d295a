/**
 * The words of policy: reasons that reach the model and people, and what `explain` says of a rule. Pinned by snapshots.
 */
import type { PolicyUnit } from '../definition/policy.ts'
import type { MatchOutcome } from './match.ts'

export function renderUnit(unit: PolicyUnit): string {
  switch (unit.kind) {
    case 'command':
      return unit.unparsable ? 'the command' : unit.argv.map((word) => word ?? '…').join(' ')
    case 'path':
      return unit.path
    case 'call':
      return 'the call'
    default:
      return unit satisfies never
  }
}

export function renderDeny(by: string, unit: PolicyUnit, reason: string | undefined): string {
  return `${renderUnit(unit)} is denied by ${by}${reason === undefined ? '' : `: ${reason}`}`
}

export function renderAsk(by: string, unit: PolicyUnit, reason: string | undefined): string {
  return `${renderUnit(unit)} needs approval by ${by}${reason === undefined ? '' : `: ${reason}`}`
}

const WHY: { readonly [outcome in MatchOutcome]: string } = {
  yes: 'matches',
  maybe: 'may match; the facts of the call do not tell',
  tool: 'is about other tools',
  command: 'is about other commands',
  path: 'is about other paths',
  domain: 'is about other domains',
  arguments: 'is about other arguments',
  annotations: 'is about other annotations',
  caller: 'is about other callers',
  expired: 'has expired',
  untrusted: 'is inert: the project file is not trusted',
  unknown: 'does not apply: the facts of the call are not certain',
}

export function renderWhy(outcome: MatchOutcome): string {
  return WHY[outcome]
}

export function renderLifted(by: string): string {
  return `matches; lifted by ${by}, which is narrower and as trusted`
}

export function renderPresetCell(preset: string): string {
  return `decides where no rule does (${preset})`
}

export function renderFailedExample(rule: string, wanted: 'match' | 'notMatch'): string {
  return wanted === 'match' ? `the example is not matched by ${rule}` : `the example is matched by ${rule} and should not be`
}

export function renderFailedTest(wanted: string, got: { decision: string; by: string }): string {
  return `the call should be ${wanted}; it is ${got.decision} by ${got.by}`
}
