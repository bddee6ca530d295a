/**
 * Reading what was thrown without being harmed by it: frozen things, hostile getters, promises, undefined.
 */

/** The own string `code`, else undefined. */
export function codeOf(thrown: unknown): string | undefined {
  const code = read(thrown, 'code')
  return typeof code === 'string' && code !== '' ? code : undefined
}

/** A sentence about it; never empty, never throws. */
export function messageOf(thrown: unknown): string {
  const message = read(thrown, 'message')
  if (typeof message === 'string' && message !== '') return message
  try {
    if (typeof thrown === 'object' && thrown !== null)
      return `something without a message was thrown (${Object.prototype.toString.call(thrown)})`
    return `${String(thrown)} was thrown`
  } catch {
    return 'something that cannot be shown was thrown'
  }
}

/** One property of anything; undefined where there is none or reading it throws. */
export function read(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  try {
    return Reflect.get(value, key)
  } catch {
    return undefined
  }
}

/** A thrown promise may reject with nobody looking: it is the thrower's value, but it must not end the process. */
export function disarm(thrown: unknown): void {
  if (!(thrown instanceof Promise)) return
  try {
    Promise.prototype.then.call(thrown, undefined, () => {})
  } catch {
    // A promise with a broken species is nobody's rejection.
  }
}
