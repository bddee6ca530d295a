/**
 * Claude permissions as a policy (A-47), rule by rule. What has no exact counterpart is an error, never a guess: a rule that means a little
 * less than it did is a hole nobody sees.
 */
import type { PolicyFile, PolicyVerb } from '../definition/policy-file.ts'
import { POLICY_VERBS } from '../definition/policy-file.ts'
import { parseCommandPattern } from './command-pattern.ts'

export interface ImportNote {
  /** JSON Pointer into the imported file. */
  pointer: string
  from: string
  /** The rule made of it; absent for an error. */
  to?: string
  outcome: 'kept' | 'translated' | 'error'
  message?: string
}

export interface ImportReport {
  /** False where one note is an error: the policy lacks what it names. */
  ok: boolean
  policy: PolicyFile
  notes: ImportNote[]
}

/** `Bash`, `Read` and `Edit` are families here as there. */
const TOOL_NAMES = new Map([
  ['Bash', 'Bash'],
  ['Read', 'Read'],
  ['Edit', 'Edit'],
  ['Write', 'write'],
  ['MultiEdit', 'edit'],
  ['Glob', 'glob'],
  ['Grep', 'grep'],
  ['LS', 'list'],
  ['BashOutput', 'bash_output'],
  ['KillShell', 'bash_kill'],
  ['KillBash', 'bash_kill'],
])

const PATH_TOOLS = new Set(['Read', 'Edit', 'Write', 'MultiEdit', 'Glob', 'Grep', 'LS'])

/** `settings` is the parsed content of a Claude settings file. */
export function importClaude(settings: unknown): ImportReport {
  const notes: ImportNote[] = []
  const policy: PolicyFile = { version: 1 }
  const error = (pointer: string, from: unknown, message: string): void => {
    notes.push({ pointer, from: typeof from === 'string' ? from : (JSON.stringify(from) ?? String(from)), outcome: 'error', message })
  }
  const permissions = isRecord(settings) ? settings['permissions'] : undefined
  if (!isRecord(permissions)) {
    error('/permissions', permissions ?? null, 'there are no permissions in this file')
    return { ok: false, policy, notes }
  }
  for (const [key, value] of Object.entries(permissions)) {
    const pointer = `/permissions/${key}`
    if (!isVerb(key)) error(pointer, value, 'this key has no counterpart in a policy file')
    else if (!Array.isArray(value)) error(pointer, value, 'a list of rules is expected here')
    else policy[key] = importList(value, { pointer, notes })
  }
  return { ok: notes.every((note) => note.outcome !== 'error'), policy, notes }
}

function importList(rules: readonly unknown[], { pointer, notes }: { pointer: string; notes: ImportNote[] }): string[] {
  const kept: string[] = []
  for (const [index, rule] of rules.entries()) {
    const at = `${pointer}/${index}`
    const from = typeof rule === 'string' ? rule : JSON.stringify(rule)
    const made: Made = typeof rule === 'string' ? importRule(rule) : { problem: 'a rule is a text' }
    if ('problem' in made) {
      notes.push({ pointer: at, from, outcome: 'error', message: made.problem })
    } else {
      notes.push({ pointer: at, from, to: made.rule, outcome: made.rule === rule ? 'kept' : 'translated' })
      // Two rules that differed there may be one here; a policy file refuses repetitions.
      if (!kept.includes(made.rule)) kept.push(made.rule)
    }
  }
  return kept
}

type Made = { rule: string } | { problem: string }

function importRule(rule: string): Made {
  const open = rule.indexOf('(')
  const name = (open < 0 ? rule : rule.slice(0, open)).trim()
  const spec = open < 0 ? undefined : rule.endsWith(')') ? rule.slice(open + 1, -1).trim() : null
  if (spec === null) return { problem: 'the closing parenthesis is missing' }
  if (/^mcp__[A-Za-z0-9_*-]+$/.test(name))
    return spec === undefined ? { rule: name } : { problem: 'rules of imported tools take no specifier there' }
  const tool = TOOL_NAMES.get(name)
  if (tool === undefined) return { problem: `the tool ${JSON.stringify(name)} has no counterpart here` }
  if (spec === undefined || (name === 'Bash' && spec === '*')) return { rule: tool }
  if (spec === '') return { problem: 'the parentheses are empty' }
  if (name === 'Bash') return importCommand(tool, spec)
  return PATH_TOOLS.has(name) ? importPath(tool, spec) : { problem: `a specifier of ${name} has no counterpart here` }
}

/** There `*` stands for any text of the whole command, here for characters of one word: only a last ` *` or `:*` means the same. */
function importCommand(tool: string, spec: string): Made {
  const prefix = spec.replace(/(:\*| \*)$/, '')
  if (prefix.includes('*')) return { problem: 'a wildcard there may span several words; here it stands for characters of one word' }
  const parsed = parseCommandPattern(prefix)
  if (!parsed.ok) return { problem: parsed.problem }
  return { rule: `${tool}(${prefix === spec ? spec : `${prefix} *`})` }
}

/** `//x` is absolute there, `/x` below the settings' project. */
function importPath(tool: string, spec: string): Made {
  if (spec.startsWith('!')) return { problem: 'a negated pattern has no counterpart here' }
  if (/[[\]{}?\\]/.test(spec)) return { problem: 'only * and ** are wildcards here' }
  if (spec.startsWith('//')) return { rule: `${tool}(${spec.slice(1)})` }
  if (spec.startsWith('/')) return { rule: `${tool}(.${spec})` }
  return { rule: `${tool}(${spec})` }
}

function isVerb(key: string): key is PolicyVerb {
  return (POLICY_VERBS as readonly string[]).includes(key)
}

function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
