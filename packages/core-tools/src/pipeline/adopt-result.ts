/**
 * A result that a wrapper made itself: a success is validated and rendered anew, its content ignored; an error is rebuilt
 * from known fields. What is no result is no answer.
 */
import type { ContentBlock } from '../contracts/content.ts'
import type { JsonValue } from '../contracts/json.ts'
import type { ToolResult } from '../contracts/result.ts'
import { snapshotJson } from '../json/snapshot.ts'
import type { Call } from './call.ts'
import { readContent, readContexts } from './content.ts'
import { mintSuccess, type Extras } from './output.ts'
import { Malformed, readGuarded } from './read-fields.ts'
import { renderUnknownTool } from './render-errors.ts'
import { failure } from './results.ts'

export type Adopted = { kind: 'adopted'; result: ToolResult } | { kind: 'refused'; problem: string }

interface ForeignError {
  readonly code: string
  readonly message: string
  readonly details: JsonValue | undefined
  readonly content: ContentBlock[] | undefined
  readonly contexts: ContentBlock[][] | undefined
}

export async function adoptResult(call: Call, raw: unknown): Promise<Adopted> {
  const read = readGuarded(() => readResult(raw))
  if (!read.ok) return { kind: 'refused', problem: read.message }
  const foreign = read.value
  if (foreign.kind === 'error') {
    const { code, message, details, content, contexts } = foreign.error
    const options = { ...(details === undefined ? {} : { details }), ...(content === undefined ? {} : { content }) }
    const rebuilt = failure(code, message, options)
    const hasContexts = contexts !== undefined && contexts.length > 0
    return { kind: 'adopted', result: hasContexts ? Object.freeze({ ...rebuilt, additionalContexts: contexts }) : rebuilt }
  }
  if (call.tool === undefined) return { kind: 'adopted', result: failure('UNKNOWN_TOOL', renderUnknownTool(call.facts.name, [])) }
  return { kind: 'adopted', result: await mintSuccess(call, { raw: foreign.value, extras: foreign.extras }) }
}

type Foreign = { kind: 'success'; value: unknown; extras: Extras } | { kind: 'error'; error: ForeignError }

function readResult(raw: unknown): Foreign {
  if (typeof raw !== 'object' || raw === null) throw new Malformed('did not resolve to a result')
  const given = raw as Record<string, unknown>
  const { isError } = given
  if (isError === true) return { kind: 'error', error: readError(given) }
  if (isError !== false || !('value' in given)) throw new Malformed('did not resolve to a result (isError with value or error)')
  const contexts = readAdded(given['additionalContexts'])
  const extras: Extras = {
    ...(contexts === undefined ? {} : { additionalContexts: contexts }),
    ...(given['concludesTurn'] === true ? { concludesTurn: true as const } : {}),
  }
  return { kind: 'success', value: given['value'], extras }
}

function readAdded(raw: unknown): ContentBlock[][] | undefined {
  if (raw === undefined) return undefined
  const read = readContexts(raw)
  if (!read.ok) throw new Malformed('resolved to a result whose additionalContexts are no content')
  return read.contexts
}

function readError(given: Record<string, unknown>): ForeignError {
  const error = given['error']
  if (typeof error !== 'object' || error === null) throw new Malformed('resolved to an error result without an error')
  const { code, message, details } = error as Record<string, unknown>
  if (typeof code !== 'string' || code === '' || typeof message !== 'string')
    throw new Malformed('resolved to an error without code and message')
  const snapshot = details === undefined ? undefined : snapshotJson(details)
  const content = readContent(given['content'])
  return {
    code,
    message,
    details: snapshot?.ok === true ? snapshot.value : undefined,
    content: content.ok ? content.content : undefined,
    contexts: readAdded(given['additionalContexts']),
  }
}
