/**
 * The nearest valid name, for suggestions.
 */
import { closest, distance } from 'fastest-levenshtein'

/** Undefined where nothing is near enough to be what was meant. */
export function nearest(name: string, valid: readonly string[]): string | undefined {
  if (valid.length === 0) return undefined
  const [begun, ...others] = name.length < 3 ? [] : valid.filter((candidate) => candidate.toLowerCase().startsWith(name.toLowerCase()))
  if (begun !== undefined && others.length === 0) return begun
  const found = closest(name, valid)
  const most = Math.max(2, Math.floor(Math.max(name.length, found.length) / 3))
  return distance(name.toLowerCase(), found.toLowerCase()) <= most ? found : undefined
}
