/** Who answers the asks of a command: the terminal, unless `--approve` has answered beforehand. */
import { type Answerer, approve, terminal } from '@toolseam/approval'
import { errorCode } from '@toolseam/core-tools'

export type ApproveMode = (typeof approveModes)[number]
export const approveModes: readonly ['once', 'never', 'wait'] = ['once', 'never', 'wait']

/**
 * `wait` prompts too where a terminal is; a decision from elsewhere ends the prompt. `onBreak`: somebody broke off at the prompt (Ctrl-C, which a
 * terminal that is asking hands over as a key, or the end of the input).
 */
export function answerersFor(mode: ApproveMode | undefined, onBreak: () => void): Answerer[] {
  const prompt = breakable(terminal(), onBreak)
  if (mode === undefined) return [prompt]
  return mode === 'wait' ? [prompt, approve(mode)] : [approve(mode)]
}

function breakable(answerer: Answerer, onBreak: () => void): Answerer {
  return {
    ...answerer,
    async answer(ask, options) {
      try {
        return await answerer.answer(ask, options)
      } catch (error) {
        if (errorCode(error) === 'APPROVAL_CANCELLED' && !options.signal.aborted) onBreak()
        throw error
      }
    },
  }
}
