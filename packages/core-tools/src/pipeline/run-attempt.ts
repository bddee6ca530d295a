/**
 * Running a body: its deadline, its end, its result. Settles to a frozen result whatever the body does; a body that
 * ignores its abort is left behind after the grace and can reach nothing any more.
 */
import type { ToolResult } from '../contracts/result.ts'
import { LONGEST_TIMER_MS } from '../hooks/tap-options.ts'
import { ignoreAnswer, isThenable } from '../hooks/thenable.ts'
import type { RegisteredTool } from '../registry/registry.ts'
import { Attempt } from './attempt.ts'
import type { Call } from './call.ts'
import { nearestTools } from './nearest.ts'
import { mintSuccess } from './output.ts'
import { renderTimeout, renderUnknownTool } from './render-errors.ts'
import { aborted, failure, freezeJson } from './results.ts'
import { RunContext } from './run-context.ts'
import { fromThrown, isAbortError, thrownDetails } from './thrown.ts'

type BodyEnd = { kind: 'value'; value: unknown } | { kind: 'thrown'; error: unknown } | { kind: 'detached' }

/** The innermost dispatcher. Synchronous where the body and the output schema are. */
export function runAttempt(
  call: Call,
  signal: AbortSignal | undefined,
  started?: (attempt: Attempt) => void,
): ToolResult | Promise<ToolResult> {
  const { tool } = call
  if (tool === undefined) return failure('UNKNOWN_TOOL', renderUnknownTool(call.facts.name, nearestTools(call)))
  const attempt = new Attempt(call, signal)
  if (attempt.aborted) return aborted(false, attempt.cancellation.reason)
  call.attempts += 1
  call.bodyStarted = true
  started?.(attempt)
  const timeoutMs = tool.definition.timeoutMs ?? call.parts.limits.defaultTimeoutMs
  const deadline = timeoutMs === undefined || timeoutMs === LONGEST_TIMER_MS ? undefined : startDeadline(attempt, timeoutMs)
  const end = runBody(attempt, tool)
  if (!(end instanceof Promise) && attempt.nested === undefined) {
    deadline?.stop()
    return endAttempt(attempt, { end, deadline })
  }
  return finishBody(attempt, { end, deadline })
}

async function finishBody(
  attempt: Attempt,
  { end, deadline }: { end: BodyEnd | Promise<BodyEnd>; deadline: Deadline | undefined },
): Promise<ToolResult> {
  const settled = await end
  deadline?.stop()
  // What the body does behind its own back now comes too late, also while its calls are awaited.
  attempt.open = false
  await attempt.endNested()
  return endAttempt(attempt, { end: settled, deadline })
}

/** From here on nothing of the body reaches anything. */
function endAttempt(
  attempt: Attempt,
  { end, deadline }: { end: BodyEnd; deadline: Deadline | undefined },
): ToolResult | Promise<ToolResult> {
  attempt.open = false
  const result = resultOf(attempt, { end, timeoutMs: deadline?.timeoutMs ?? 0 })
  if (!(result instanceof Promise)) {
    attempt.close()
    return result
  }
  return result.finally(() => attempt.close())
}

interface Deadline {
  readonly timeoutMs: number
  stop(): void
}

/** Wall time of the body. A blocked loop may fire the timer late, so the time itself is looked at as well. */
function startDeadline(attempt: Attempt, timeoutMs: number): Deadline {
  const start = performance.now()
  const expire = (): void => {
    if (attempt.timedOut || attempt.aborted) return
    attempt.timedOut = true
    attempt.cancellation.abort(new DOMException(`The deadline of ${timeoutMs} ms has passed`, 'TimeoutError'))
  }
  const timer = setTimeout(expire, timeoutMs)
  return {
    timeoutMs,
    stop() {
      clearTimeout(timer)
      if (performance.now() - start >= timeoutMs) expire()
    },
  }
}

function runBody(attempt: Attempt, { definition }: RegisteredTool): BodyEnd | Promise<BodyEnd> {
  let returned: unknown
  try {
    returned = definition.execute(attempt.call.input, new RunContext(attempt))
  } catch (error) {
    return { kind: 'thrown', error }
  }
  return isThenable(returned) ? awaitBody(attempt, returned) : { kind: 'value', value: returned }
}

function awaitBody(attempt: Attempt, work: PromiseLike<unknown>): Promise<BodyEnd> {
  return new Promise((resolve) => {
    let open = true
    let grace: ReturnType<typeof setTimeout> | undefined
    const end = (settled: BodyEnd): void => {
      if (!open) return lateBody(attempt, settled)
      open = false
      unlisten()
      clearTimeout(grace)
      resolve(settled)
    }
    const detach = (): void => {
      if (!open) return
      open = false
      attempt.call.detached = true
      tellOutlived(attempt, work)
      resolve({ kind: 'detached' })
    }
    const unlisten = attempt.cancellation.onAbort(() => {
      grace = setTimeout(detach, attempt.call.parts.limits.abortGraceMs)
    })
    try {
      work.then(
        (value) => end({ kind: 'value', value }),
        (error: unknown) => end({ kind: 'thrown', error }),
      )
    } catch (error) {
      end({ kind: 'thrown', error })
    }
  })
}

/** Whoever is told of it cannot keep the call from settling. */
function tellOutlived(attempt: Attempt, work: PromiseLike<unknown>): void {
  const { outlived } = attempt.call.dispatchOptions
  if (outlived === undefined) return
  try {
    const rest = Promise.resolve(work)
    ignoreAnswer(rest)
    outlived(rest)
  } catch (error) {
    attempt.call.parts.logger.warn('outlived threw', { callId: attempt.call.facts.callId, error })
  }
}

function lateBody(attempt: Attempt, settled: BodyEnd): void {
  const { callId, name } = attempt.call.facts
  attempt.call.parts.logger.debug(`the detached body of "${name}" ended late and was ignored`, { callId, name, how: settled.kind })
}

function resultOf(attempt: Attempt, { end, timeoutMs }: { end: BodyEnd; timeoutMs: number }): ToolResult | Promise<ToolResult> {
  const detached = end.kind === 'detached' ? { detached: true } : {}
  if (attempt.timedOut) {
    const kept = end.kind === 'thrown' && isAbortError(end.error, attempt.cancellation.reason) ? thrownDetails(end.error) : {}
    return failure('TOOL_TIMEOUT', renderTimeout(timeoutMs), { details: freezeJson({ ...kept, timeoutMs, ...detached }) })
  }
  switch (end.kind) {
    case 'detached':
      return aborted(true, attempt.cancellation.reason, detached)
    case 'thrown': {
      const { cancellation } = attempt
      if (cancellation.aborted && isAbortError(end.error, cancellation.reason))
        return aborted(true, cancellation.reason, thrownDetails(end.error))
      return fromThrown(end.error)
    }
    case 'value':
      if (attempt.aborted) return aborted(true, attempt.cancellation.reason)
      return mintSuccess(attempt.call, { raw: end.value, extras: attempt.extras })
    default:
      return end satisfies never
  }
}
