/** Who answers the asks of a command: the terminal, unless `--approve` has answered beforehand. */
import { type Answerer, approve, terminal } from '@toolseam/approval'

export type ApproveMode = (typeof approveModes)[number]
export const approveModes: readonly ['once', 'never', 'wait'] = ['once', 'never', 'wait']

/** `wait` prompts too where a terminal is; a decision from elsewhere ends the prompt. Absent: what the command has anyway. */
export function answerersFor(mode: ApproveMode | undefined): { answerers?: Answerer[] } {
  if (mode === undefined) return {}
  return { answerers: mode === 'wait' ? [terminal(), approve(mode)] : [approve(mode)] }
}
