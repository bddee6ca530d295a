/**
 * Refusals in words: the facts and the next possible step, nothing else (F-71).
 */
import type { FactValue, FsError, FsErrorCode, FsErrorDetails } from '../definition/errors.ts'
import { bytesText, countText, shownName, visible } from './render-text.ts'

export function renderRefusal({ code, details }: Pick<FsError, 'code' | 'details'>): string {
  const path = typeof details.path === 'string' ? shownName(details.path) : 'The path'
  return SENTENCES[code](path, details)
}

type Sentence = (path: string, details: FsErrorDetails) => string

const SENTENCES: { [Code in FsErrorCode]: Sentence } = {
  FS_BAD_PATH: (path, { reason }) => `${path === '' ? 'An empty path' : path} cannot be used as a path${because(reason)}.`,
  FS_OUTSIDE_ROOT: (path, { link }) =>
    `${path} is outside the workspace${typeof link === 'string' ? ` (through the link ${shownName(link)})` : ''}. Only paths inside it can be used.`,
  FS_LOOP: (path) => `${path} leads through more than 40 links.`,
  FS_NOT_FOUND: (path, { candidates }) => `${path} does not exist.${proposal(candidates)}`,
  FS_AMBIGUOUS_NAME: (path, { candidates }) =>
    `${path} differs from a name that is there only in Unicode normalisation: ${list(candidates)}. Use that name, or another one.`,
  FS_IS_DIRECTORY: (path) => `${path} is a directory, not a file. Use list to see what is in it.`,
  FS_NOT_DIRECTORY: (path, { at, kind }) =>
    typeof at === 'string' ? `${path}: ${shownName(at)} is a ${text(kind)}, not a directory.` : `${path} is not a directory.`,
  FS_NOT_REGULAR: (path, { kind }) => `${path} is a ${text(kind ?? 'special file')}, not a regular file.`,
  FS_NOT_EMPTY: (path, { entries }) =>
    `${path} is not empty${typeof entries === 'number' ? ` (${countText(entries, 'entry', 'entries')})` : ''}. Set recursive to delete it with all that is in it.`,
  FS_ALREADY_EXISTS: (path) => `${path} already exists.`,
  FS_PROTECTED: (path, { reason }) => `${path} is protected${because(reason)}.`,
  FS_NOT_OBSERVED: (path, { needed, seen }) => notObserved(path, needed, seen),
  FS_STALE_VERSION: (path, { actual }) =>
    actual === 'missing'
      ? `${path} was removed since it was read.`
      : `${path} changed since it was read. Read it again before changing it.`,
  FS_EMPTY_MATCH: (path, details) => `${edit(details)}The text to replace in ${path} is empty. Give the text as it stands in the file.`,
  FS_NO_CHANGE: (path, details) => `${edit(details)}${path} would not change: old and new are the same.`,
  FS_NO_MATCH: (path, details) =>
    `${edit(details)}The text to replace was not found in ${path}${because(details['reason'])}.${nearest(details['nearest'])}`,
  FS_AMBIGUOUS_MATCH: (path, details) => {
    const count = typeof details['count'] === 'number' ? details['count'] : 0
    const lines = Array.isArray(details['lines']) ? details['lines'].map(text).join(', ') : ''
    return `${edit(details)}The text to replace stands at ${countText(count, 'place')} in ${path} (lines ${lines}${count > 10 ? ', ...' : ''}). Give more lines around it, or set all.`
  },
  FS_OVERLAPPING_EDITS: (path, { lines }) => `Two edits of ${path} overlap (near lines ${list(lines)}). Join them to one.`,
  FS_PATCH_REJECTED: (path, { path: named, hunk, reason, lines }) => {
    const where = typeof hunk === 'number' ? `Hunk ${hunk} of ${path}` : typeof named === 'string' ? path : 'The patch'
    return `${where}: ${text(reason ?? 'it does not fit')}${Array.isArray(lines) ? ` (lines ${list(lines)})` : ''}. No file was changed.`
  },
  FS_BINARY: (path, { size }) => `${path} is a binary file${typeof size === 'number' ? ` (${bytesText(size)})` : ''}.`,
  FS_ENCODING: (path, { encoding, reason }) =>
    encoding === undefined
      ? `The text for ${path} cannot be encoded${because(reason)}.`
      : `${path} is not valid UTF-8, so that an edit could damage it. It was not changed.`,
  FS_TOO_LARGE: (path, { size, limit }) =>
    `${path}: ${bytesText(Number(size))} are more than the ${bytesText(Number(limit))} that are possible here.`,
  FS_RANGE: (path, { offset, lines }) => `Line ${text(offset)} is past the end of ${path}, which has ${countText(Number(lines), 'line')}.`,
  FS_UNSUPPORTED_MEDIA: (path, details) => unsupported(path, details),
  FS_INVALID_PATTERN: (_path, { reason }) => `The pattern is not valid${because(reason)}.`,
  FS_SEARCH_FAILED: (_path, { reason }) => `The search failed${because(reason)}.`,
  FS_DISK_FULL: (path) => `There is no space left on the device. ${path} was not changed.`,
  FS_PERMISSION: (path, { errno }) => `The host does not permit this for ${path}${because(errno)}.`,
  FS_READ_ONLY: (path, { reason }) =>
    `${path} is ${reason === 'root' ? 'in a folder that is only for reading' : 'on a read-only file system'}.`,
  FS_BUSY: (path) => `${path} is in use by something else right now.`,
  FS_IO: (path, { errno, reason }) => `The host could not do this for ${path}${because(errno ?? reason)}.`,
  FS_HARD_LINK: (path, { links }) => `${path} has ${text(links)} hard links; writing it would change the others or leave them behind.`,
  FS_UNDO_CONFLICT: (path, { conflicts }) =>
    `The change cannot be taken back without losing later work${conflicts === undefined ? ` in ${path}` : ` in ${list(conflicts)}`}. Nothing was changed.`,
  TOOL_ABORTED: () => 'The call was cancelled; nothing was changed.',
}

