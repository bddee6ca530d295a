/**
 * Taking hold of arguments that wait for their turn: what the caller does to its object meanwhile is not seen.
 */
import { snapshotJson } from './copy.ts'

/** A frozen copy, or the value as it is where it is no JSON or text: the pipeline says what is wrong with it. */
export function isolate(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null) return raw
  const snapshot = snapshotJson(raw)
  return snapshot.ok ? snapshot.value : raw
}
