/**
 * A notebook as its cells (F-51): sources as they are, text outputs up to 2 KiB, everything else left out and said.
 */

const OUTPUT_BYTES = 2048

interface Cell {
  cell_type?: unknown
  source?: unknown
  outputs?: unknown
}

/** The cells as text; undefined when the text is not a notebook. */
export function notebookCells(json: string): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(json)
  } catch {
    return undefined
  }
  if (!isRecord(parsed) || !Array.isArray(parsed['cells']) || typeof parsed['nbformat'] !== 'number') return undefined
  return parsed['cells'].map((cell, index) => renderCell(isRecord(cell) ? cell : {}, index + 1)).join('\n')
}

function renderCell(cell: Cell, number: number): string {
  const kind = typeof cell.cell_type === 'string' ? cell.cell_type : 'unknown'
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.map((output) => renderOutput(output)) : []
  return [`[cell ${number}: ${kind}]`, joined(cell.source), ...outputs].join('\n')
}

function renderOutput(output: unknown): string {
  if (!isRecord(output)) return '[output left out]'
  const data = isRecord(output['data']) ? output['data'] : {}
  const error = Array.isArray(output['traceback']) ? `${String(output['ename'])}: ${String(output['evalue'])}` : undefined
  const text = error ?? joined(output['text'] ?? data['text/plain'])
  const kinds = Object.keys(data).filter((kind) => kind !== 'text/plain')
  const left = kinds.length > 0 ? `\n[output left out: ${kinds.join(', ')}]` : ''
  const bytes = Buffer.byteLength(text)
  return (bytes > OUTPUT_BYTES ? `[output of ${bytes} bytes left out]` : `[output]\n${text}`) + left
}

function joined(source: unknown): string {
  if (typeof source === 'string') return source
  return Array.isArray(source) ? source.map(String).join('') : ''
}

function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
