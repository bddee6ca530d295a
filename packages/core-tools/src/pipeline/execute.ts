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
import { postExecute } from './post-execute.ts'
import { settle } from './settle.ts'
import { validateInput } from './validate-input.ts'

export async function execute(parts: PipelineParts, input: ToolExecutionInput): Promise<ToolResult> {
  const prepared = await prepare(parts, { input, options: NO_OPTIONS })
  if (prepared.kind !== 'dispatch') return conclude(prepared)
  return conclude(await dispatch(prepared))
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
export async function conclude(outcome: Outcome): Promise<ToolResult> {
  if (outcome.kind === 'final-result' || !outcome.call.layers.some((layer) => layer.extras.hooks.postExecute.active)) {
    return settle(outcome)
  }
  return settle(await postExecute(outcome))
}
