/**
 * One rule in force: a string of `allow`, `ask` or `deny`, or a structured rule, compiled for one layer.
 */
import type { PolicyFault } from '../definition/policy-errors.ts'
import {
  type AnnotationCondition,
  type LayerName,
  POLICY_LAYERS,
  type PolicyFile,
  type PolicyRule,
  POLICY_VERBS,
  type PolicyVerb,
  type Remember,
  type RuleExample,
} from '../definition/policy-file.ts'
import { type CommandPattern, parseCommandPattern } from './command-pattern.ts'
import { type ArgumentTest, type CallerTest, parseArgumentTest } from './conditions.ts'
import { type PathBase, type PathPattern, parsePathPattern } from './path-pattern.ts'
import { parseRuleText, textProblem } from './pattern-text.ts'
import { parseToolPattern, type ToolPattern } from './tool-pattern.ts'
import { parseWildcard, type Wildcard } from './wildcard.ts'

export interface CompiledRule {
  /** `project:deny[2]`, `user:rule:no-prod`. */
  label: string
  layer: LayerName
  /** Grows with trust: session 0 to managed 3. */
  trust: number
  verb: PolicyVerb
  /** As written, for people. */
  text: string
  pointer: string
  /** NAME as written. */
  toolName: string
  tool: ToolPattern
  /** Both from a string whose SPEC could be either: the facts of the call decide. */
  command?: CommandPattern
  path?: PathPattern
  /** True where `command` and `path` come from one SPEC: one of them holds. False: both must. */
  eitherSpec: boolean
  domain?: Wildcard
  args: readonly ArgumentTest[]
  annotations?: AnnotationCondition
  caller?: CallerTest
  reason?: string
  remember: Remember
  /** Milliseconds since the epoch; from then on inert. */
  expiresAt?: number
  examples: { match: readonly RuleExample[]; notMatch: readonly RuleExample[] }
}

export interface RuleContext extends PathBase {
  layer: LayerName
  fold(path: string): string
}

/** Rules of a layer in the order of the file: deny, ask, allow, then structured ones. Faulty ones are left out and reported. */
export function compileRules(file: PolicyFile, context: RuleContext): { rules: CompiledRule[]; faults: PolicyFault[] } {
  const rules: CompiledRule[] = []
  const faults: PolicyFault[] = []
  const take = (result: CompiledRule | PolicyFault[]): void => {
    if (Array.isArray(result)) faults.push(...result)
    else rules.push(result)
  }
  for (const verb of POLICY_VERBS.toReversed()) {
    for (const [index, text] of (file[verb] ?? []).entries()) take(compileText(text, { verb, index, context }))
  }
  for (const [index, rule] of (file.rules ?? []).entries()) take(compileStructured(rule, { index, context }))
  return { rules, faults }
}

/** Problems of the rules of a file that is not of the right shape, as far as they can be read. */
export function readableFaults(value: unknown, context: RuleContext): PolicyFault[] {
  if (typeof value !== 'object' || value === null) return []
  return POLICY_VERBS.flatMap((verb) => {
    const texts: unknown = Reflect.get(value, verb)
    if (!Array.isArray(texts)) return []
    return texts.flatMap((text: unknown, index): PolicyFault[] => {
      const compiled = typeof text === 'string' ? compileText(text, { verb, index, context }) : []
      return Array.isArray(compiled) ? compiled : []
    })
  })
}

interface TextPlace {
  verb: PolicyVerb
  index: number
  context: RuleContext
}

export function compileText(text: string, { verb, index, context }: TextPlace): CompiledRule | PolicyFault[] {
  const pointer = `/${verb}/${index}`
  const parsed = parseRuleText(text)
  if (!parsed.ok) return [badPattern(pointer, parsed.problem)]
  const rule = {
    ...blankRule(context, verb),
    label: `${context.layer}:${verb}[${index}]`,
    text,
    pointer,
    toolName: parsed.name,
    tool: parsed.tool,
  }
  if (parsed.spec === undefined) return rule
  return withSpec(rule, parsed.spec, context)
}

