/**
 * One call through the house, read downward. The staged view offers the same steps to schedulers.
 */
import type { ToolExecutionInput } from '../contracts/execution.ts'
import type { ToolResult } from '../contracts/result.ts'
import type { PrepareOptions } from '../contracts/staged.ts'
import { authorize } from './authorize.ts'
import { admit, createCall } from './create-call.ts'
import { dispatch } from './dispatch.ts'
import type { Outcome, Ready } from './outcome.ts'
import type { PipelineParts } from './parts.ts'
import { lastLook, postExecute } from './post-execute.ts'
import { settle } from './settle.ts'
import { validateInput } from './validate-input.ts'

/** A step that is over at once costs no turn of the event loop. */
export async function execute(parts: PipelineParts, input: ToolExecutionInput): Promise<ToolResult> {
  const preparing = prepare(parts, { input, options: NO_OPTIONS })
  const prepared = preparing instanceof Promise ? await preparing : preparing
  if (prepared.kind !== 'dispatch') return conclude(prepared)
  const dispatching = dispatch(prepared)
  return conclude(dispatching instanceof Promise ? await dispatching : dispatching)
}

const NO_OPTIONS: PrepareOptions = Object.freeze({})

/** Steps 1 to 3: create, validate, authorize. Throws only where no call exists. */
export function prepare(
  parts: PipelineParts,
  { input, options }: { input: ToolExecutionInput; options: PrepareOptions },
): Ready | Outcome | Promise<Ready | Outcome> {
  const call = createCall(parts, input)
  if (options.surface !== undefined) call.surfaceKind = options.surface.kind
  const admitted = admit(call, input)
  if (admitted.kind !== 'dispatch') return admitted
  const invalid = validateInput(call)
  if (invalid instanceof Promise) return invalid.then((over) => over ?? authorize(call, options))
  return invalid ?? authorize(call, options)
}

/** Steps 5 and 6, or 6 alone for what is final already. */
export function conclude(outcome: Outcome): ToolResult | Promise<ToolResult> {
  if (outcome.kind === 'final-result') return settle(outcome)
  const judged = outcome.call.layers.some((layer) => layer.extras.hooks.postExecute.active)
  return judged ? postExecute(outcome).then(settle) : settle(lastLook(outcome))
}
