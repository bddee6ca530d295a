/**
 * Content blocks from outside: read as JSON, checked against the MCP shapes, frozen.
 */
import type { ContentBlock } from '../contracts/content.ts'
import type { JsonIssue, JsonValue } from '../contracts/json.ts'
import { snapshotJson } from '../json/snapshot.ts'

export type ReadContent = { ok: true; content: ContentBlock[] } | { ok: false; issues: readonly JsonIssue[] }

export function readContent(raw: unknown): ReadContent {
  const snapshot = snapshotJson(raw)
  if (!snapshot.ok) return snapshot
  return checkContent(snapshot.value)
}

function checkContent(value: JsonValue): ReadContent {
  if (!Array.isArray(value)) return { ok: false, issues: [{ path: '', message: 'must be an array of content blocks' }] }
  const issues = value.flatMap((block, index) => {
    const problem = blockProblem(block)
    return problem === undefined ? [] : [{ path: `/${index}`, message: problem }]
  })
  return issues.length === 0 ? { ok: true, content: value as unknown as ContentBlock[] } : { ok: false, issues }
}

/** A list of contexts: each entry is a list of blocks. */
export function readContexts(raw: unknown): { ok: true; contexts: ContentBlock[][] } | { ok: false; issues: readonly JsonIssue[] } {
  const snapshot = snapshotJson(raw)
  if (!snapshot.ok) return snapshot
  if (!Array.isArray(snapshot.value)) return { ok: false, issues: [{ path: '', message: 'must be an array of contexts' }] }
  for (const [index, entry] of snapshot.value.entries()) {
    const read = checkContent(entry)
    if (!read.ok) return { ok: false, issues: read.issues.map((issue) => ({ path: `/${index}${issue.path}`, message: issue.message })) }
  }
  return { ok: true, contexts: snapshot.value as unknown as ContentBlock[][] }
}

function blockProblem(block: JsonValue): string | undefined {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return 'must be a content block object'
  const strings = (...keys: string[]): string | undefined => {
    const missing = keys.find((key) => typeof block[key] !== 'string')
    return missing === undefined ? undefined : `${JSON.stringify(block['type'])} block needs a string "${missing}"`
  }
  switch (block['type']) {
    case 'text':
      return strings('text')
    case 'image':
    case 'audio':
      return strings('data', 'mimeType')
    case 'resource_link':
      return strings('uri', 'name')
    case 'resource': {
      const resource = block['resource']
      if (typeof resource !== 'object' || resource === null || Array.isArray(resource)) return '"resource" block needs an object "resource"'
      if (typeof resource['uri'] !== 'string') return '"resource" block needs a string "uri"'
      return typeof resource['text'] === 'string' || typeof resource['blob'] === 'string'
        ? undefined
        : '"resource" block needs "text" or "blob"'
    }
    default:
      return 'has an unknown "type" (text, image, audio, resource_link, resource)'
  }
}

export function textContent(text: string): ContentBlock[] {
  const block: ContentBlock = { type: 'text', text }
  Object.freeze(block)
  const content = [block]
  Object.freeze(content)
  return content
}

/** The text of text blocks, joined by line breaks. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}
