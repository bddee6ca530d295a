/**
 * Makes terminal output readable: escape sequences and other controls go, a redrawn line keeps its last state (S-32). Display only: rings and
 * spill files stay raw. Sequences as in ECMA-48; every expression here is linear in its input.
 */

/* oxlint-disable no-control-regex -- control characters are the subject of this file */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
/** OSC, DCS, SOS, PM and APC up to their terminator. Unterminated ones lose their introducer only. */
const STRING_SEQUENCE = /\u001b[\]PX^_][^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)/g
const CONTROL_SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g
const ESCAPE_SEQUENCE = /\u001b[ -/]*[0-~]/g
const OTHER_CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/** The beginning of a sequence that may go on in the next bytes. */
const UNFINISHED = /\u001b(?:[\]PX^_][^\u0007\u001b\u009c]{0,4096}\u001b?|\[[0-?]*[ -/]*|[ -/]*)$/

export function cleanOutput(text: string): string {
  if (!CONTROL.test(text)) return text
  const visible = text.includes('\u001b') || text.includes('\u009b') ? stripSequences(text) : text
  const redrawn = visible.includes('\r') ? keepLastStates(visible) : visible
  const typed = redrawn.includes('\b') ? applyBackspaces(redrawn) : redrawn
  return typed.replace(OTHER_CONTROLS, '')
}

/** Characters at the end that must wait for what follows: an open escape sequence, or a CR that may become CRLF. */
export function unfinishedSequence(text: string): number {
  if (text.endsWith('\r')) return 1
  const tail = text.length > 4200 ? text.slice(-4200) : text
  const start = tail.lastIndexOf('\u001b')
  if (start === -1) return 0
  const open = tail.slice(Math.max(0, start - 4100)).match(UNFINISHED)
  return open === null ? 0 : open[0].length
}

function stripSequences(text: string): string {
  return text.replace(STRING_SEQUENCE, '').replace(CONTROL_SEQUENCE, '').replace(ESCAPE_SEQUENCE, '')
}

function keepLastStates(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.includes('\r') ? lastState(line) : line))
    .join('\n')
}

function lastState(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === '\r') end -= 1
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end)
}

function applyBackspaces(text: string): string {
  const out: string[] = []
  for (const character of text) {
    if (character !== '\b') out.push(character)
    else if (out.length > 0 && out[out.length - 1] !== '\n') out.pop()
  }
  return out.join('')
}
