/**
 * Opening a file that exists: every record is checked; an incomplete or damaged last one is cut off and kept beside the file; damage before it is
 * never skipped (E-47).
 */
import { appendFile, type FileHandle } from 'node:fs/promises'
import { JournalError } from '../../definition/errors.ts'
import { type Line, linesOf } from './lines.ts'
import { parseRecord } from './record.ts'

export interface Opened {
  /** Number of the last whole record; 0 for none. */
  readonly last: number
  /** Bytes of whole records. */
  readonly size: number
  readonly tornBytes: number
}

export async function repair(file: FileHandle, path: string): Promise<Opened> {
  let last = 0
  let size = 0
  let bad: Line | undefined
  for await (const line of linesOf(file)) {
    if (bad !== undefined) throw corrupt(path, bad, last + 1)
    const parsed = line.complete ? parseRecord(line.text, last === 0) : ({ kind: 'damaged' } as const)
    if (parsed.kind === 'version') {
      throw new JournalError('JOURNAL_VERSION', `${path} holds records of version ${String(parsed.version)}, which is not known here`, {
        path,
        version: parsed.version,
      })
    }
    if (parsed.kind === 'damaged') {
      bad = line
      continue
    }
    if (parsed.entry.seq !== last + 1) throw corrupt(path, line, last + 1)
    last += 1
    size += line.bytes
  }
  if (bad === undefined) return { last, size, tornBytes: 0 }
  await cutOff(file, { path, line: bad, size })
  return { last, size, tornBytes: bad.bytes }
}

/** The bytes are saved before they are cut: a crash in between leaves them twice, never nowhere. */
async function cutOff(file: FileHandle, { path, line, size }: { path: string; line: Line; size: number }): Promise<void> {
  const torn = Buffer.alloc(line.bytes)
  await file.read(torn, 0, line.bytes, line.offset)
  await appendFile(`${path}.torn`, torn, { mode: 0o600, flush: true })
  await file.truncate(size)
  await file.datasync()
}

function corrupt(path: string, { offset }: Line, seq: number): JournalError {
  return new JournalError('JOURNAL_CORRUPT', `${path} is damaged at byte ${offset}, where record ${seq} should be`, { path, offset, seq })
}
