/**
 * What a model sees of a file that was read (F-71).
 */
import type { ContentBlock } from '@toolseam/core-tools'
import { bytesText, countText, factLines, textBlock, visible } from './render-text.ts'
import type { ReadImage, ReadText, ReadValue } from './values.ts'

export function renderRead(value: ReadValue): ContentBlock[] {
  switch (value.kind) {
    case 'text':
      return textBlock(renderText(value))
    case 'image':
      return [...textBlock(imageLine(value)), { type: 'image', data: value.data, mimeType: value.mimeType }]
    case 'document':
      return [
        ...textBlock(`[${value.mimeType}, ${bytesText(value.size)}]`),
        { type: 'resource', resource: { uri: documentUri(value.path), mimeType: value.mimeType, blob: value.data } },
      ]
    default:
      return value satisfies never
  }
}

function documentUri(path: string): string {
  return `file:///${path.split('/').map(encodeURIComponent).join('/').replace(/^\//, '')}`
}

function imageLine({ mimeType, width, height, size }: ReadImage): string {
  return `[${mimeType}, ${width} x ${height}, ${bytesText(size)}]`
}

function renderText(value: ReadText): string {
  return [...numberedLines(value), ...factLines(textFacts(value))].join('\n')
}

function numberedLines({ text, startLine, endLine }: ReadText): string[] {
  if (endLine < startLine) return []
  return text.split('\n').map((line, index) => `${startLine + index}\t${visible(line)}`)
}

function textFacts(value: ReadText): string[] {
  const facts: string[] = []
  if (value.size === 0) facts.push('empty file')
  const range = rangeFact(value)
  if (range !== undefined) facts.push(range)
  if (value.eol === 'crlf') facts.push('CRLF line ends')
  if (value.eol === 'mixed') facts.push('mixed line ends: LF and CRLF')
  if (value.encoding === 'utf-16le') facts.push('UTF-16 LE')
  if (value.encoding === 'utf-16be') facts.push('UTF-16 BE')
  if (value.bom && value.encoding === 'utf-8') facts.push('starts with a BOM')
  for (const line of value.cutLines.slice(0, 5)) facts.push(`line ${line} cut at 2,000 bytes`)
  if (value.cutLines.length > 5) facts.push(`${value.cutLines.length - 5} more lines cut at 2,000 bytes`)
  if (value.noFinalEol && value.size > 0) facts.push('no line end at the end of the file')
  return [...facts, ...value.notes.map((note) => visible(note))]
}

function rangeFact({ startLine, endLine, totalLines, truncated, size }: ReadText): string | undefined {
  if (startLine < 0) return `the last ${countText(endLine - startLine + 1, 'line')}, numbered from the end; the file has ${bytesText(size)}`
  if (!truncated && startLine === 1) return undefined
  const of = totalLines === null ? '' : ` of ${totalLines}`
  const next = truncated ? `; continue at offset ${endLine + 1}` : ''
  return `lines ${startLine}-${endLine}${of}${next}`
}
