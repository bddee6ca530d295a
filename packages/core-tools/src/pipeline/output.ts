/**
 * From the value of a body to a result: snapshot, validated, frozen, then rendered from the frozen value.
 */
import type { ContentBlock } from '../contracts/content.ts'
import type { JsonIssue, JsonObject, JsonValue } from '../contracts/json.ts'
import type { ToolResult, ToolSuccess } from '../contracts/result.ts'
import { ignoreAnswer } from '../hooks/thenable.ts'
import { snapshotJson } from '../json/snapshot.ts'
import type { Validation } from '../schema/compile.ts'
import type { Call } from './call.ts'
import { readContent, textContent } from './content.ts'
import { invalidOutput, safeMessage } from './results.ts'

export interface Extras {
  readonly additionalContexts?: ContentBlock[][]
  readonly concludesTurn?: true
}

/** A frozen success or `INVALID_TOOL_OUTPUT`. Synchronous where the output schema is. */
export function mintSuccess(call: Call, { raw, extras }: { raw: unknown; extras: Extras }): ToolResult | Promise<ToolResult> {
  const tool = call.facts.name
  const snapshot = snapshotJson(raw === undefined ? null : raw)
  if (!snapshot.ok) return invalidOutput(tool, snapshot.issues)
  const { value } = snapshot
  const schema = call.tool?.output
  if (schema === undefined) return render(call, { value, extras })
  const validation = schema.validate(value)
  if (validation instanceof Promise) return validation.then((settled) => afterValidation(call, { value, validation: settled, extras }))
  return afterValidation(call, { value, validation, extras })
}

function afterValidation(
  call: Call,
  { value, validation, extras }: { value: JsonValue; validation: Validation; extras: Extras },
): ToolResult {
  if (!validation.ok) return invalidOutput(call.facts.name, validation.issues)
  if (!validation.changed) return render(call, { value, extras })
  const changed = snapshotJson(validation.value === undefined ? null : validation.value)
  if (!changed.ok) return invalidOutput(call.facts.name, changed.issues)
  return render(call, { value: changed.value, extras })
}

function render(call: Call, { value, extras }: { value: JsonValue; extras: Extras }): ToolResult {
  const content = renderContent(call, value)
  if (!content.ok) return invalidOutput(call.facts.name, content.issues)
  const meta = readMeta(call, value)
  if (!meta.ok) return invalidOutput(call.facts.name, meta.issues)
  return success(value, { content: content.content, meta: meta.meta, extras })
}

export function success(
  value: JsonValue,
  { content, meta, extras }: { content: ContentBlock[]; meta: JsonObject | undefined; extras: Extras },
): ToolSuccess {
  const result: ToolSuccess = { isError: false, value, content }
  if (meta !== undefined) result.meta = meta
  if (extras.additionalContexts !== undefined && extras.additionalContexts.length > 0) result.additionalContexts = extras.additionalContexts
  if (extras.concludesTurn === true) result.concludesTurn = true
  return Object.freeze(result)
}

type RenderedContent = { ok: true; content: ContentBlock[] } | { ok: false; issues: readonly JsonIssue[] }

function renderContent(call: Call, value: JsonValue): RenderedContent {
  const definition = call.tool?.definition
  if (definition?.render === undefined) return { ok: true, content: textContent(typeof value === 'string' ? value : JSON.stringify(value)) }
  try {
    const rendered: unknown = definition.render(value, call.input)
    ignoreAnswer(rendered)
    return readContent(rendered)
  } catch (error) {
    return { ok: false, issues: [{ path: '', message: `render threw: ${safeMessage(error) ?? 'unknown error'}` }] }
  }
}

function readMeta(call: Call, value: JsonValue): { ok: true; meta: JsonObject | undefined } | { ok: false; issues: readonly JsonIssue[] } {
  const definition = call.tool?.definition
  if (definition?.meta === undefined) return { ok: true, meta: undefined }
  try {
    const raw: unknown = definition.meta(value, call.input)
    ignoreAnswer(raw)
    const snapshot = snapshotJson(raw)
    if (!snapshot.ok) return { ok: false, issues: snapshot.issues }
    const meta = snapshot.value
    if (typeof meta !== 'object' || meta === null || Array.isArray(meta))
      return { ok: false, issues: [{ path: '', message: 'meta must be a JSON object' }] }
    return { ok: true, meta }
  } catch (error) {
    return { ok: false, issues: [{ path: '', message: `meta threw: ${safeMessage(error) ?? 'unknown error'}` }] }
  }
}
