/**
 * JSON Pointers (RFC 6901): how a place in a JSON value is named in issues.
 */

/** The pointer of a path; the root is the empty string. */
export function pointer(path: readonly (string | number)[]): string {
  let text = ''
  for (const step of path) text += `/${escapeStep(step)}`
  return text
}

function escapeStep(step: string | number): string {
  return typeof step === 'number' ? String(step) : step.replaceAll('~', '~0').replaceAll('/', '~1')
}
