/**
 * What a model sees of a change (F-71): one line of fact, the hunks up to 4 KiB, and what else is worth knowing.
 */
import type { ContentBlock } from '@toolseam/core-tools'
import type { Hunk, MatchReport } from '../definition/edits.ts'
import type { Change } from '../definition/file-system.ts'
import { countText, factLines, shownName, textBlock, visible } from './render-text.ts'
import type { DeleteValue, EditValue, MoveValue, PatchValue, WriteValue } from './values.ts'

const HUNK_BYTES = 4 * 1024

export function renderWrite(value: WriteValue): ContentBlock[] {
  const verb = value.created ? 'Created' : 'Wrote'
  // A new file is what was just sent: nothing is shown twice.
  const hunks = value.created ? [] : hunkLines(value.hunks)
  return textBlock([`${verb} ${shownName(value.path)} (${sizes(value)})`, ...hunks, ...factLines(value.notes.map(visible))].join('\n'))
}

function sizes({ added, removed, created, bytes }: WriteValue): string {
  const size = `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`
  return created ? size : `${size}, +${added} -${removed}`
}

export function renderEdit(value: EditValue): ContentBlock[] {
  const line = `Edited ${shownName(value.path)} (${countText(value.replaced, 'replacement')})`
  return textBlock(
    [line, ...hunkLines(value.hunks), ...factLines([...value.matches.flatMap(matchFact), ...value.notes.map(visible)])].join('\n'),
  )
}

function matchFact({ how, lines }: MatchReport, index: number, all: readonly MatchReport[]): string[] {
  const which = all.length === 1 ? '' : `edit ${index + 1}: `
  switch (how) {
    case 'exact':
      return []
    case 'eol':
      return [`${which}found with other line ends`]
    case 'trailing-blanks':
      return [`${which}found without regard to blanks at line ends`]
    case 'indent':
      return [`${which}found with another indentation at line ${lines[0] ?? 0}; the new lines were moved alike`]
    default:
      return how satisfies never
  }
}

export function renderPatch(value: PatchValue): ContentBlock[] {
  const lines = [`Patched ${countText(value.files.length, 'file')}`]
  const budget = { left: HUNK_BYTES }
  for (const file of value.files) {
    lines.push(changeLine(file), ...hunkLines(file.kind === 'create' ? [] : file.hunks, budget), ...factLines(file.notes.map(visible)))
  }
  return textBlock(lines.join('\n'))
}

function changeLine({ kind, path, from, added, removed }: Change): string {
  const name = shownName(path)
  switch (kind) {
    case 'create':
      return `created ${name} (+${added})`
    case 'modify':
      return `changed ${name} (+${added} -${removed})`
    case 'delete':
      return `deleted ${name}`
    case 'move':
      return `moved ${shownName(from ?? '')} to ${name} (+${added} -${removed})`
    default:
      return kind satisfies never
  }
}

export function renderMove(value: MoveValue): ContentBlock[] {
  const replaced = value.replaced === true ? ', replacing what was there' : ''
  return textBlock(
    [`Moved ${shownName(value.from)} to ${shownName(value.to)}${replaced}`, ...factLines(value.notes.map(visible))].join('\n'),
  )
}

export function renderDelete(value: DeleteValue): ContentBlock[] {
  const count = value.removed > 1 ? ` (${countText(value.removed, 'entry', 'entries')})` : ''
  const facts = value.undoable ? [] : ['this cannot be undone']
  return textBlock([`Deleted ${shownName(value.path)}${count}`, ...factLines([...facts, ...value.notes.map(visible)])].join('\n'))
}

/** Hunks as in a unified diff, whole lines, up to the budget. */
export function hunkLines(hunks: readonly Hunk[], budget: { left: number } = { left: HUNK_BYTES }): string[] {
  const lines: string[] = []
  for (const [index, hunk] of hunks.entries()) {
    for (const line of [hunkHead(hunk), ...hunk.lines.map((each) => visible(each.endsWith('\r') ? each.slice(0, -1) : each))]) {
      budget.left -= Buffer.byteLength(line) + 1
      if (budget.left < 0) {
        lines.push(`[hunks cut here; ${countText(hunks.length - index, 'hunk')} not shown whole]`)
        return lines
      }
      lines.push(line)
    }
  }
  return lines
}

function hunkHead({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`
}

/** A unified diff of one file, for people and policies (F-70). */
export function unifiedDiff({ from, to, hunks }: { from: string | undefined; to: string | undefined; hunks: readonly Hunk[] }): string {
  const heads = [`--- ${from === undefined ? '/dev/null' : `a/${from}`}`, `+++ ${to === undefined ? '/dev/null' : `b/${to}`}`]
  return [...heads, ...hunks.flatMap((hunk) => [hunkHead(hunk), ...hunk.lines])].join('\n')
}
