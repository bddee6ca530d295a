/**
 * Rules of an outer directory's ignore file, rewritten for a search that starts further in: the engine is kept from reading ignore files
 * above the searched directory itself, because those above the roots are not ours to read (F-3).
 */
import { parsePattern, patternRegExp, type Segment } from './glob-pattern.ts'

/** The lines of `text` that can still match below `way` (names from that file's directory to the searched one). */
export function rebaseRules(text: string, way: readonly string[]): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line) => rebaseLine(line, way))
}

function rebaseLine(line: string, way: readonly string[]): string[] {
  const rule = line.replace(/(?<!\\)[ \t]+$/, '')
  if (rule === '' || rule.startsWith('#')) return []
  const negated = rule.startsWith('!')
  const body = negated ? rule.slice(1) : rule
  const bare = body.replace(/\/$/, '')
  if (!bare.includes('/')) return [rule]
  const directoryOnly = body.endsWith('/')
  const segments = bare.replace(/^\//, '').split('/')
  const rests = [...new Set(restsAfter(segments, way).map((rest) => rest.join('/')))]
  return rests.filter((rest) => rest !== '').map((rest) => `${negated ? '!' : ''}/${rest}${directoryOnly ? '/' : ''}`)
}

/** What remains of the pattern once the way is walked, in every manner in which it can be. */
function restsAfter(segments: readonly string[], way: readonly string[]): string[][] {
  const [name, ...further] = way
  if (name === undefined) return [[...segments]]
  const [first, ...rest] = segments
  if (first === undefined) return []
  if (first === '**') return [...restsAfter(segments, further), ...restsAfter(rest, way)]
  return nameMatches(first, name) ? restsAfter(rest, further) : []
}

function nameMatches(segment: string, name: string): boolean {
  const parsed = parseQuietly(segment)
  return parsed !== undefined && patternRegExp({ segments: [parsed], anchored: true }).test(name)
}

function parseQuietly(segment: string): Segment | undefined {
  try {
    return parsePattern(segment).segments[0]
  } catch {
    return undefined
  }
}
