/**
 * `Search` over any engine: resolves the query, opens the place, applies limit, order and deadline, and says what was not searched.
 */
import { FsError } from '../definition/errors.ts'
import type { GlobQuery, GlobResult, GrepHit, GrepQuery, GrepStream, GrepSummary, Search } from '../definition/search.ts'
import type { EnginePlace, FileFinding, Finding, ListFound, SearchEngine } from './engine.ts'
import type { PathPattern } from './glob-pattern.ts'
import { patternRegExp } from './glob-pattern.ts'
import { grepStream } from './grep-stream.ts'
import { readings } from './literal-first.ts'
import { filterOf, parseAll, pathFilter } from './path-filter.ts'
import { resolveGlob, resolveGrep, SEARCH_DEADLINE_MS, type GlobSpec, type GrepSpec } from './query.ts'
import { stopAfter, type Stop } from './stop.ts'

export interface EngineSearchOptions {
  /** Default 30 s. */
  deadlineMs?: number
  /** Learns every path that a result names (F-21). */
  named?(agent: string | undefined, found: readonly { path: string }[]): void
  /** Said in the notes of every result, e.g. why this engine was taken. */
  notes?: readonly string[]
}

export function createEngineSearch<Place extends EnginePlace>(engine: SearchEngine<Place>, options: EngineSearchOptions = {}): Search {
  return {
    glob: (query) => glob(engine, query, options),
    grep: (query) => grep(engine, query, options),
  }
}

async function glob<Place extends EnginePlace>(
  engine: SearchEngine<Place>,
  query: GlobQuery,
  options: EngineSearchOptions,
): Promise<GlobResult> {
  const spec = resolveGlob(query)
  const parsed = parseAll(spec.pattern)
  const stop = stopAfter(options.deadlineMs ?? SEARCH_DEADLINE_MS, query.signal)
  const place = await engine.open(spec.path, { directory: true })
  try {
    const alternatives = await Promise.all(parsed.map((pattern) => readings(pattern, (below) => place.exists(below))))
    const filter = filterOf(alternatives.flat())
    const want = { filter, includeIgnored: spec.includeIgnored, times: spec.order === 'modified', stop: stop.signal }
    const found = await engine.list(place, want)
    stop.throwIfAborted()
    if (!(await place.recheck())) throw new FsError('FS_NOT_FOUND', { path: spec.path })
    const files = preferred(found.files, alternatives)
    const paths = confirmed(engine, { place, paths: ordered(files, spec), limit: spec.limit }).map((path) => shownPath(place, path))
    options.named?.(
      query.agent,
      paths.map((path) => ({ path })),
    )
    return {
      paths,
      total: files.length,
      truncated: paths.length < files.length || stop.timedOut,
      ...(stop.timedOut ? { timedOut: true } : {}),
      engine: engine.name,
      skipped: { ignored: !spec.includeIgnored, binary: 0, unreadable: found.unreadable.map((path) => shownPath(place, path)).toSorted() },
      notes: [...(options.notes ?? [])],
    }
  } finally {
    place.close()
    stop.end()
  }
}

/** Of each pattern's readings, the files of the first that has any (F-54). */
function preferred(files: ListFound['files'], alternatives: readonly PathPattern[][]): ListFound['files'] {
  if (alternatives.every((list) => list.length === 1)) return files
  const chosen = new Set<string>()
  for (const list of alternatives) {
    for (const pattern of list) {
      const matcher = patternRegExp(pattern)
      const matching = files.filter(({ path }) => matcher.test(path))
      for (const { path } of matching) chosen.add(path)
      if (matching.length > 0) break
    }
  }
  return files.filter(({ path }) => chosen.has(path))
}

function ordered(files: ListFound['files'], { order }: GlobSpec): string[] {
  const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
  return files.toSorted(order === 'path' ? byPath : (a, b) => b.mtimeMs - a.mtimeMs || byPath(a, b)).map(({ path }) => path)
}

