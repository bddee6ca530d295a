/**
 * The words of the prompt: exactly what will run, where, on whose behalf and by which rule it asks (A-15). Nothing is cut.
 */
import type { CallView, SimpleCommand } from '@toolseam/core-tools'
import type { AskView } from '../definition/answerer.ts'
import type { GrantScope } from '../definition/record.ts'
import { escapeLines, escapeText } from './escape.ts'

/** The whole ask as lines of text. */
export function renderAsk(ask: AskView): string[] {
  return [
    `Approval needed: ${escapeText(ask.view.title)}`,
    `  tool       ${escapeText(ask.tool.name)}${ask.tool.source === 'local' ? '' : ` (from ${escapeText(ask.tool.source)})`}`,
    ...renderOrigin(ask),
    `  asked by   ${escapeText(ask.by ?? 'policy')}`,
    ...(ask.reason === undefined ? [] : block('  reason     ', ask.reason)),
    ...renderTrail(ask),
    ...renderFacts(ask.view),
    ...renderArguments(ask),
    ...(ask.problems === undefined
      ? []
      : [
          '  The edited arguments do not fit:',
          ...ask.problems.map(({ path, message }) => `    ${escapeText(path === '' ? '/' : path)}: ${escapeText(message)}`),
        ]),
  ]
}

/** The chains of agents and calls, root first, where the call is not a plain one. */
function renderOrigin({ call }: AskView): string[] {
  const agents = call.agents.length === 0 && call.agent !== undefined ? [call.agent] : call.agents
  return [
    ...(agents.length === 0 ? [] : [`  agent      ${agents.map(escapeText).join(' > ')}`]),
    ...(call.parents.length === 0
      ? []
      : [`  inside     ${call.parents.map(({ callId, tool }) => `${escapeText(tool)} (${escapeText(callId)})`).join(' > ')}`]),
    `  call       ${escapeText(call.callId)} (${call.caller})`,
  ]
}

/** What each part of the call met; parts that policy allows are not listed. */
function renderTrail({ trail, by }: AskView): string[] {
  const asking = trail.filter((entry) => entry.decision === 'ask' && entry.by !== by)
  return asking.map((entry) => `  also asks  ${escapeText(entry.by)}${entry.reason === undefined ? '' : `: ${escapeText(entry.reason)}`}`)
}

function renderFacts(view: CallView): string[] {
  return [
    ...(view.incomplete === true ? ['  The tool could not say what this call would do.'] : []),
    ...(view.command === undefined ? [] : block('  command    ', view.command)),
    ...(view.cwd === undefined ? [] : [`  in folder  ${escapeText(view.cwd)}`]),
    ...(view.effects?.commands ?? []).map((command) => `  runs       ${renderCommand(command)}`),
    ...(view.paths ?? []).map(renderPath),
    ...(view.domains ?? []).map((domain) => `  contacts   ${escapeText(domain)}`),
    ...(view.diff === undefined ? [] : ['  change', ...escapeLines(view.diff).map((line) => `    ${line}`)]),
  ]
}

/** Words as the program gets them; a word that only the shell knows is shown as such. */
function renderCommand({ argv, wrappedBy, redirects }: SimpleCommand): string {
  const words = argv.map((word) => (word === null ? '<not literal>' : quoted(word)))
  const targets = redirects.map(({ operator, target }) => `${escapeText(operator)} ${target === null ? '<not literal>' : quoted(target)}`)
  const wrapped = wrappedBy === undefined || wrappedBy.length === 0 ? '' : ` (inside ${wrappedBy.map(escapeText).join(', ')})`
  return `${[...words, ...targets].join(' ')}${wrapped}`
}

function quoted(word: string): string {
  const shown = escapeText(word)
  return shown === word && /^[\w@%+=:,./-]+$/.test(word) ? word : `'${shown.replaceAll("'", String.raw`'\''`)}'`
}

function renderPath({ path, resolved, access, protected: guarded }: NonNullable<CallView['paths']>[number]): string {
  const where = resolved === undefined ? `${escapeText(path)} (cannot be resolved)` : escapeText(resolved)
  const given = resolved === undefined || resolved === path ? '' : ` (given as ${escapeText(path)})`
  return `  ${access === 'write' ? 'writes' : 'reads '}     ${where}${given}${guarded === true ? ' [protected]' : ''}`
}

function renderArguments({ args }: AskView): string[] {
  return ['  arguments', ...escapeLines(JSON.stringify(args, null, 2)).map((line) => `    ${line}`)]
}

/** A label, then the lines of a text below each other. */
function block(label: string, text: string): string[] {
  const indent = ' '.repeat(label.length)
  return escapeLines(text).map((line, index) => `${index === 0 ? label : indent}${line}`)
}

/** One way of remembering an approval. */
export interface RememberChoice {
  scope: GrantScope
  match: 'exact' | { rule: string }
}

/** Everything that was offered beside 'once', narrowest first. */
export function rememberChoices({ offer }: AskView): RememberChoice[] {
  const matches: RememberChoice['match'][] = ['exact', ...offer.rules.map((rule) => ({ rule }))]
  return matches.flatMap((match) => offer.scopes.filter((scope) => scope !== 'once').map((scope) => ({ scope, match })))
}

const SCOPES: { readonly [scope in GrantScope]: string } = {
  once: 'this call only',
  turn: 'for the rest of this turn',
  session: 'for this session',
  agent: 'for this agent in this project, 30 days',
  project: 'for every agent in this project, 30 days',
  user: 'everywhere for you, 30 days',
}

export function renderChoice(choice: RememberChoice, number: number): string {
  const what = choice.match === 'exact' ? 'exactly this call' : escapeText(choice.match.rule)
  return `  ${number}  ${what}, ${SCOPES[choice.scope]}`
}

export function renderKeys(ask: AskView): string {
  const more = rememberChoices(ask).length === 0 ? '' : '  [m] allow more'
  return `[a] allow once${more}  [e] edit  [r] reject  [Ctrl-C] cancel`
}

export const PROMPT_WORDS = {
  page: '-- more: [space] next page, [r] reject, [Ctrl-C] cancel --',
  choose: 'Remember as (number, [Esc] back): ',
  edit: 'Edited arguments, JSON on one line ([Enter] approve with these, [Esc] back):',
  reject: 'Reason for the model ([Enter] reject, [Esc] back): ',
  badJson: 'That is not JSON.',
  unedited: 'Nothing was changed.',
  badChoice: 'No such choice.',
  elsewhere: 'Answered elsewhere, or no longer needed.',
  cancelled: 'Cancelled: the call does not run.',
  approved: 'Allowed.',
  rejected: 'Rejected.',
} as const
