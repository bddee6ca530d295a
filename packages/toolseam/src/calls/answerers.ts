/** Who answers the asks of a command: the terminal, unless `--approve` has answered beforehand. */
import { type Answerer, approve, terminal } from '@toolseam/approval'
import { errorCode, type ToolPlugin } from '@toolseam/core-tools'

export type ApproveMode = (typeof approveModes)[number]
export const approveModes: readonly ['once', 'never', 'wait'] = ['once', 'never', 'wait']

/**
 * The answerers, and a plugin that calls `onBreak` when a call has ended because somebody broke off at its prompt: with Ctrl-C, which a terminal
 * that is asking hands over as a key, or by the end of the input. `wait` prompts too where a terminal is; a decision from elsewhere ends the prompt.
 */
export function asking(mode: ApproveMode | undefined, onBreak: () => void): { answerers: Answerer[]; plugin: ToolPlugin } {
  let broke = false
  const prompt = noticing(terminal(), () => (broke = true))
  const plugin: ToolPlugin = {
    name: 'toolseam/break',
    apply: ({ hooks }) =>
      hooks.result.tap('toolseam/break', (_execution, result) => {
        if (broke && result.isError && result.error.code === CANCELLED) onBreak()
      }),
  }
  if (mode === undefined) return { answerers: [prompt], plugin }
  return { answerers: mode === 'wait' ? [prompt, approve(mode)] : [approve(mode)], plugin }
}

const CANCELLED = 'APPROVAL_CANCELLED'

function noticing(answerer: Answerer, onCancelled: () => void): Answerer {
  return {
    ...answerer,
    async answer(ask, options) {
      try {
        return await answerer.answer(ask, options)
      } catch (error) {
        if (errorCode(error) === CANCELLED && !options.signal.aborted) onCancelled()
        throw error
      }
    },
  }
}
