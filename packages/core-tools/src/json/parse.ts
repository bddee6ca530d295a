/**
 * Arguments as a model writes them: JSON text becomes a snapshot, or one issue that says where the text stops being JSON (P-13).
 */
import { locateJsonFault } from './locate.ts'
import { snapshotJson, type Snapshot } from './copy.ts'

/** Blank text is `{}`. Never throws. */
export function parseJsonText(text: string): Snapshot {
  if (text.trim() === '') return { ok: true, value: Object.freeze({}) }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { ok: false, issues: [{ path: '', message: `not JSON: ${locateJsonFault(text)}` }] }
  }
  return snapshotJson(parsed)
}
