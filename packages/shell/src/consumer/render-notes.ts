/**
 * The words for notes and refusals, made from facts and codes (S-52). Names of variables may be told, values never.
 */
import type { JsonValue } from '@toolseam/core-tools'
import type { ShellNote } from '../definition/command.ts'
import type { ShellErrorCode } from '../definition/errors.ts'

export function renderNote(note: ShellNote): string {
  switch (note.kind) {
    case 'timeout-clamped':
      return `timeout ${note.askedMs} ms is above the limit; ${note.timeoutMs} ms held`
    case 'cwd-gone':
      return `the kept directory ${note.cwd} is gone; started in the root`
    case 'cwd-unknown':
      return 'the shell did not tell its last directory; the kept one is unchanged'
    case 'cwd-refused':
      return `${note.cwd} is missing or outside the roots; the kept directory is unchanged`
    case 'env-withheld':
      return `variables of the host that were not passed on: ${note.names.join(' ')}`
    case 'spill-failed':
      return `the whole output could not be kept: ${note.code}`
    case 'invalid-bytes':
      return `${note.count} invalid UTF-8 ${note.count === 1 ? 'sequence' : 'sequences'} shown as U+FFFD`
    case 'stuck':
      return `still alive after KILL: ${note.pids.join(' ')}`
    case 'idle':
      return `no output for ${note.idleTimeoutMs} ms`
  }
}

type Facts = { readonly [name: string]: JsonValue | undefined }

/** One sentence for each code. What is not a text or a number in `details` is told by the caller's value, not here. */
export function renderError(code: ShellErrorCode, details: Facts): string {
  switch (code) {
    case 'SHELL_UNAVAILABLE':
      return `No shell on this host (${say(details['platform'])}): ${say(details['reason'])}.`
    case 'SHELL_BAD_REQUEST':
      return badRequest(details)
    case 'SHELL_COMMAND_TOO_LARGE':
      return `The command has ${say(details['bytes'])} bytes; at most ${say(details['limit'])} are taken.`
    case 'SHELL_CWD_MISSING':
      return `No such directory: ${say(details['cwd'])}`
    case 'SHELL_CWD_OUTSIDE':
      return `The directory ${say(details['cwd'])} is outside the roots: ${list(details['roots'])}`
    case 'SHELL_START_FAILED':
      return `${say(details['file'])} could not be started: ${say(details['errno'])}`
    case 'SHELL_SANDBOX_UNAVAILABLE':
      return `Nothing on this host can confine a command to sandbox ${say(details['mode'])}, network ${say(details['network'])}: ${say(details['reason'])}. It was not run.`
    case 'SHELL_SANDBOX_FAILED':
      return 'The sandbox did not start the command.'
    case 'SHELL_JOB_UNKNOWN':
      return `No job ${say(details['job'])}. ${jobs(details['jobs'])}`
    case 'SHELL_JOB_LIMIT':
      return `${say(details['limit'])} commands are alive, which is the limit. ${jobs(details['jobs'])}`
    case 'SHELL_INPUT_CLOSED':
      return `The input of job ${say(details['job'])} is closed.`
    case 'SHELL_TERMINAL_UNAVAILABLE':
      return `A terminal needs the package ${say(details['package'])}, which is not installed.`
    case 'SHELL_HALTED':
      return 'This turn was stopped: no command is started for it.'
    case 'SHELL_HELPER_LOST':
      return 'The helper process was lost; the command was ended.'
    case 'SHELL_KILL_FAILED':
      return `Processes outlived their KILL: ${list(details['pids'])}`
    case 'SHELL_DISPOSED':
      return 'The shell is closed.'
  }
}

function badRequest(details: Facts): string {
  switch (details['reason']) {
    case 'nul':
      return 'The command holds a NUL character.'
    case 'background-only':
      return 'input pipe and terminal need background.'
    case 'slow-pattern':
      return `The pattern takes too long: ${say(details['pattern'])}`
    case 'pattern':
      return `Not a pattern: ${say(details['pattern'])}`
    case 'nothing-to-send':
      return 'Nothing to send: text, key, enter or end is needed.'
    case 'terminal-only':
      return `The key ${say(details['key'])} needs a job with input terminal.`
    default:
      return `Not usable: ${say(details['field'])}${details['name'] === undefined ? '' : ` ${say(details['name'])}`}`
  }
}

function say(value: JsonValue | undefined): string {
  return value === undefined || value === null ? 'unknown' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function list(value: JsonValue | undefined): string {
  return Array.isArray(value) ? value.map(say).join(' ') : say(value)
}

function jobs(value: JsonValue | undefined): string {
  if (!Array.isArray(value) || value.length === 0) return 'No job is alive.'
  const named = value.map((one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) ? `${say(one['job'])} ${say(one['command'])}` : say(one),
  )
  return `Alive: ${named.join('; ')}`
}