function withSpec(rule: CompiledRule, spec: string, context: RuleContext): CompiledRule | PolicyFault[] {
  if (spec.startsWith('domain:')) {
    const domain = parseDomain(spec.slice('domain:'.length))
    return domain === undefined ? [badPattern(rule.pointer, `${JSON.stringify(spec.slice(7))} is no host name`)] : { ...rule, domain }
  }
  const command = parseCommandPattern(spec)
  const path = parsePathPattern(spec, context)
  switch (specKind(rule.tool)) {
    case 'command':
      return command.ok ? { ...rule, command: command.pattern } : [badPattern(rule.pointer, command.problem)]
    case 'path':
      return path.ok ? { ...rule, path: path.pattern } : [badPattern(rule.pointer, path.problem)]
    case 'either': {
      if (!command.ok && !path.ok) return [badPattern(rule.pointer, path.problem)]
      return { ...rule, ...(command.ok ? { command: command.pattern } : {}), ...(path.ok ? { path: path.pattern } : {}), eitherSpec: true }
    }
    default:
      return [badPattern(rule.pointer, 'the SPEC has no meaning for this tool')]
  }
}

function specKind(tool: ToolPattern): 'command' | 'path' | 'either' {
  if (tool.kind === 'family') return tool.name === 'Bash' ? 'command' : 'path'
  if (tool.kind !== 'name') return 'either'
  if (tool.name === 'bash') return 'command'
  return ['read', 'glob', 'grep', 'list', 'write', 'edit', 'patch', 'move', 'delete'].includes(tool.name) ? 'path' : 'either'
}

function compileStructured(rule: PolicyRule, { index, context }: { index: number; context: RuleContext }): CompiledRule | PolicyFault[] {
  const pointer = `/rules/${index}`
  const faults: PolicyFault[] = []
  const tool = parseToolPattern(rule.tool)
  if (tool === undefined)
    return [badPattern(`${pointer}/tool`, `${JSON.stringify(rule.tool)} is no tool name, glob of one, mcp__server or family`)]
  const compiled: CompiledRule = {
    ...blankRule(context, rule.decision),
    label: `${context.layer}:rule:${rule.id}`,
    text: rule.id,
    pointer,
    toolName: rule.tool,
    tool,
    examples: { match: rule.examples?.match ?? [], notMatch: rule.examples?.notMatch ?? [] },
  }
  for (const key of ['command', 'path', 'domain'] as const) {
    const problem = rule[key] === undefined ? undefined : textProblem(rule[key])
    if (problem !== undefined) faults.push(badPattern(`${pointer}/${key}`, problem))
  }
  if (rule.command !== undefined) {
    const command = parseCommandPattern(rule.command)
    if (command.ok) compiled.command = command.pattern
    else faults.push(badPattern(`${pointer}/command`, command.problem))
  }
  if (rule.path !== undefined) {
    const path = parsePathPattern(rule.path, context)
    if (path.ok) compiled.path = path.pattern
    else faults.push(badPattern(`${pointer}/path`, path.problem))
  }
  if (rule.domain !== undefined) {
    const domain = parseDomain(rule.domain)
    if (domain === undefined) faults.push(badPattern(`${pointer}/domain`, `${JSON.stringify(rule.domain)} is no host name`))
    else compiled.domain = domain
  }
  if (rule.args !== undefined) compiled.args = Object.entries(rule.args).map(([at, condition]) => parseArgumentTest(at, condition))
  if (rule.annotations !== undefined) compiled.annotations = rule.annotations
  if (rule.caller !== undefined) compiled.caller = rule.caller
  if (rule.reason !== undefined) compiled.reason = rule.reason
  if (rule.remember !== undefined) compiled.remember = rule.remember
  if (rule.expires !== undefined) compiled.expiresAt = Date.parse(rule.expires)
  return faults.length > 0 ? faults : compiled
}

function blankRule(context: RuleContext, verb: PolicyVerb): CompiledRule {
  return {
    label: '',
    layer: context.layer,
    trust: trustOf(context.layer),
    verb,
    text: '',
    pointer: '',
    toolName: '',
    tool: { kind: 'any' },
    eitherSpec: false,
    args: [],
    // An answer to a managed rule is remembered for a session at most unless the rule says more.
    remember: context.layer === 'managed' ? 'session' : 'user',
    examples: { match: [], notMatch: [] },
  }
}

/** Session 0 to managed 3. */
export function trustOf(layer: LayerName): number {
  return POLICY_LAYERS.length - 1 - POLICY_LAYERS.indexOf(layer)
}

/** Host names compare without case and without a last dot; `*` stands for any characters. */
export function parseDomain(text: string): Wildcard | undefined {
  return /^[A-Za-z0-9*._:[\]-]+$/.test(text) ? parseWildcard(normalDomain(text)) : undefined
}

export function normalDomain(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

function badPattern(pointer: string, message: string): PolicyFault {
  return { code: 'POLICY_BAD_PATTERN', pointer, message }
}