/** The first paths up to the limit that are still there. */
function confirmed<Place extends EnginePlace>(
  engine: SearchEngine<Place>,
  { place, paths, limit }: { place: Place; paths: readonly string[]; limit: number },
): string[] {
  const found: string[] = []
  for (let at = 0; at < paths.length && found.length < limit; at += limit) {
    const some = paths.slice(at, at + limit)
    found.push(...(engine.confirm?.(place, some) ?? some))
  }
  return found.slice(0, limit)
}

function grep<Place extends EnginePlace>(engine: SearchEngine<Place>, query: GrepQuery, options: EngineSearchOptions): GrepStream {
  return grepStream(engine.name, async function* (summary) {
    const spec = resolveGrep(query)
    const filter = pathFilter(spec.include)
    const stop = stopAfter(options.deadlineMs ?? SEARCH_DEADLINE_MS, query.signal)
    summary.warnings.push(...(options.notes ?? []))
    try {
      const place = await engine.open(spec.path, { directory: false })
      try {
        const directory = place.kind === 'directory'
        summary.skipped.ignored = directory && !spec.includeIgnored
        if (directory && !engine.countsBinary) summary.skipped.binary = null
        const findings = engine.find(place, { spec, filter, stop: stop.signal })
        for await (const hits of counted(findings, { spec, place, summary })) {
          options.named?.(
            query.agent,
            Array.from(new Set(hits.map(({ path }) => path)), (path) => ({ path })),
          )
          yield* hits
        }
        conclude(summary, stop)
      } finally {
        place.close()
      }
    } finally {
      stop.end()
    }
  })
}

function conclude(summary: GrepSummary, stop: Stop): void {
  stop.throwIfAborted()
  summary.skipped.unreadable.sort()
  if (!stop.timedOut || summary.truncated) return
  summary.timedOut = true
  summary.truncated = true
}

/** The hits of each batch, given out after the place was checked again: a directory that was moved away meanwhile is no longer ours to show. */
async function* counted(
  batches: AsyncIterable<readonly Finding[]>,
  { spec, place, summary }: { spec: GrepSpec; place: EnginePlace; summary: GrepSummary },
): AsyncGenerator<GrepHit[]> {
  let given = 0
  for await (const findings of batches) {
    const files = findings.filter((finding): finding is FileFinding => finding.kind === 'file')
    for (const finding of findings) if (finding.kind !== 'file') note(summary, place, finding)
    if (files.length === 0) continue
    if (!(await place.recheck())) throw new FsError('FS_NOT_FOUND', { path: place.relative })
    const shown: GrepHit[] = []
    for (const finding of files) {
      const path = shownPath(place, finding.path)
      const hits = hitsOf(finding, spec.mode)
      const taken = hits.slice(0, spec.limit - given)
      given += taken.length
      if (taken.length > 0) summary.files += 1
      for (const hit of taken) {
        summary.total += hit.count ?? 1
        shown.push({ path, ...hit })
      }
      if (taken.length === hits.length) continue
      summary.truncated = true
      break
    }
    if (shown.length > 0) yield shown
    if (summary.truncated) return
  }
}

function note(summary: GrepSummary, place: EnginePlace, finding: Exclude<Finding, FileFinding>): void {
  if (finding.kind === 'warning') summary.warnings.push(finding.text)
  else if (finding.kind === 'binary') summary.skipped.binary = (summary.skipped.binary ?? 0) + 1
  else summary.skipped.unreadable.push(shownPath(place, finding.path))
}

function hitsOf(finding: FileFinding, mode: GrepSpec['mode']): Omit<GrepHit, 'path'>[] {
  if (mode === 'lines') return finding.hits
  const whole = { line: 0, column: 0, text: '' }
  if (finding.count === 0) return []
  return [mode === 'count' ? { ...whole, count: finding.count } : whole]
}

function shownPath(place: EnginePlace, below: string): string {
  if (below === '') return place.relative
  return place.relative === '' || place.relative === '.' ? below : `${place.relative.replace(/\/$/, '')}/${below}`
}
