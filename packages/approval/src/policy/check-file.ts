/**
 * Whether a value is a policy file. Every fault is reported, with its JSON Pointer and the nearest valid name; nothing is corrected.
 */
import type { PolicyFault } from '../definition/policy-errors.ts'
import { type LayerName, POLICY_PRESETS, POLICY_VERBS, type PolicyFile } from '../definition/policy-file.ts'
import { GRANT_SCOPES } from '../definition/record.ts'
import { isPointer } from './conditions.ts'
import { nearest } from './nearest.ts'

const FILE_KEYS = ['$schema', 'version', 'preset', 'allow', 'ask', 'deny', 'rules', 'tests', 'askExpiresMs', 'later', 'projectTrust']
const RULE_KEYS = [
  'id',
  'tool',
  'command',
  'path',
  'domain',
  'args',
  'annotations',
  'caller',
  'decision',
  'reason',
  'remember',
  'expires',
  'examples',
  'grantedBy',
  'grantedAt',
]
const HINT_KEYS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
const CALL_KEYS = ['tool', 'arguments', 'agent', 'caller', 'view']
const CALLER_KINDS = ['agent', 'subagent', 'program', 'mcp']

/** Collects faults; each check says whether the value may be used. */
class Checker {
  readonly faults: PolicyFault[] = []

  fault(pointer: string, message: string, options: { code?: PolicyFault['code']; suggestion?: string | undefined } = {}): false {
    const { code = 'POLICY_SYNTAX', suggestion } = options
    this.faults.push(suggestion === undefined ? { code, pointer, message } : { code, pointer, message, suggestion })
    return false
  }

  object(value: unknown, pointer: string): value is { [key: string]: unknown } {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return true
    return this.fault(pointer, 'an object is expected here')
  }

  keys(value: { [key: string]: unknown }, pointer: string, valid: readonly string[]): void {
    for (const key of Object.keys(value)) {
      if (valid.includes(key)) continue
      this.fault(`${pointer}/${escape(key)}`, `${JSON.stringify(key)} is no key here`, {
        code: 'POLICY_UNKNOWN_KEY',
        suggestion: nearest(key, valid),
      })
    }
  }

  text(value: unknown, pointer: string): value is string {
    return (typeof value === 'string' && value !== '') || this.fault(pointer, 'a text is expected here')
  }

  oneOf(value: unknown, pointer: string, valid: readonly string[]): boolean {
    if (typeof value === 'string' && valid.includes(value)) return true
    return this.fault(pointer, `${JSON.stringify(value)} is none of ${valid.join(', ')}`, {
      suggestion: typeof value === 'string' ? nearest(value, valid) : undefined,
    })
  }

  date(value: unknown, pointer: string): void {
    if (!this.text(value, pointer)) return
    if (!/^\d{4}-\d{2}-\d{2}/.test(value) || Number.isNaN(Date.parse(value)))
      this.fault(pointer, `${JSON.stringify(value)} is no date and time of ISO 8601`)
  }

  list(value: unknown, pointer: string, check: (item: unknown, pointer: string) => void): void {
    if (!Array.isArray(value)) this.fault(pointer, 'a list is expected here')
    else for (const [index, item] of value.entries()) check(item, `${pointer}/${index}`)
  }
}

export type CheckedFile = { ok: true; file: PolicyFile } | { ok: false; faults: PolicyFault[] }

export function checkFile(value: unknown, layer: LayerName): CheckedFile {
  const checker = new Checker()
  if (!checker.object(value, '')) return { ok: false, faults: checker.faults }
  const trustIsSaid = layer === 'managed' || layer === 'user'
  checker.keys(value, '', trustIsSaid ? FILE_KEYS : FILE_KEYS.filter((key) => key !== 'projectTrust'))
  checkVersion(value, checker)
  if ('$schema' in value) checker.text(value['$schema'], '/$schema')
  if ('preset' in value) checker.oneOf(value['preset'], '/preset', POLICY_PRESETS)
  for (const verb of POLICY_VERBS) {
    if (verb in value) checker.list(value[verb], `/${verb}`, (item, pointer) => checker.text(item, pointer))
  }
  if ('later' in value) checker.list(value['later'], '/later', (item, pointer) => checker.text(item, pointer))
  if ('askExpiresMs' in value) checkDuration(value['askExpiresMs'], checker)
  if (trustIsSaid && 'projectTrust' in value) checker.oneOf(value['projectTrust'], '/projectTrust', ['always', 'never'])
  if ('rules' in value) checkRules(value['rules'], checker)
  if ('tests' in value) checker.list(value['tests'], '/tests', (item, pointer) => checkTest(item, pointer, checker))
  return checker.faults.length > 0 ? { ok: false, faults: checker.faults } : { ok: true, file: value as unknown as PolicyFile }
}

function checkVersion(value: { [key: string]: unknown }, checker: Checker): void {
  if (value['version'] === 1) return
  const message =
    'version' in value ? `version ${JSON.stringify(value['version'])} is not known; this is version 1` : '"version": 1 is missing'
  checker.fault('version' in value ? '/version' : '', message, { code: 'POLICY_VERSION', suggestion: '1' })
}

