/**
 * The sentences of the ask service: why a call could not be approved, and what an ask says about its past.
 */
import type { ApprovalRecord } from '../definition/record.ts'

export type Unavailable =
  | { why: 'refused-here' }
  | { why: 'denied-surface' }
  | { why: 'nobody' }
  | { why: 'too-large'; limit: number }
  | { why: 'answerer-failed'; answerer: string; message: string }
  | { why: 'answerer-nonsense'; answerer: string }
  | { why: 'bad-edits'; answerer: string }
  | { why: 'store-failed'; message: string }
  | { why: 'held' }

export function renderUnavailable(reason: Unavailable): string {
  switch (reason.why) {
    case 'refused-here':
      return 'asks of this agent are refused here'
    case 'denied-surface':
      return 'there is no user here, and no ancestor with somebody to ask'
    case 'nobody':
      return 'nobody is there to answer: no terminal and no other answerer took the request'
    case 'too-large':
      return `the arguments are over ${reason.limit} bytes and cannot be put to anybody`
    case 'answerer-failed':
      return `the answerer ${reason.answerer} failed: ${reason.message}`
    case 'answerer-nonsense':
      return `the answerer ${reason.answerer} gave no valid decision`
    case 'bad-edits':
      return `the answerer ${reason.answerer} kept sending edited arguments that do not fit the tool`
    case 'store-failed':
      return `the approval could not be kept: ${reason.message}`
    case 'held':
      return 'this approved call is being run by another process'
    default:
      return reason satisfies never
  }
}

/** What a human must know about an earlier ask of the same call. */
export function renderSuperseded(why: NonNullable<ApprovalRecord['supersedes']>['why']): string | undefined {
  switch (why) {
    case 'interrupted':
      return 'An earlier run of this call was interrupted after it had started: it may have had its effects already, in part or whole.'
    case 'consumed':
      return 'This same call was approved and run before.'
    case 'stale':
      return 'The tool changed since this call was asked about before.'
    case 'expired':
    case 'cancelled':
    case 'unavailable':
      return undefined
    default:
      return why satisfies never
  }
}
