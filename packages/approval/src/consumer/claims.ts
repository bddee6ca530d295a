/**
 * The way of an approved call through the runtime: its claim is taken before the ask answers, `dispatched` is durable before the body
 * starts, `consumed` follows the result, whatever it is. A claim that was lost fails the call.
 */
import {
  errorCode,
  type ToolDispatch,
  type ToolExecution,
  type ToolExecutionToken,
  type ToolLogger,
  type ToolResult,
} from '@toolseam/core-tools'
import type { ApprovalStore } from '../definition/store.ts'
import { LEASE_MS, type Claims } from './parts.ts'
import { renderLost } from './render-claims.ts'

interface Held {
  id: string
  fence: number
  /** Aborts when the lease is lost. */
  lost: AbortController
  renewal: ReturnType<typeof setInterval>
}

export interface ClaimKeeper extends Claims {
  /** For `tools/execute`, outermost. */
  wrap(dispatch: ToolDispatch, execution: ToolExecution): ToolDispatch
  /** For `tools/result`. */
  settled(execution: ToolExecution, result: ToolResult): void
}

/** Three tries before a lease is over. */
const RENEW_MS = LEASE_MS / 3

/** `adopt`: a call that `resume` runs and that was not asked about again takes its claim here; an error result where it may not run. */
export function keepClaims(parts: {
  store: ApprovalStore
  logger: ToolLogger
  adopt(execution: ToolExecution): undefined | (() => Promise<ToolResult | undefined>)
}): ClaimKeeper {
  const { store, logger, adopt } = parts
  const held = new Map<ToolExecutionToken, Held>()
  const marks = new Set<Promise<void>>()

  return {
    async hold(token, claim) {
      // An edited call that was asked about anew has a new claim; the one before will not be used.
      const before = held.get(token)
      if (before !== undefined) release(token, before, { isError: true, code: 'APPROVAL_STALE' })
      const lost = new AbortController()
      const renewal = setInterval(() => track(renew(claim, lost)), RENEW_MS)
      renewal.unref()
      held.set(token, { ...claim, lost, renewal })
    },
    async drop(id, fence, code) {
      await store.mark(id, { fence, at: 'consumed', result: { isError: true, code } }).catch((error: unknown) => {
        logger.warn('a claim could not be given back', { id, error })
      })
    },
    wrap(dispatch, execution) {
      const claim = held.get(execution.token)
      if (claim !== undefined) return async (options) => dispatchClaimed(claim, dispatch, options)
      const take = adopt(execution)
      if (take === undefined) return dispatch
      return async (options) => {
        const refused = await take()
        if (refused !== undefined) return refused
        const taken = held.get(execution.token)
        return taken === undefined ? dispatch(options) : dispatchClaimed(taken, dispatch, options)
      }
    },
    settled(execution, result) {
      const claim = held.get(execution.token)
      if (claim !== undefined)
        release(execution.token, claim, result.isError ? { isError: true, code: result.error.code } : { isError: false })
    },
    async drain() {
      while (marks.size > 0) await Promise.all(marks)
    },
  }

  async function dispatchClaimed(claim: Held, dispatch: ToolDispatch, options: Parameters<ToolDispatch>[0]): Promise<ToolResult> {
    try {
      await store.mark(claim.id, { fence: claim.fence, at: 'dispatched', leaseMs: LEASE_MS })
    } catch (error) {
      return renderLost(errorCode(error) === 'APPROVAL_LEASE_LOST' ? 'lost' : 'not-kept', claim)
    }
    const signals = options?.signal === undefined ? [claim.lost.signal] : [claim.lost.signal, options.signal]
    const result = await dispatch({ signal: AbortSignal.any(signals) })
    return claim.lost.signal.aborted ? renderLost('lost-running', claim) : result
  }

  function release(token: ToolExecutionToken, claim: Held, result: { isError: boolean; code?: string }): void {
    held.delete(token)
    clearInterval(claim.renewal)
    track(
      store.mark(claim.id, { fence: claim.fence, at: 'consumed', result }).then(
        () => undefined,
        (error: unknown) => logger.warn('the end of an approved call could not be kept', { id: claim.id, error }),
      ),
    )
  }

  async function renew({ id, fence }: { id: string; fence: number }, lost: AbortController): Promise<void> {
    try {
      await store.mark(id, { fence, at: 'renewed', leaseMs: LEASE_MS })
    } catch (error) {
      if (errorCode(error) === 'APPROVAL_LEASE_LOST') lost.abort(error)
      else if (errorCode(error) !== 'APPROVAL_ALREADY_DECIDED') logger.warn('a lease could not be renewed', { id, error })
    }
  }

  function track(mark: Promise<void>): void {
    const tracked = mark.finally(() => marks.delete(tracked))
    marks.add(tracked)
  }
}
