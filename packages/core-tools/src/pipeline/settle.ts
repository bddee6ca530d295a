/**
 * Step 6: the last word on content, the record, `tools/result`. Every exit passes here exactly once.
 */
import type { ContentBlock } from '../contracts/content.ts'
import type { ToolCallRecord, ToolResult } from '../contracts/result.ts'
import { ignoreAnswer } from '../hooks/thenable.ts'
import type { Call } from './call.ts'
import { readContent, textContent } from './content.ts'
import type { Outcome } from './outcome.ts'
import { invalidOutput, safeMessage } from './results.ts'

export function settle({ call, result }: Outcome): ToolResult {
  const final = call.orphan || call.tool?.definition.finalizeContent === undefined ? result : finalizeContent(call, result)
  call.settled = true
  call.release()
  call.parts.running.delete(call)
  if (!call.orphan) announce(call, final)
  return final
}

function announce(call: Call, result: ToolResult): void {
  let record: ToolCallRecord | undefined
  for (const layer of call.layers) {
    const hook = layer.extras.hooks.result
    if (!hook.active) continue
    record ??= recordOf(call)
    hook.emit(call.execution, result, record)
  }
}

function recordOf(call: Call): ToolCallRecord {
  const { facts, decision } = call
  const durationMs = performance.now() - call.startedMono
  const record: ToolCallRecord = {
    callId: facts.callId,
    rootCallId: facts.rootCallId,
    name: facts.name,
    originalArguments: call.originalArguments,
    effectiveArguments: call.arguments,
    trail: call.trail === undefined ? NO_TRAIL : (Object.freeze([...call.trail]) as ToolCallRecord['trail']),
    bodyStarted: call.bodyStarted,
    attempts: call.attempts,
    detached: call.detached,
    startedAt: Math.round(Date.now() - durationMs),
    durationMs,
  }
  if (facts.agent !== undefined) record.agent = facts.agent
  if (call.approval !== undefined) record.approval = call.approval
  if (call.policyRan) {
    const { kind, by, reason } = decision
    record.decision = Object.freeze(reason === undefined ? { kind, by } : { kind, by, reason })
  }
  return Object.freeze(record)
}

const NO_TRAIL = Object.freeze([]) as unknown as ToolCallRecord['trail']

/** If it throws or gives no content blocks the old content is withheld. */
function finalizeContent(call: Call, result: ToolResult): ToolResult {
  let content: ContentBlock[] | undefined
  try {
    const raw: unknown = call.tool?.definition.finalizeContent?.(call.execution, result)
    if (raw === undefined) return result
    ignoreAnswer(raw)
    const read = readContent(raw)
    if (!read.ok) return withheld(call, { result, message: 'finalizeContent gave no content blocks' })
    content = read.content
  } catch (error) {
    return withheld(call, { result, message: `finalizeContent threw: ${safeMessage(error) ?? 'unknown error'}` })
  }
  return Object.freeze({ ...result, content })
}

function withheld(call: Call, { result, message }: { result: ToolResult; message: string }): ToolResult {
  call.parts.logger.warn(`${call.facts.name}: ${message}`, { callId: call.facts.callId })
  if (result.isError) return Object.freeze({ ...result, content: textContent(result.error.message) })
  return invalidOutput(call.facts.name, [{ path: '', message }])
}
