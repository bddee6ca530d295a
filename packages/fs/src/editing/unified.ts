/**
 * Unified diff text to patch operations. Header counts are not trusted where the lines say otherwise, numbers become hints, and an empty
 * line inside a hunk is an empty context line whose blank was lost on the way.
 */
import type { PatchHunk, PatchOperation } from '../definition/edits.ts'
import { FsError } from '../definition/errors.ts'

interface FileSection {
  from?: string
  to?: string
  renameFrom?: string
  renameTo?: string
  /** Names of the `diff --git` line, and what its lines say: all there is of a change of an empty file. */
  header?: string
  whole?: 'new' | 'deleted'
  hunks: PatchHunk[]
}

/** @throws FsError FS_PATCH_REJECTED when the text is not a unified diff */
export function parseUnified(diff: string): PatchOperation[] {
  const lines = diff.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const sections = readSections(lines)
  if (sections.length === 0) throw new FsError('FS_PATCH_REJECTED', { reason: 'no file header (---, +++) in the diff' })
  return sections.map((section) => operationOf(section))
}

function readSections(lines: readonly string[]): FileSection[] {
  const sections: FileSection[] = []
  let section: FileSection | undefined
  const open = (): FileSection => {
    const opened: FileSection = { hunks: [] }
    sections.push(opened)
    return opened
  }
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? ''
    if (line.startsWith('diff --git ')) {
      section = open()
      section.header = line.slice(11)
    } else if (section?.header !== undefined && line.startsWith('new file mode ')) section.whole = 'new'
    else if (section?.header !== undefined && line.startsWith('deleted file mode ')) section.whole = 'deleted'
    else if (line.startsWith('rename from ')) (section ??= open()).renameFrom = line.slice(12)
    else if (line.startsWith('rename to ')) (section ??= open()).renameTo = line.slice(10)
    else if (startsFile(lines, at)) {
      if (section === undefined || section.from !== undefined) section = open()
      section.from = fileName(line)
      section.to = fileName(lines[at + 1] ?? '')
      at += 2
      continue
    } else if (line.startsWith('@@')) {
      if (section === undefined) throw new FsError('FS_PATCH_REJECTED', { reason: 'a hunk before any file header' })
      const read = readHunk(lines, at)
      section.hunks.push(read.hunk)
      at = read.next
      continue
    }
    at += 1
  }
  for (const each of sections) nameEmptyFile(each)
  return sections.filter((each) => each.from !== undefined || each.renameFrom !== undefined)
}

/** An empty file that is made or removed has no `---` and `+++`, only the line before. */
function nameEmptyFile(section: FileSection): void {
  if (section.header === undefined || section.whole === undefined || section.from !== undefined) return
  const name = sameName(section.header)
  if (name === undefined) throw new FsError('FS_PATCH_REJECTED', { reason: 'the names of a file without --- and +++ differ' })
  section.from = section.whole === 'new' ? '/dev/null' : `a/${name}`
  section.to = section.whole === 'new' ? `b/${name}` : '/dev/null'
}

/** `a/NAME b/NAME`, where a name may hold blanks or be quoted: the only way to halve it in which both sides agree. */
function sameName(header: string): string | undefined {
  const text = header.trimEnd()
  const half = (text.length - 1) / 2
  const [left, right] = [text.slice(0, half), text.slice(half + 1)].map((side) =>
    side.length > 1 && side.startsWith('"') && side.endsWith('"') ? unquote(side.slice(1, -1)) : side,
  )
  if (text[half] !== ' ' || left?.startsWith('a/') !== true || right?.startsWith('b/') !== true) return undefined
  return left.slice(2) === right.slice(2) ? left.slice(2) : undefined
}

function startsFile(lines: readonly string[], at: number): boolean {
  return (lines[at] ?? '').startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ')
}

/** Name behind `--- ` or `+++ `; a tab starts a time stamp. */
function fileName(header: string): string {
  const name = header.slice(4).split('\t', 1)[0] ?? ''
  return name.startsWith('"') && name.endsWith('"') ? unquote(name.slice(1, -1)) : name.trimEnd()
}

