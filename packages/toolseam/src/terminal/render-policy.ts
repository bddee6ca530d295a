/** The words of `toolseam policy`. */
import type { Explanation, ImportReport, LoadedLayer, PolicyProblem, PolicyUnit } from '@toolseam/approval'
import { problemLine } from '@toolseam/approval'
import { describeDecision, inline, printable } from './render.ts'
import type { Colors } from './streams.ts'

export function renderProblems(problems: readonly PolicyProblem[]): string {
  return problems.map((problem) => `${printable(problemLine(problem))}\n`).join('')
}

export function renderLayers(layers: readonly LoadedLayer[], { preset, passed }: { preset: string; passed: number }): string {
  const lines = layers.map(({ name, file, rules, trusted, inert }) => {
    const counts = `${rules.deny} deny, ${rules.ask} ask, ${rules.allow} allow`
    const asleep = inert.length === 0 ? '' : `, ${inert.length} inert`
    return `${name.padEnd(8)}${printable(file ?? 'given')}: ${counts}${asleep}${trusted ? '' : ' (not trusted: toolseam policy trust)'}`
  })
  return [...lines, `preset  ${preset}`, `ok      ${passed} ${passed === 1 ? 'test' : 'tests'} passed`].map((line) => `${line}\n`).join('')
}

export function renderExplanation({ decision, by, reason, units, considered }: Explanation, colors: Colors): string {
  const told = describeDecision({ kind: decision, by, ...(reason === undefined ? {} : { reason }) }, colors)
  const parts = units.map((unit) => `  ${describeDecision({ kind: unit.decision, by: unit.by }, colors)}  ${describeUnit(unit.unit)}`)
  const rules = considered.map(
    ({ rule, matched, why }) => `  ${matched ? colors.bold('*') : ' '} ${printable(rule)}  ${colors.dim(printable(why))}`,
  )
  return [told, 'parts', ...parts, 'rules considered (* matches)', ...rules].map((line) => `${line}\n`).join('')
}

function describeUnit(unit: PolicyUnit): string {
  switch (unit.kind) {
    case 'command':
      return `command ${inline(unit.argv.map((word) => word ?? '<not literal>').join(' '))}`
    case 'path':
      return `${unit.access} ${inline(unit.resolved ?? `${unit.path} (cannot be resolved)`)}`
    case 'call':
      return 'the call'
    default:
      return unit satisfies never
  }
}

/** One line a rule that was translated or could not be; kept ones are counted. */
export function renderImport({ notes }: ImportReport, colors: Colors): string {
  const lines = notes.flatMap(({ pointer, from, to, outcome, message }) => {
    if (outcome === 'kept') return []
    const what = outcome === 'error' ? `${colors.red('error')}  ${printable(message ?? '')}` : `-> ${printable(to ?? '')}`
    return [`${printable(pointer)}  ${inline(from)}  ${what}`]
  })
  const kept = notes.filter(({ outcome }) => outcome === 'kept').length
  return [...lines, `${kept} kept, ${notes.length - kept} not as they were`].map((line) => `toolseam: ${line}\n`).join('')
}