function notObserved(path: string, needed: FactValue | undefined, seen: FactValue | undefined): string {
  const whole = needed === 'whole'
  if (isRecord(seen))
    return `Only ${text(seen['bytes'])} of ${text(seen['of'])} bytes of ${path} were read. Read the rest before writing the whole file, or use edit.`
  if (needed === 'name') return `${path} was not seen yet. Read or list it first.`
  return `${path} was not read yet. Read it ${whole ? 'whole ' : ''}before changing it.`
}

function unsupported(path: string, { reason, kind, mimeType, width, height, size, limit }: FsErrorDetails): string {
  const what = text(mimeType ?? kind ?? 'this kind of file')
  if (reason === 'size') return `${path} (${what}) has ${bytesText(Number(size))}; at most ${bytesText(Number(limit))} can be shown.`
  if (reason === 'dimensions')
    return `${path} (${what}) has ${text(width)} x ${text(height)} pixels; at most ${text(limit)} a side can be shown.`
  if (reason === 'corrupt') return `${path} is damaged: it does not hold a whole ${what}.`
  return `${path} is ${what}, which cannot be shown.`
}

function edit({ edit: index, of }: FsErrorDetails): string {
  return typeof index === 'number' ? `Edit ${index} of ${text(of)}: ` : ''
}

function nearest(found: FactValue | undefined): string {
  if (!isRecord(found)) return ''
  const { line, text: shown, matched, of } = found
  const stands = matched === 0 ? '' : `; ${text(matched)} of ${text(of)} lines stand there`
  return ` Nearest is line ${text(line)}${stands}: ${visible(text(shown))}`
}

function proposal(candidates: FactValue | undefined): string {
  return Array.isArray(candidates) && candidates.length > 0 ? ` There is: ${list(candidates)}.` : ''
}

function because(reason: FactValue | undefined): string {
  return reason === undefined || reason === null ? '' : ` (${visible(text(reason))})`
}

function list(values: FactValue | undefined): string {
  return Array.isArray(values) ? values.map((value) => shownName(text(value))).join(', ') : text(values ?? '')
}

function text(value: FactValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

function isRecord(value: FactValue | undefined): value is { readonly [key: string]: FactValue | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
