/**
 * The sentences that a model reads when a call was not run or went wrong. Facts are in `details`; nobody parses these.
 */
import type { JsonIssue } from '../contracts/json.ts'

export function renderIssues(tool: string, issues: readonly JsonIssue[]): string {
  const shown = issues.slice(0, 20).map((issue) => `- ${issue.path === '' ? '(root)' : issue.path}: ${issue.message}`)
  const rest = issues.length > 20 ? [`- and ${issues.length - 20} more`] : []
  return [`The arguments of "${tool}" do not fit its input schema:`, ...shown, ...rest].join('\n')
}

export function renderRewriteIssues(author: string, issues: readonly JsonIssue[]): string {
  const shown = issues.slice(0, 20).map((issue) => `- ${issue.path === '' ? '(root)' : issue.path}: ${issue.message}`)
  return [`The call was not run: arguments rewritten by "${author}" do not fit the tool's input schema:`, ...shown].join('\n')
}

/** Names come from models: a long one is cut, an odd one escaped. */
function shownName(tool: string): string {
  return JSON.stringify(tool.length <= 100 ? tool : `${tool.slice(0, 100)}…`)
}

export function renderUnknownTool(tool: string, candidates: readonly string[]): string {
  const hint = candidates.length === 0 ? '' : ` Did you mean ${candidates.map((name) => `"${name}"`).join(' or ')}?`
  return `There is no tool ${shownName(tool)}.${hint}`
}

export function renderCollapsed(tool: string): string {
  return `"${tool}" cannot be called directly here. Call it from inside a program: run_code with code such as \`return await tools[${JSON.stringify(tool)}]({ ... })\`.`
}

export function renderNestedCodeEntry(tool: string): string {
  return `"${tool}" cannot be called from inside a program. Call the tools themselves.`
}

export function renderDenied(by: string, reason: string): string {
  return reason === '' ? `The call was not run: denied by ${by}.` : `The call was not run: denied by ${by}: ${reason}`
}

export function renderTooDeep(maxDepth: number): string {
  return `nesting of calls is deeper than ${maxDepth}`
}

export function renderRewriteLimit(rounds: number): string {
  return `arguments were still being rewritten after ${rounds} rounds of policy`
}

export function renderAskLimit(asks: number): string {
  return `arguments changed after each of ${asks} approvals`
}

export function renderNotApproved(outcome: 'rejected' | 'expired' | 'cancelled' | 'unavailable', reason: string | undefined): string {
  const because = reason === undefined || reason === '' ? '' : ` Reason given: ${JSON.stringify(reason)}.`
  switch (outcome) {
    case 'rejected':
      return `The call was not run: its approval was rejected.${because} Repeating it unchanged will be refused the same way.`
    case 'expired':
      return `The call was not run: nobody answered the request for approval in time.${because}`
    case 'cancelled':
      return `The call was not run: the request for approval was withdrawn.${because}`
    case 'unavailable':
      return `The call was not run: it needs an approval and none could be obtained.${because}`
    default:
      return outcome satisfies never
  }
}

export function renderSurfaceDenied(reason: string | undefined): string {
  return `The call was not run: it needs a person's answer and none can be asked here.${reason === undefined ? '' : ` Reason given: ${JSON.stringify(reason)}.`}`
}

export function renderHook(hook: string, tap: string, message: string): string {
  return `The call failed closed: tap "${tap}" of ${hook} ${message}`
}

export function renderGuardFailure(guard: string, message: string): string {
  return `The call failed closed: guard "${guard}" ${message}`
}

export function renderAborted(started: boolean): string {
  return started ? 'The call was cancelled while it ran.' : 'The call was cancelled before it was started.'
}

export function renderTimeout(timeoutMs: number): string {
  return `The tool did not finish within ${timeoutMs} ms and was stopped.`
}

export function renderInvalidOutput(tool: string, issues: readonly JsonIssue[]): string {
  const shown = issues.slice(0, 20).map((issue) => `- ${issue.path === '' ? '(root)' : issue.path}: ${issue.message}`)
  return [`The result of "${tool}" was withheld: it is not what the tool promises:`, ...shown].join('\n')
}
