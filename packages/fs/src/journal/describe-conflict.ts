/**
 * Why a file was left as it is by a revert, in words.
 */

const REASONS = {
  'not-text': 'changed since, and its content is not text that could be merged',
  'too-different': 'changed since by too much to be compared',
  'too-large': 'too large to be compared',
  overlap: 'the same lines, or lines next to them, were changed since',
  'changed-since-created': 'changed since it was created',
  'deleted-since': 'deleted since',
  'made-since': 'something else was made in its place since',
  'kind-changed': 'another kind of file is in its place now',
  'not-kept': 'what was there before is not in the journal',
  'unknown-after': 'changed since, and the journal does not know what the change left behind',
  occupied: 'something else is in the place where it came from',
  'not-empty': 'the directory is not empty',
  stopped: 'the revert was stopped before it',
} as const

export type ConflictReason = keyof typeof REASONS

export function describeConflict(reason: ConflictReason): string {
  return REASONS[reason]
}

/** For what the file system refused. */
export function describeRefusal(code: string): string {
  return `the file system refused it: ${code}`
}
