/**
 * What the program reads where the bridge itself refuses a call.
 */

export function describeLargeArguments(limit: number): string {
  return `The arguments are larger than ${limit} bytes. Nothing was called.`
}

export function describeBadArguments(): string {
  return 'The arguments are not JSON. Nothing was called.'
}

export function describeLargeResult({ size, limit }: { size: number; limit: number }): string {
  return `The call was made and succeeded, but its result of ${size} bytes is larger than the ${limit} bytes that a program may receive. Ask for less.`
}
