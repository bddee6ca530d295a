/**
 * The string form of a rule: `NAME` or `NAME(SPEC)`.
 */
import { parseToolPattern, type ToolPattern } from './tool-pattern.ts'

export type ParsedText =
  | { ok: true; name: string; tool: ToolPattern; spec?: string }
  | { ok: false; problem: string; /** The part that a better name could be suggested for. */ name?: string }

export function parseRuleText(text: string): ParsedText {
  const open = text.indexOf('(')
  const name = open < 0 ? text : text.slice(0, open)
  const problem = textProblem(text)
  if (problem !== undefined) return { ok: false, problem }
  const tool = parseToolPattern(name)
  if (tool === undefined) return { ok: false, problem: `${JSON.stringify(name)} is no tool name, glob of one, mcp__server or family`, name }
  if (open < 0) return { ok: true, name, tool }
  if (!text.endsWith(')')) return { ok: false, problem: 'the closing parenthesis is missing, or something follows it' }
  const spec = text.slice(open + 1, -1)
  if (spec.trim() === '') return { ok: false, problem: `the parentheses are empty; without a SPEC write ${JSON.stringify(name)}` }
  return { ok: true, name, tool, spec }
}

/** Characters that no pattern may hold: they stand for wildcards where patterns are compared, or cannot be part of any name. */
export function textProblem(text: string): string | undefined {
  if (/[\uE000\uE001]/.test(text)) return 'characters U+E000 and U+E001 cannot be part of a pattern'
  if (text.includes('\0')) return 'a NUL character cannot be part of a pattern'
  return undefined
}
