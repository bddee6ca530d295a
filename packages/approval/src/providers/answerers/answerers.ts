/**
 * Answerers without a screen: a callback of the host, a script for tests, the store that parks asks until somebody decides, and the answers
 * that a command line sets beforehand.
 */
import type { Answerer, Answer, AskView } from '../../definition/answerer.ts'
import type { Approver, Decision } from '../../definition/record.ts'

/** What a host's own function may say: a decision with or without who decided; undefined: not mine. */
export type AnswerCallback = (
  ask: AskView,
  options: { signal: AbortSignal },
) => Decision | (Decision & { by: Approver }) | undefined | Promise<Decision | (Decision & { by: Approver }) | undefined>

export interface CallbackOptions {
  /** Who is behind the callback. */
  id: string
  name?: string
  /** The callback proves who answered. Default false. */
  verified?: boolean
  /** A human sits behind it now. Default true. */
  interactive?: boolean
  /** Serves this agent and those below it. */
  agent?: string
}

export function callback(fn: AnswerCallback, options: CallbackOptions = { id: 'callback' }): Answerer {
  const { id, name, verified = false, interactive = true, agent } = options
  const by: Approver = { kind: 'callback', id, verified, ...(name === undefined ? {} : { name }) }
  return {
    name: `callback:${id}`,
    interactive,
    ...(agent === undefined ? {} : { agent }),
    answer: async (ask, call) => signed(await fn(ask, call), by),
  }
}

/** Gives its decisions one after the other, one for each ask; exhausted, it has no answer (and the ask is unavailable). */
export function scripted(decisions: readonly Decision[], options: { agent?: string } = {}): Answerer {
  let next = 0
  const by: Approver = { kind: 'scripted', id: 'script', verified: false }
  return {
    name: 'scripted',
    interactive: false,
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    answer: async () => {
      const decision = decisions[next]
      if (decision === undefined) return undefined
      next++
      return signed(decision, by)
    },
  }
}

/** Parks asks: waits until somebody decides through the store, from whatever process. */
export function store(options: { agent?: string } = {}): Answerer {
  return {
    name: 'store',
    interactive: false,
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    answer: async (_, { signal }) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve(undefined)
        else signal.addEventListener('abort', () => resolve(undefined), { once: true })
      }),
  }
}

/** `--approve`: `once` approves each ask for itself, `never` rejects each, `wait` parks it for another terminal. */
export function approve(mode: 'once' | 'never' | 'wait'): Answerer {
  if (mode === 'wait') return store()
  const by: Approver = { kind: 'cli', id: `--approve ${mode}`, verified: false }
  const decision: Decision =
    mode === 'once' ? { outcome: 'approve', scope: 'once' } : { outcome: 'reject', reason: 'asks are refused by --approve never' }
  return { name: `approve:${mode}`, interactive: false, answer: async () => signed(decision, by) }
}

/** `by` is filled in where the decision is an object without one; anything else goes through as it is, to be refused as no decision. */
function signed(decision: unknown, by: Approver): Answer | undefined {
  if (typeof decision !== 'object' || decision === null || Array.isArray(decision)) return decision as Answer | undefined
  return ('by' in decision && decision.by !== undefined ? decision : { ...decision, by }) as Answer
}
