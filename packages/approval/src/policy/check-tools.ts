/**
 * Tools that rules name must be there once the registry is complete, so that a misspelt name does not silently guard nothing.
 */
import type { PolicyProblem } from '../definition/policy-errors.ts'
import type { Assembly } from './assemble.ts'
import { toProblem } from './assemble.ts'
import { nearest } from './nearest.ts'
import type { CompiledRule } from './rule.ts'
import { STANDARD_TOOLS, TOOL_FAMILIES } from './tool-pattern.ts'

export function unknownTools(assembly: Assembly, registered: readonly string[]): PolicyProblem[] {
  const known = [...new Set([...registered, ...STANDARD_TOOLS, ...assembly.later])]
  const valid = [...known, ...Object.keys(TOOL_FAMILIES)]
  return assembly.layers.flatMap((layer) =>
    [...layer.rules, ...layer.inert.map(({ rule }) => rule)].flatMap((rule) => {
      if (isKnown(rule, known)) return []
      const suggestion = nearest(rule.toolName, valid)
      const pointer = rule.pointer.startsWith('/rules/') ? `${rule.pointer}/tool` : rule.pointer
      const message = `no tool is named ${JSON.stringify(rule.toolName)}; name it in "later" if it is registered later`
      return [
        toProblem(
          { code: 'POLICY_UNKNOWN_TOOL', pointer, message, ...(suggestion === undefined ? {} : { suggestion }) },
          layer.label,
          layer.places,
        ),
      ]
    }),
  )
}

/** Globs may wait for tools to come; names may not. */
function isKnown(rule: CompiledRule, known: readonly string[]): boolean {
  const { tool } = rule
  switch (tool.kind) {
    case 'any':
    case 'glob':
    case 'family':
      return true
    case 'name':
      return known.includes(tool.name)
    case 'server':
      return known.some((name) => name === rule.toolName || name.startsWith(`${rule.toolName}__`))
    default:
      return tool satisfies never
  }
}
