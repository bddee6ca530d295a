/**
 * Reading (F-50): facts, bytes, windows of text. A window that is given out is noted as seen by the target's agent.
 */
import { FsError, isFsError } from '../../definition/errors.ts'
import type { FileFacts, FileTarget, ReadWindow, TextEncoding, TextWindow } from '../../definition/file-system.ts'
import type { Version } from '../../definition/versions.ts'
import { readWindow, resolveWindow, COUNTED_BYTES, type ByteSource, type LinesWindow } from '../../reading/window.ts'
import { decodeFile, SNIFFED_BYTES, sniffEncoding } from '../../text/encoding.ts'
import { readStable, refuseAborted, refuseIrregular, refuseState, versionOf, withSpot, type Core } from './core.ts'
import { notFound } from './resolve.ts'
import type { OpenFile, Spot } from './storage.ts'

export function statTarget(core: Core, target: FileTarget): Promise<FileFacts> {
  return withSpot(core, target, async (spot) => {
    refuseState(core, spot, 'read')
    const { facts, path } = spot
    if (facts === undefined) return { path, kind: 'missing', size: 0, mode: 0, links: 0, mtimeMs: 0 }
    const { kind, size, mode, links, mtimeMs } = facts
    return { path, kind, size, mode, links, mtimeMs, version: versionOf(facts) }
  })
}

export function readBytes(
  core: Core,
  target: FileTarget,
  range: { offset: number; length: number; signal?: AbortSignal },
): Promise<Uint8Array> {
  return withOpen(core, target, async (_spot, file) => {
    refuseAborted(range.signal, target.path)
    return file.read(range.offset, range.length)
  })
}

export function readText(core: Core, target: FileTarget, window: ReadWindow): Promise<TextWindow> {
  return withOpen(core, target, async (spot, file) => {
    refuseAborted(window.signal, spot.path)
    const read =
      file.facts.size <= COUNTED_BYTES ? await readCounted(core, spot, { file, window }) : await readStreamed(spot, { file, window })
    core.book.view(target.agent).note(spot, { version: read.version, seen: read.seen })
    const { lines, bom, encoding, size, version } = read
    const { seen: _seen, ...shown } = lines
    const notes = [...target.notes, ...(encoding === 'unknown-8bit' ? ['not valid UTF-8: undecodable bytes are shown as marks'] : [])]
    return { path: spot.path, ...shown, bom, encoding, size, version, notes }
  })
}

/** Times a file may be replaced between walk and opening, where the walk does not hold it (F-13). */
const MOST_ATTEMPTS = 20

async function withOpen<T>(core: Core, target: FileTarget, use: (spot: Spot, file: OpenFile) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const done = await withSpot(core, target, async (spot): Promise<{ value: T } | undefined> => {
      refuseState(core, spot, 'read')
      if (spot.facts === undefined) throw await notFound(core, spot)
      refuseIrregular(spot, spot.facts)
      const file = await openOrReplaced(core, spot, attempt)
      if (file === undefined) return undefined
      try {
        return { value: await use(spot, file) }
      } finally {
        await file.close()
      }
    })
    if (done !== undefined) return done.value
  }
}

async function openOrReplaced(core: Core, spot: Spot, attempt: number): Promise<OpenFile | undefined> {
  try {
    return await core.storage.open(spot)
  } catch (error) {
    if (isFsError(error) && error.code === 'FS_STALE_VERSION' && attempt < MOST_ATTEMPTS) return undefined
    throw error
  }
}

interface ReadText {
  lines: LinesWindow
  seen: 'whole' | [number, number][]
  bom: boolean
  encoding: TextEncoding
  size: number
  version: Version
}

/** Small files: one stable reading, hashed, decoded whole. */
async function readCounted(core: Core, spot: Spot, { file, window }: { file: OpenFile; window: ReadWindow }): Promise<ReadText> {
  const { bytes, version } = await readStable(core, spot, { file, mostBytes: COUNTED_BYTES * 2 })
  const { body, bom, encoding } = decodeFile(bytes, spot.path)
  const lines = await readWindow(bufferSource(body), resolveWindow(window), spot.path)
  const whole = lines.seen[0] === 0 && lines.seen[1] === body.length
  const seen: ReadText['seen'] = whole ? 'whole' : [rangeInFile(lines.seen, { body, encoding, bomBytes: bytes.length - body.length })]
  return { lines, seen, bom, encoding, size: bytes.length, version }
}

/** Large files: only the window is read; the version is their stamp. */
async function readStreamed(spot: Spot, { file, window }: { file: OpenFile; window: ReadWindow }): Promise<ReadText> {
  const { size } = file.facts
  const sniffed = sniffEncoding(await file.read(0, SNIFFED_BYTES))
  if (sniffed.encoding === 'binary') throw new FsError('FS_BINARY', { path: spot.path, size })
  if (sniffed.encoding !== 'utf-8')
    throw new FsError('FS_TOO_LARGE', { path: spot.path, size, limit: COUNTED_BYTES, encoding: sniffed.encoding })
  const { bomBytes } = sniffed
  const source: ByteSource = {
    size: size - bomBytes,
    read: (offset, length) => {
      refuseAborted(window.signal, spot.path)
      return file.read(offset + bomBytes, Math.min(length, size - bomBytes - offset))
    },
  }
  const lines = await readWindow(source, resolveWindow(window), spot.path)
  const seen: [number, number] = [lines.seen[0] === 0 ? 0 : lines.seen[0] + bomBytes, lines.seen[1] + bomBytes]
  return { lines, seen: [seen], bom: sniffed.bom, encoding: 'utf-8', size, version: versionOf(file.facts) }
}

function bufferSource(body: Buffer): ByteSource {
  return { size: body.length, read: (offset, length) => Promise.resolve(body.subarray(offset, offset + length)) }
}

function rangeInFile(
  [start, end]: readonly [number, number],
  { body, encoding, bomBytes }: { body: Buffer; encoding: TextEncoding; bomBytes: number },
): [number, number] {
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    const units = (upTo: number): number => 2 + body.toString('utf8', 0, upTo).length * 2
    return [start === 0 ? 0 : units(start), units(end)]
  }
  return [start === 0 ? 0 : start + bomBytes, end + bomBytes]
}