function unquote(text: string): string {
  const bytes: number[] = []
  const named: { [letter: string]: number } = { n: 10, t: 9, r: 13, '"': 34, '\\': 92, a: 7, b: 8, f: 12, v: 11 }
  for (let at = 0; at < text.length; at += 1) {
    const octal = /^\\([0-7]{3})/.exec(text.slice(at, at + 4))
    if (octal !== null) {
      bytes.push(Number.parseInt(octal[1] ?? '0', 8))
      at += 3
    } else if (text[at] === '\\') {
      at += 1
      bytes.push(named[text[at] ?? ''] ?? 92)
    } else {
      bytes.push(...Buffer.from(text[at] ?? '', 'utf8'))
    }
  }
  return Buffer.from(bytes).toString('utf8')
}

function readHunk(lines: readonly string[], start: number): { hunk: PatchHunk; next: number } {
  const numbers = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[start] ?? '')
  const hunk: PatchHunk = { old: [], new: [] }
  let oldLeft = Number(numbers?.[2] ?? 1)
  let newLeft = Number(numbers?.[4] ?? 1)
  // `-N,0` stands behind line N.
  if (numbers !== null) hunk.line = Number(numbers[1]) + (oldLeft === 0 ? 1 : 0)
  let at = start + 1
  let last: ' ' | '-' | '+' = ' '
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const counted = numbers !== null && (oldLeft > 0 || newLeft > 0)
    if (line.startsWith('@@') || line.startsWith('diff --git ') || (!counted && startsFile(lines, at))) break
    if (startsFile(lines, at) && (lines[at + 2] ?? '').startsWith('@@')) break
    const sign = line[0]
    if (sign === '\\') {
      if (last !== '+') hunk.oldNoEol = true
      if (last !== '-') hunk.newNoEol = true
      continue
    }
    if (sign !== ' ' && sign !== '-' && sign !== '+' && line !== '') break
    if (line === '' && !counted && !continues(lines, at)) break
    last = sign === '-' || sign === '+' ? sign : ' '
    if (last !== '+') hunk.old.push(line.slice(1))
    if (last !== '-') hunk.new.push(line.slice(1))
    if (last !== '+') oldLeft -= 1
    if (last !== '-') newLeft -= 1
  }
  dropTrailingBlank(hunk, { lines, end: at })
  return { hunk, next: at }
}

/** Whether behind empty lines the hunk goes on. */
function continues(lines: readonly string[], from: number): boolean {
  let at = from
  while (at < lines.length && lines[at] === '') at += 1
  return at < lines.length && /^[-+ ]/.test(lines[at] ?? '') && !startsFile(lines, at)
}

/** An empty line that ends the text is the end of the text, not context, though the counts were wrong and asked for more. */
function dropTrailingBlank(hunk: PatchHunk, { lines, end }: { lines: readonly string[]; end: number }): void {
  if (end !== lines.length || lines.at(-1) !== '') return
  if (hunk.old.at(-1) === '' && hunk.new.at(-1) === '' && lines.at(-1) === '') {
    hunk.old.pop()
    hunk.new.pop()
  }
}

function operationOf(section: FileSection): PatchOperation {
  const from = section.renameFrom ?? plainName(section.from ?? '', section)
  const to = section.renameTo ?? plainName(section.to ?? '', section)
  if (section.from === '/dev/null') {
    const added = section.hunks.flatMap((hunk) => hunk.new)
    const noEol = section.hunks.some((hunk) => hunk.newNoEol === true)
    return { kind: 'add', path: to, content: added.length === 0 ? '' : added.join('\n') + (noEol ? '' : '\n') }
  }
  if (section.to === '/dev/null') return { kind: 'delete', path: from }
  return { kind: 'update', path: from, hunks: section.hunks, ...(from === to ? {} : { moveTo: to }) }
}

/** Without the `a/` and `b/` of version control, where both sides have them. */
function plainName(name: string, section: FileSection): string {
  const prefixed = (side: string | undefined, prefix: string): boolean => side === '/dev/null' || (side ?? '').startsWith(prefix)
  return name !== '/dev/null' && prefixed(section.from, 'a/') && prefixed(section.to, 'b/') ? name.slice(2) : name
}
