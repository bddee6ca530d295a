/**
 * One call of a turn on the driver's side: what is done with it next. The reducer's state says whether it may run; this says how far it is.
 */
import type { Dispatched, PreparedDispatch, ToolConcurrency, ToolExecutionInput, ToolResult } from '@toolseam/core-tools'
import type { ToolRunCommand } from '../../definition/vocabulary.ts'
import { StopSignal } from '../../guarding/stop-signal.ts'
import { readCall } from './read-calls.ts'

export interface Slot {
  readonly index: number
  readonly dlineTid: string
  readonly input: ToolExecutionInput
  /** Fused: the caller's own signal, the turn's, and a skip while a human is asked. */
  readonly control: StopSignal
  /** Listeners on foreign signals, gone when the call is published. */
  readonly release: () => void
  /** `idle` and `prepared` wait for a run; the others go on by themselves. */
  stage: 'idle' | 'preparing' | 'asking' | 'prepared' | 'handed' | 'ended'
  concurrency: ToolConcurrency
  /** The run that the reducer granted, as long as it stands. */
  run: ToolRunCommand | undefined
  prepared: PreparedDispatch | undefined
  dispatched: Dispatched | undefined
  /** A human's answer is there; called when the round in progress is over. */
  answered: (() => void) | undefined
  /** Why it is not to run any more, though its judging is still under way. */
  skipped: string | undefined
  /** Gives the final result; called in model order. */
  end: (() => Promise<ToolResult>) | undefined
  /** Ends the step in which it is being judged. */
  endStep: () => void
}

export function createSlot(
  given: ToolExecutionInput,
  { index, turnId, dlineTid, concurrency }: { index: number; turnId: string; dlineTid: string; concurrency: ToolConcurrency },
): Slot {
  const control = new StopSignal()
  const { signal } = given
  const forward = (): void => control.abort(signal?.reason)
  if (signal?.aborted) forward()
  else signal?.addEventListener('abort', forward, { once: true })
  return {
    index,
    dlineTid,
    input: readCall(given, { index, turnId, signal: control }),
    control,
    release: () => signal?.removeEventListener('abort', forward),
    stage: 'idle',
    concurrency,
    run: undefined,
    prepared: undefined,
    dispatched: undefined,
    answered: undefined,
    skipped: undefined,
    end: undefined,
    endStep() {},
  }
}
