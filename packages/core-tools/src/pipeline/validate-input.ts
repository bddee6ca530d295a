/**
 * Step 2: arguments against the tool's schema. What can only fail is settled before policy sees it.
 */
import type { JsonIssue, JsonValue } from '../contracts/json.ts'
import type { Validation } from '../schema/compile.ts'
import type { Call } from './call.ts'
import { untilAborted, wasAborted } from './cancellation.ts'
import { finalResult, type Outcome } from './outcome.ts'
import { renderIssues, renderRewriteIssues } from './render-errors.ts'
import { aborted, failure, issueDetails } from './results.ts'

/** Sets the typed input. Undefined: go on. Synchronous where the validator is. */
export function validateInput(call: Call): Outcome | undefined | Promise<Outcome | undefined> {
  return check(call, call.arguments, (issues) =>
    finalResult(call, failure('INVALID_TOOL_INPUT', renderIssues(call.facts.name, issues), { details: issueDetails(issues) })),
  )
}

/** The same for arguments that a tap or an approver put in the place of those before. `details.tap` names the author. */
export function validateRewrite(
  call: Call,
  { args, author }: { args: JsonValue; author: string },
): Outcome | undefined | Promise<Outcome | undefined> {
  return check(call, args, (issues) =>
    finalResult(
      call,
      failure('INVALID_TOOL_INPUT', renderRewriteIssues(author, issues), { details: issueDetails(issues, { tap: author }) }),
    ),
  )
}

function check(
  call: Call,
  args: JsonValue,
  refuse: (issues: readonly JsonIssue[]) => Outcome,
): Outcome | undefined | Promise<Outcome | undefined> {
  if (call.tool === undefined) {
    call.setArguments(args, undefined)
    return undefined
  }
  const take = (validation: Validation): Outcome | undefined => {
    if (!validation.ok) return refuse(validation.issues)
    call.setArguments(args, validation.value)
    return undefined
  }
  const validation = call.tool.input.validate(args)
  if (!(validation instanceof Promise)) return take(validation)
  return untilAborted(validation, call.cancellation, () => undefined).then((settled) =>
    wasAborted(settled) || call.aborted ? finalResult(call, aborted(false, call.cancellation.reason)) : take(settled),
  )
}