function checkDuration(value: unknown, checker: Checker): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    checker.fault('/askExpiresMs', 'a whole number of milliseconds, 1 or more, is expected here')
}

function checkRules(value: unknown, checker: Checker): void {
  const seen = new Map<string, string>()
  checker.list(value, '/rules', (item, pointer) => {
    if (!checker.object(item, pointer)) return
    checker.keys(item, pointer, RULE_KEYS)
    for (const key of ['id', 'tool', 'decision']) if (!(key in item)) checker.fault(pointer, `${JSON.stringify(key)} is missing`)
    for (const key of ['id', 'tool', 'command', 'path', 'domain', 'reason', 'grantedBy'])
      if (key in item) checker.text(item[key], `${pointer}/${key}`)
    if ('decision' in item) checker.oneOf(item['decision'], `${pointer}/decision`, POLICY_VERBS)
    if ('remember' in item) checker.oneOf(item['remember'], `${pointer}/remember`, [...GRANT_SCOPES, 'none'])
    for (const key of ['expires', 'grantedAt']) if (key in item) checker.date(item[key], `${pointer}/${key}`)
    checkConditions(item, pointer, checker)
    const { id } = item
    if (typeof id !== 'string') return
    const first = seen.get(id)
    if (first === undefined) seen.set(id, pointer)
    else checker.fault(`${pointer}/id`, `the id ${JSON.stringify(id)} is taken by ${first}`, { code: 'POLICY_DUPLICATE_ID' })
  })
}

function checkConditions(rule: { [key: string]: unknown }, pointer: string, checker: Checker): void {
  if ('args' in rule && checker.object(rule['args'], `${pointer}/args`)) {
    for (const key of Object.keys(rule['args'])) {
      if (!isPointer(key))
        checker.fault(`${pointer}/args/${escape(key)}`, `${JSON.stringify(key)} is no JSON Pointer`, {
          code: 'POLICY_BAD_PATTERN',
          suggestion: `/${key}`,
        })
    }
  }
  if ('annotations' in rule && checker.object(rule['annotations'], `${pointer}/annotations`)) {
    checker.keys(rule['annotations'], `${pointer}/annotations`, HINT_KEYS)
    for (const [key, hint] of Object.entries(rule['annotations']))
      if (typeof hint !== 'boolean') checker.fault(`${pointer}/annotations/${escape(key)}`, 'true or false is expected here')
  }
  if ('caller' in rule && checker.object(rule['caller'], `${pointer}/caller`)) {
    const { caller } = rule
    checker.keys(caller, `${pointer}/caller`, ['kind', 'agent', 'inherit'])
    if ('kind' in caller) checker.oneOf(caller['kind'], `${pointer}/caller/kind`, CALLER_KINDS)
    if ('agent' in caller) checker.text(caller['agent'], `${pointer}/caller/agent`)
    if ('inherit' in caller && typeof caller['inherit'] !== 'boolean')
      checker.fault(`${pointer}/caller/inherit`, 'true or false is expected here')
  }
  if ('examples' in rule && checker.object(rule['examples'], `${pointer}/examples`)) {
    const { examples } = rule
    checker.keys(examples, `${pointer}/examples`, ['match', 'notMatch'])
    for (const key of ['match', 'notMatch']) {
      if (key in examples) checker.list(examples[key], `${pointer}/examples/${key}`, (item, at) => checkExample(item, at, checker))
    }
  }
}

function checkExample(value: unknown, pointer: string, checker: Checker): void {
  if (typeof value !== 'string') checkCall(value, pointer, checker)
}

function checkTest(value: unknown, pointer: string, checker: Checker): void {
  if (!checker.object(value, pointer)) return
  checker.keys(value, pointer, ['call', 'decision'])
  for (const key of ['call', 'decision']) if (!(key in value)) checker.fault(pointer, `${JSON.stringify(key)} is missing`)
  if ('call' in value) checkCall(value['call'], `${pointer}/call`, checker)
  if ('decision' in value) checker.oneOf(value['decision'], `${pointer}/decision`, POLICY_VERBS)
}

function checkCall(value: unknown, pointer: string, checker: Checker): void {
  if (!checker.object(value, pointer)) return
  checker.keys(value, pointer, CALL_KEYS)
  if (!('tool' in value)) checker.fault(pointer, '"tool" is missing')
  else checker.text(value['tool'], `${pointer}/tool`)
  if ('agent' in value) checker.text(value['agent'], `${pointer}/agent`)
  if ('caller' in value) checker.oneOf(value['caller'], `${pointer}/caller`, CALLER_KINDS)
  if ('view' in value) checkView(value['view'], `${pointer}/view`, checker)
}

function checkView(value: unknown, pointer: string, checker: Checker): void {
  if (!checker.object(value, pointer)) return
  checker.oneOf(value['kind'], `${pointer}/kind`, ['read', 'edit', 'delete', 'move', 'search', 'execute', 'fetch', 'other'])
  if (typeof value['title'] !== 'string') checker.fault(pointer, '"title" is missing')
}

/** A key as part of a JSON Pointer. */
export function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
