/**
 * What a model sees of a directory (F-71): one entry a line, kinds told by a suffix or a word.
 */
import type { ContentBlock } from '@toolseam/core-tools'
import { factLines, shownName, textBlock } from './render-text.ts'
import type { ListValue } from './values.ts'

export function renderList(value: ListValue): ContentBlock[] {
  const facts: string[] = []
  if (value.entries.length === 0) facts.push('empty directory')
  if (value.truncated) facts.push(`the first ${value.entries.length} entries; there are more`)
  return textBlock([...value.entries.map(entryLine), ...factLines(facts)].join('\n'))
}

function entryLine({ path, kind, size, target, ignored, raw }: ListValue['entries'][number]): string {
  const name = raw === undefined ? shownName(path) : `${shownName(path)} (name is not UTF-8, cannot be addressed; bytes in base64: ${raw})`
  const tail = ignored === true ? ' (ignored)' : ''
  switch (kind) {
    case 'file':
      return `${name}\t${size ?? 0}${tail}`
    case 'directory':
      return `${name}/${tail}`
    case 'symlink':
      return `${name} -> ${shownName(target ?? '?')}${tail}`
    case 'fifo':
    case 'socket':
    case 'device':
      return `${name} (${kind})${tail}`
    default:
      return kind satisfies never
  }
}
