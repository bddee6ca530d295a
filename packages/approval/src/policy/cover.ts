/**
 * Which rule is narrower. Coverage, not counting: K covers A if K matches all that A's text can stand for and K's further conditions
 * are among A's. Not comparable is not narrower.
 */
import { coversCommand } from './command-pattern.ts'
import { coversAnnotations, coversArgument, coversCaller } from './conditions.ts'
import { coversPath } from './path-pattern.ts'
import type { CompiledRule } from './rule.ts'
import { coversTool } from './tool-pattern.ts'
import { coversWildcard } from './wildcard.ts'

export function coversRule(wide: CompiledRule, narrow: CompiledRule): boolean {
  return coversTool(wide.tool, narrow.tool) && coversSpec(wide, narrow) && coversConditions(wide, narrow)
}

/** Covered and not covering. */
export function isStrictlyNarrower(narrow: CompiledRule, wide: CompiledRule): boolean {
  return coversRule(wide, narrow) && !coversRule(narrow, wide)
}

function coversSpec(wide: CompiledRule, narrow: CompiledRule): boolean {
  const command = (): boolean =>
    wide.command !== undefined &&
    narrow.command !== undefined &&
    coversCommand(wide.command, narrow.command, { byBaseName: wide.verb !== 'allow' })
  const path = (): boolean => wide.path !== undefined && narrow.path !== undefined && coversPath(wide.path, narrow.path)
  if (wide.domain !== undefined && (narrow.domain === undefined || !coversWildcard(wide.domain, narrow.domain))) return false
  if (wide.command === undefined && wide.path === undefined) return true
  if (!narrow.eitherSpec) {
    if (wide.eitherSpec) return command() || path()
    return (wide.command === undefined || command()) && (wide.path === undefined || path())
  }
  // A SPEC that may be a command or a path is covered only if both readings are.
  return (narrow.command === undefined || command()) && (narrow.path === undefined || path()) && wide.eitherSpec
}

function coversConditions(wide: CompiledRule, narrow: CompiledRule): boolean {
  if (!wide.args.every((condition) => narrow.args.some((other) => coversArgument(condition, other)))) return false
  if (wide.annotations !== undefined && !coversAnnotations(wide.annotations, narrow.annotations)) return false
  return wide.caller === undefined || coversCaller(wide.caller, narrow.caller)
}
