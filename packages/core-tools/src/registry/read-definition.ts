/**
 * Reading a tool's definition, once: every field is checked before anything changes, and what is kept is a frozen copy (P-2, P-4).
 */
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import type { JsonObject } from '../contracts/json.ts'
import type { ToolSchemaView } from '../contracts/registry.ts'
import type { ServiceToken } from '../contracts/services.ts'
import type { ToolAnnotations, ToolDefinition } from '../contracts/tool.ts'
import { snapshotJson } from '../json/copy.ts'
import { compileSchema, type CompiledSchema } from '../schema/compile.ts'
import { copyDefinition, type RawDefinition } from './copy-definition.ts'
import type { RegisteredTool } from './layer.ts'
import { refuse } from './refusal.ts'

export interface ServiceLookup {
  has(token: ServiceToken): boolean
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const LONGEST_TIMEOUT = 2_147_483_647
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/** Throws `INVALID_REGISTRATION` naming the field, or `SERVICE_MISSING` naming tool and service. */
export function readDefinition(definition: unknown, services: ServiceLookup): RegisteredTool {
  const raw = copyDefinition(definition)
  const name = checkName(raw.name)
  const reader = createReader(name)
  const description = reader.text('description', raw.description)
  const title = raw.title === undefined ? undefined : reader.text('title', raw.title)
  reader.functions(raw)
  reader.timeout(raw.timeoutMs)
  const annotations = readAnnotations(raw.annotations, reader)
  const source = readSource(raw.source, reader)
  const requires = readRequires(raw.requires, reader)
  const input = reader.schema('input', raw.input)
  const output = raw.output === undefined ? undefined : reader.schema('output', raw.output)
  requireServices(name, requires, services)

  raw.input = input.kept
  if (output !== undefined) raw.output = output.kept
  if (annotations !== undefined) raw.annotations = annotations
  if (source !== undefined) raw.source = source
  if (raw.requires !== undefined) raw.requires = requires
  const schemaView: ToolSchemaView = Object.freeze({
    name,
    ...(title === undefined ? {} : { title }),
    description,
    input: input.jsonSchema,
    ...(output === undefined ? {} : { output: output.jsonSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  })
  // Every field of the contract was checked above.
  const kept = Object.freeze(raw) as object as ToolDefinition
  return Object.freeze({ definition: kept, input, ...(output === undefined ? {} : { output }), schemaView })
}

function checkName(name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name
  const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : `a ${name === null ? 'null' : typeof name}`
  throw refuse('tool', `name must match ${NAME.source}; it is ${shown}`, { field: 'name' })
}

type Reader = ReturnType<typeof createReader>

function createReader(name: string) {
  const wrong = (field: string, problem: string, cause?: unknown): ToolSeamError => refuse(`tool "${name}"`, problem, { field, cause })
  return {
    wrong,
    text(field: string, value: unknown): string {
      if (typeof value === 'string' && value.trim() !== '') return value
      throw wrong(field, `${field} must be a non-empty string`)
    },
    functions(raw: RawDefinition): void {
      if (typeof raw.execute !== 'function') throw wrong('execute', 'execute must be a function')
      for (const field of ['render', 'meta', 'describeCall', 'finalizeContent'] as const) {
        if (raw[field] !== undefined && typeof raw[field] !== 'function') throw wrong(field, `${field} must be a function`)
      }
    },
    timeout(value: unknown): void {
      if (value === undefined || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LONGEST_TIMEOUT)) return
      throw wrong('timeoutMs', `timeoutMs must be a whole number of milliseconds from 1 to ${LONGEST_TIMEOUT}`)
    },
    object(field: string, value: unknown): JsonObject {
      const snapshot = snapshotJson(value)
      if (snapshot.ok && typeof snapshot.value === 'object' && snapshot.value !== null && !Array.isArray(snapshot.value))
        return snapshot.value
      throw wrong(field, `${field} must be a JSON object`)
    },
    schema(field: 'input' | 'output', value: unknown): CompiledSchema {
      if (value === undefined) throw wrong(field, `${field} is missing: give a Standard Schema or a JSON Schema`)
      try {
        return compileSchema(value, { field, direction: field })
      } catch (thrown) {
        throw wrong(field, thrown instanceof Error ? thrown.message : String(thrown), thrown)
      }
    },
  }
}

function readAnnotations(value: unknown, reader: Reader): (JsonObject & ToolAnnotations) | undefined {
  if (value === undefined) return undefined
  const annotations = reader.object('annotations', value)
  for (const hint of HINTS) {
    const given = annotations[hint]
    if (given !== undefined && typeof given !== 'boolean') throw reader.wrong('annotations', `annotations.${hint} must be true or false`)
  }
  return annotations
}

function readSource(value: unknown, reader: Reader): JsonObject | undefined {
  if (value === undefined) return undefined
  const source = reader.object('source', value)
  const { server, tool, trusted } = source
  if (typeof server !== 'string' || typeof tool !== 'string') throw reader.wrong('source', 'source must name its server and tool')
  if (trusted !== undefined && typeof trusted !== 'boolean') throw reader.wrong('source', 'source.trusted must be true or false')
  return source
}

function readRequires(value: unknown, reader: Reader): readonly ServiceToken[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw reader.wrong('requires', 'requires must be a list of service tokens')
  return Object.freeze(
    Array.from(value as readonly unknown[], (token) => {
      if (isToken(token)) return token
      throw reader.wrong('requires', 'requires must be a list of service tokens')
    }),
  )
}

function isToken(value: unknown): value is ServiceToken {
  return typeof value === 'object' && value !== null && typeof (value as { readonly id?: unknown }).id === 'string'
}

function requireServices(name: string, requires: readonly ServiceToken[], services: ServiceLookup): void {
  for (const token of requires) {
    if (services.has(token)) continue
    const hint = token.package === undefined ? '' : `; ${token.package} brings it`
    throw new ToolSeamError(ErrorCode.SERVICE_MISSING, `tool "${name}" needs the service "${token.id}", which has no provider${hint}`, {
      details: { tool: name, service: token.id, ...(token.package === undefined ? {} : { package: token.package }) },
    })
  }
}
