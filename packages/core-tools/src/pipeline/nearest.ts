/**
 * Names near to one that does not exist, for the message only.
 */
import { distance } from 'fastest-levenshtein'
import type { Call } from './call.ts'

const MOST = 3

/** Visible tools whose name is within a third of its length, nearest first. */
export function nearestTools(call: Call): string[] {
  const { name, agent } = call.facts
  if (name.length > 128) return []
  const near = call.parts.registry
    .view(agent)
    .names.map((candidate) => ({ candidate, far: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(1, Math.floor(candidate.length / 3)))
  return near
    .sort((a, b) => a.far - b.far)
    .slice(0, MOST)
    .map(({ candidate }) => candidate)
}
