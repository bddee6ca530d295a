/**
 * The further conditions of a structured rule: arguments by JSON Pointer, annotations, caller.
 */
import type { CallerKind, JsonValue } from '@toolseam/core-tools'
import type { AnnotationCondition, ArgumentCondition, PolicyVerb } from '../definition/policy-file.ts'
import type { ToolFacts } from '../definition/policy.ts'
import { coversWildcard, matchWildcard, parseWildcard, type Wildcard } from './wildcard.ts'

export interface ArgumentTest {
  pointer: string
  path: readonly string[]
  test: { kind: 'equal'; value: JsonValue } | { kind: 'in'; values: readonly JsonValue[] } | { kind: 'glob'; glob: Wildcard }
}

export interface CallerTest {
  kind?: CallerKind
  agent?: string
  /** An allow serves the agents below `agent` too. */
  inherit?: boolean
}

export function parseArgumentTest(pointer: string, condition: ArgumentCondition): ArgumentTest {
  const path = parsePointer(pointer)
  if (isRecord(condition)) {
    const keys = Object.keys(condition)
    const { in: values, glob } = condition as { in?: JsonValue; glob?: JsonValue }
    if (keys.length === 1 && Array.isArray(values)) return { pointer, path, test: { kind: 'in', values } }
    if (keys.length === 1 && typeof glob === 'string') return { pointer, path, test: { kind: 'glob', glob: parseWildcard(glob) } }
  }
  return { pointer, path, test: { kind: 'equal', value: condition as JsonValue } }
}

export function matchArgument(condition: ArgumentTest, args: unknown): boolean {
  const found = lookUp(args, condition.path)
  if (found === undefined) return false
  const { test } = condition
  switch (test.kind) {
    case 'equal':
      return equalJson(found, test.value)
    case 'in':
      return test.values.some((value) => equalJson(found, value))
    case 'glob':
      return typeof found === 'string' && matchWildcard(test.glob, found)
    default:
      return test satisfies never
  }
}

/** Whether every value that `narrow` takes is taken by `wide`. */
export function coversArgument(wide: ArgumentTest, narrow: ArgumentTest): boolean {
  if (wide.pointer !== narrow.pointer) return false
  const { test } = narrow
  if (test.kind === 'glob') return wide.test.kind === 'glob' && coversWildcard(wide.test.glob, test.glob)
  const values = test.kind === 'equal' ? [test.value] : test.values
  return values.every((value) => takes(wide, value))
}

function takes(condition: ArgumentTest, value: JsonValue): boolean {
  return matchArgument({ ...condition, path: [] }, value)
}

/** Which annotations hold for a tool, and whether policy may believe them. */
export interface EffectiveAnnotations {
  trusted: boolean
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** Absent hints have MCP's defaults, but `openWorldHint` is false on tools registered here. Unknown tools have nothing trusted. */
export function effectiveAnnotations(facts: ToolFacts | undefined): EffectiveAnnotations {
  const given = facts?.annotations ?? {}
  const readOnlyHint = given.readOnlyHint === true
  return {
    trusted: facts !== undefined && (facts.source === undefined || facts.source.trusted === true),
    readOnlyHint,
    destructiveHint: given.destructiveHint ?? !readOnlyHint,
    idempotentHint: given.idempotentHint === true,
    openWorldHint: given.openWorldHint ?? facts?.source !== undefined,
  }
}

/** An untrusted hint may tighten, never loosen: for an allow rule it is as if nothing were known. */
export function matchAnnotations(wanted: AnnotationCondition, annotations: EffectiveAnnotations, verb: PolicyVerb): boolean {
  if (verb === 'allow' && !annotations.trusted) return false
  return annotationKeys(wanted).every((key) => wanted[key] === annotations[key])
}

export function coversAnnotations(wide: AnnotationCondition, narrow: AnnotationCondition | undefined): boolean {
  return annotationKeys(wide).every((key) => narrow?.[key] === wide[key])
}

function annotationKeys(condition: AnnotationCondition): (keyof AnnotationCondition)[] {
  const keys = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const
  return keys.filter((key) => condition[key] !== undefined)
}

export interface CallerFacts {
  caller?: CallerKind
  agent?: string
  agents: readonly string[]
}

/** Deny and ask hold for the agents below the named one too; allow for itself alone unless it says `inherit`. */
export function matchCaller(wanted: CallerTest, facts: CallerFacts, verb: PolicyVerb): boolean {
  if (wanted.kind !== undefined && wanted.kind !== facts.caller) return false
  if (wanted.agent === undefined || wanted.agent === facts.agent) return true
  return (verb !== 'allow' || wanted.inherit === true) && facts.agents.includes(wanted.agent)
}

export function coversCaller(wide: CallerTest, narrow: CallerTest | undefined): boolean {
  return (
    (wide.kind === undefined || wide.kind === narrow?.kind) &&
    (wide.agent === undefined || (wide.agent === narrow?.agent && (wide.inherit === true || narrow.inherit !== true)))
  )
}

export function isPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text))
}

export function parsePointer(pointer: string): string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function lookUp(value: unknown, path: readonly string[]): unknown {
  let current: unknown = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = Reflect.get(current, key)
  }
  return current
}

export function equalJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && equalJson(Reflect.get(one, key), Reflect.get(other, key)))
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
