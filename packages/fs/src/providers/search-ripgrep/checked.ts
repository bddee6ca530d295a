/**
 * Printed lines become findings: grouped by file, read again through the walk, put together with their context.
 */
import type { Finding, FindWant } from '../../search/engine.ts'
import type { ScannedHit } from '../../search/scan-text.ts'
import { createDescent, type Descent } from '../search/descent.ts'
import type { GroundPlace } from '../search/ground-place.ts'
import { openHitFile, type HitFile } from './hit-file.ts'
import type { Printed, PrintedLine } from './output.ts'

interface Check {
  place: GroundPlace
  want: FindWant
  /** Absent when the place is a file. */
  descent: Descent | undefined
}

/** The engine prints file by file; so many findings are checked and given out together, or what there is after that time. */
const BATCH_FINDINGS = 64
const BATCH_MS = 50

/** No batch waits for files beyond the limit. */
export async function* checkedLines(
  place: GroundPlace,
  printed: AsyncIterable<Printed[]>,
  want: FindWant,
): AsyncGenerator<readonly Finding[]> {
  const check: Check = { place, want, descent: place.kind === 'file' ? undefined : createDescent(place.procPath) }
  const most = want.spec.limit
  let group: PrintedLine[] = []
  let hits = 0
  let batch: Finding[] = []
  let given = performance.now()
  let found = 0
  const close = (): void => {
    for (const finding of checkedGroup(check, group)) {
      batch.push(finding)
      if (finding.kind === 'file') found += finding.hits.length
    }
    group = []
    hits = 0
  }
  try {
    for await (const records of printed) {
      for (const record of records) {
        const [first] = group
        const other = first !== undefined && (record.kind === 'binary' || record.kind === 'stopped' || !first.path.equals(record.path))
        if (other || hits > most) close()
        if (found > most) {
          yield batch
          batch = []
          found = 0
        }
        if (record.kind === 'binary') batch.push({ kind: 'binary', path: placePath(check, record.path) })
        else if (record.kind === 'stopped')
          batch.push({ kind: 'warning', text: `${placePath(check, record.path)}: not searched beyond its first NUL byte` })
        else {
          group.push(record)
          if (record.kind === 'match') hits += 1
        }
      }
      if (batch.length < BATCH_FINDINGS && performance.now() - given < BATCH_MS) continue
      if (batch.length > 0) yield batch
      batch = []
      given = performance.now()
    }
    close()
    if (batch.length > 0) yield batch
  } finally {
    check.descent?.close()
  }
}

/** Counts cannot be read again; their files can. */
export async function* checkedCounts(
  place: GroundPlace,
  printed: AsyncIterable<{ path: Buffer; count: number }[]>,
  want: FindWant,
): AsyncGenerator<readonly Finding[]> {
  const check: Check = { place, want, descent: place.kind === 'file' ? undefined : createDescent(place.procPath) }
  try {
    for await (const counts of printed) {
      const batch: Finding[] = []
      for (const { path: raw, count } of counts) {
        const path = placePath(check, raw)
        if (check.descent !== undefined && !want.filter.accepts(path)) continue
        const file = openBelow(check, path)
        if (file === undefined) continue
        file.close()
        batch.push({ kind: 'file', path, hits: [], count })
        if (batch.length <= want.spec.limit) continue
        yield batch.splice(0)
      }
      yield batch
    }
  } finally {
    check.descent?.close()
  }
}

function* checkedGroup(check: Check, group: readonly PrintedLine[]): Generator<Finding> {
  const [first] = group
  if (first === undefined) return
  const path = placePath(check, first.path)
  if (check.descent !== undefined && !check.want.filter.accepts(path)) return
  if (path.includes('\uFFFD')) {
    // A name that is not UTF-8 cannot be addressed by its text.
    yield { kind: 'unreadable', path }
    return
  }
  const file = openBelow(check, path)
  if (file === undefined) return
  try {
    const hits = hitsOf(file, group, check.want.spec)
    const matches = group.filter(({ kind }) => kind === 'match').length
    if (hits.length < matches) yield { kind: 'warning', text: `${path}: changed during the search` }
    if (hits.length > 0) yield { kind: 'file', path, hits, count: hits.length }
  } finally {
    file.close()
  }
}

function hitsOf(
  file: HitFile,
  group: readonly PrintedLine[],
  { before, after, multiline }: { before: number; after: number; multiline: boolean },
): ScannedHit[] {
  const byNumber = new Map(group.map((line) => [line.line, line]))
  const around = (from: number, step: number, most: number): string[] => {
    const texts: string[] = []
    for (let number = from + step; texts.length < most; number += step) {
      const line = byNumber.get(number)
      const text = line === undefined ? undefined : file.context(line)
      if (text === undefined) break
      texts.push(text)
    }
    return step < 0 ? texts.toReversed() : texts
  }
  return group.flatMap((line): ScannedHit[] => {
    // In a run of matching lines the engine tells only where the first match begins.
    const continues = multiline && byNumber.get(line.line - 1)?.kind === 'match'
    const shown = line.kind === 'match' ? file.hit(continues ? { ...line, column: 1 } : line) : undefined
    if (shown === undefined) return []
    const hit: ScannedHit = { line: line.line, ...shown }
    if (before > 0) hit.before = around(line.line, -1, before)
    if (after > 0) hit.after = around(line.line, 1, after)
    return [hit]
  })
}

function openBelow({ place, descent }: Check, path: string): HitFile | undefined {
  if (descent === undefined) return openHitFile(place.procPath, { followed: true })
  const at = path.lastIndexOf('/')
  const directory = descent.into(at === -1 ? '' : path.slice(0, at))
  return directory === undefined ? undefined : openHitFile(`${directory}/${path.slice(at + 1)}`, { followed: false })
}

function placePath({ place }: Check, raw: Buffer): string {
  if (place.kind === 'file') return ''
  const path = raw.toString('utf8')
  return path.startsWith('./') ? path.slice(2) : path
}
