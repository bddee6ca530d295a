/**
 * Names with brackets (`app/[id]/page.tsx`) mean themselves where they exist (F-54); only otherwise are they classes.
 */
import { bracketName, bracketsAsText, hasBrackets, literalName, type PathPattern } from './glob-pattern.ts'

/**
 * Readings of a pattern in order of preference: the first that finds something counts. As far as the way is literal, `exists` decides;
 * behind a wildcard both readings remain.
 */
export async function readings(pattern: PathPattern, exists: (path: string) => Promise<boolean>): Promise<PathPattern[]> {
  if (!pattern.segments.some(hasBrackets)) return [pattern]
  const segments = [...pattern.segments]
  const way: string[] = []
  let at = 0
  for (const segment of segments) {
    const bracketed = bracketName(segment)
    const taken = bracketed !== undefined && (await exists([...way, bracketed].join('/')))
    if (taken) segments[at] = bracketsAsText(segment)
    const name = taken ? bracketed : literalName(segment)
    if (name === undefined) break
    way.push(name)
    at += 1
  }
  const rest = segments.slice(at)
  const decided = { ...pattern, segments }
  if (!rest.some((segment) => bracketName(segment) !== undefined)) return [decided]
  return [{ ...pattern, segments: [...segments.slice(0, at), ...rest.map(bracketsAsText)] }, decided]
}
