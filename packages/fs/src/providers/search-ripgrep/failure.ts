/**
 * What the engine says on its error stream, told apart: files it could not read, and reasons to fail (F-53).
 */
import { FsError } from '../../definition/errors.ts'

export interface Complaints {
  /** Paths as printed, without `./`. */
  unreadable: string[]
  /** Anything else, in its own words. */
  rest: string
}

const ABOUT_A_FILE = /^(?:rg: )?(?:\.\/)?([^\n]*): [^\n:]+ \(os error (\d+)\)$/

export function complaintsOf(stderr: string): Complaints {
  const unreadable = new Set<string>()
  const rest: string[] = []
  for (const line of stderr.split('\n')) {
    const about = ABOUT_A_FILE.exec(line)
    if (about === null) rest.push(line)
    // A file that vanished meanwhile (2: no such file) was not there to be searched.
    else if (about[2] !== '2') unreadable.add(about[1] ?? '')
  }
  return { unreadable: [...unreadable], rest: rest.join('\n').trim() }
}

export function failureOf(pattern: string, rest: string): FsError {
  const reason = reasonOf(rest)
  const invalid = /regex|pattern|literal|expression|PCRE/i.test(rest)
  return invalid ? new FsError('FS_INVALID_PATTERN', { pattern, reason }) : new FsError('FS_SEARCH_FAILED', { reason })
}

/** The engine's own sentence; its hints name command-line options that no caller has. */
function reasonOf(rest: string): string {
  const stated = /^(?:rg: )?error: (.+)$/m.exec(rest)
  const first = rest.split('\n')[0] ?? ''
  const reason = stated?.[1] ?? first.replace(/^rg: /, '')
  return reason.includes('the literal "\\n" is not allowed') ? 'a line end in the pattern needs `multiline`' : reason
}
