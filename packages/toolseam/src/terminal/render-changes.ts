/** The words of changes and undo. Paths come from tools and are shown with their control characters escaped. */
import type { ChangeJournal, Hunk, RevertReport } from '@toolseam/fs'
import { printable } from './render.ts'
import type { Colors } from './streams.ts'

type Entry = Awaited<ReturnType<ChangeJournal['entries']>>[number]
type Tag = Awaited<ReturnType<ChangeJournal['tags']>>[number]

export function renderTags(tags: readonly Tag[], colors: Colors): string {
  return tags
    .map(({ tag, paths, changes, last }) => {
      const count = `${changes} ${changes === 1 ? 'change' : 'changes'}`
      return `${colors.bold(printable(tag))}  ${colors.dim(new Date(last).toISOString())}  ${count}: ${paths.map(printable).join(', ')}\n`
    })
    .join('')
}

export function renderChange({ time, kind, path, to, tag, callId, undoable }: Entry, colors: Colors): string {
  const where = to === undefined ? printable(path) : `${printable(path)} -> ${printable(to)}`
  const by = tag === callId ? printable(tag) : `${printable(tag)}, ${printable(callId)}`
  const kept = undoable ? '' : '  (cannot be undone)'
  return `  ${colors.dim(new Date(time).toISOString())}  ${kind.padEnd(6)}  ${where}  ${colors.dim(`(${by})`)}${kept}\n`
}

/** Unified hunks of each file. */
export function renderHunks(files: readonly (readonly Hunk[])[]): string {
  return files.map((hunks) => hunks.map(renderHunk).join('')).join('\n')
}

function renderHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  const head = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`
  return [head, ...lines.map((line) => printable(line.replaceAll('\t', '    ')))].map((line) => `${line}\n`).join('')
}

export function renderRevert({ files, kept, notCovered, applied, tag }: RevertReport, dryRun: boolean): string {
  const done = files.filter(({ action, conflict }) => conflict === undefined && action !== 'none')
  const lines = [
    ...done.map(({ action, path }) => `${dryRun ? 'would ' : ''}${action}  ${printable(path)}`),
    ...kept.map(({ path, why }) => `kept as it is  ${printable(path)}: ${printable(why)}`),
    ...notCovered.map((note) => `not recorded  ${printable(note)}`),
  ]
  if (done.length === 0 && kept.length === 0) lines.push('nothing is left to undo')
  if (applied && done.length > 0) lines.push(`to take this back: toolseam undo ${printable(tag)}`)
  return lines.map((line) => `${line}\n`).join('')
}
