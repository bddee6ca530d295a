/**
 * The fallback engine without its host: walks a `SearchTree`, leaves out what ignore files name, and has the rest scanned.
 */
import type { Finding, FindWant, ListFound, ListWant, SearchEngine } from './engine.ts'
import { IGNORE_FILES, NEVER_SEARCHED, type DirectoryRules, type IgnoreRules } from './ignore-rules.ts'
import { outerRulesOf } from './outer-rules.ts'
import { scriptPattern } from './script-pattern.ts'
import type { ScanRequest } from './scan-text.ts'
import type { FileScan, SearchTree, TreeDirectory, TreePlace } from './tree.ts'

/** Directories whose scans may be under way at once. */
const SCANS_AHEAD = 8

export function createTreeEngine(tree: SearchTree): SearchEngine<TreePlace> {
  return {
    name: 'js',
    countsBinary: true,
    open: (path, options) => tree.place(path, options),
    list,
    find,
  }
}

async function list(place: TreePlace, { filter, includeIgnored, times, stop }: ListWant): Promise<ListFound> {
  const found: ListFound = { files: [], unreadable: [] }
  for await (const visit of walk(place, { includeIgnored, stop })) {
    found.unreadable.push(...visit.unreadable)
    if (visit.directory === undefined) continue
    const wanted = visit.files.filter((name) => filter.accepts(join(visit.below, name)))
    const modified = times && wanted.length > 0 ? await visit.directory.modified(wanted) : []
    visit.directory.close()
    wanted.forEach((name, at) => {
      const mtimeMs = times ? modified[at] : 0
      if (mtimeMs !== undefined) found.files.push({ path: join(visit.below, name), mtimeMs })
    })
  }
  return found
}

async function* find(place: TreePlace, { spec, filter, stop }: FindWant): AsyncGenerator<readonly Finding[]> {
  const { before, after, mode, multiline, limit } = spec
  const request: ScanRequest = { ...scriptPattern(spec.pattern, spec), multiline, before, after, mode, limit: limit + 1 }
  const ended = new AbortController()
  const either = AbortSignal.any([stop, ended.signal])
  const ahead: Promise<Finding[]>[] = []
  try {
    if (place.kind === 'file') {
      yield await scanFile(place, request, either)
      return
    }
    for await (const visit of walk(place, { includeIgnored: spec.includeIgnored, stop })) {
      const { below, directory, unreadable } = visit
      if (unreadable.length > 0) yield unreadable.map((path) => ({ kind: 'unreadable', path }))
      const names = visit.files.filter((name) => filter.accepts(join(below, name)))
      if (directory !== undefined) ahead.push(scanDirectory(directory, { below, names, request, stop: either }))
      if (ahead.length > SCANS_AHEAD) yield (await ahead.shift()) ?? []
    }
    while (ahead.length > 0) yield (await ahead.shift()) ?? []
  } finally {
    ended.abort()
    await Promise.allSettled(ahead)
  }
}

async function scanFile(place: TreePlace, request: ScanRequest, stop: AbortSignal): Promise<Finding[]> {
  const directory = await place.directory('')
  return scanDirectory(directory, { below: '', names: [''], request, stop })
}

async function scanDirectory(
  directory: TreeDirectory,
  { below, names, request, stop }: { below: string; names: readonly string[]; request: ScanRequest; stop: AbortSignal },
): Promise<Finding[]> {
  try {
    const scans = names.length === 0 || stop.aborted ? [] : await directory.scan(names, request, stop)
    return scans.flatMap((scan) => findingOf(scan, join(below, scan.name)))
  } finally {
    directory.close()
  }
}

function findingOf(scan: FileScan, path: string): Finding[] {
  if (scan.kind === 'gone') return []
  if (scan.kind !== 'text') return [{ kind: scan.kind, path }]
  return scan.count === 0 ? [] : [{ kind: 'file', path, hits: scan.hits, count: scan.count }]
}

/** One visited directory; without `directory` it could not be read. Who takes a visit closes it. */
interface Visit {
  below: string
  directory: TreeDirectory | undefined
  files: string[]
  unreadable: string[]
}

interface WalkOptions {
  includeIgnored: boolean
  stop: AbortSignal
}

async function* walk(place: TreePlace, { includeIgnored, stop }: WalkOptions): AsyncGenerator<Visit> {
  const outer = includeIgnored ? undefined : outerRulesOf(place.way, await place.outerRules())
  const start = outer === undefined || outer.named ? '' : place.way.join('/')
  const waiting: { below: string; rules: IgnoreRules | undefined }[] = [{ below: '', rules: outer?.rules }]
  for (let next = waiting.pop(); next !== undefined && !stop.aborted; next = waiting.pop()) {
    const { below } = next
    const opened = await openDirectory(place, below)
    if (opened === undefined) {
      yield { below, directory: undefined, files: [], unreadable: [below] }
      continue
    }
    const { directory, entries } = opened
    const here = join(start, below)
    const rules = next.rules?.below(here, await rulesOf(directory, new Set(entries.map(({ name }) => name))))
    const ignored = (name: string, isDirectory: boolean): boolean => rules?.ignores(join(here, name), isDirectory) ?? false
    // A name that is not UTF-8 cannot be addressed by its text.
    const unreadable = entries.filter(({ name }) => name.includes('\uFFFD')).map(({ name }) => join(below, name))
    const kept = entries.filter(
      ({ name, kind }) => !name.includes('\uFFFD') && !NEVER_SEARCHED.has(name) && kind !== 'other' && !ignored(name, kind === 'directory'),
    )
    const names = (wanted: 'file' | 'directory'): string[] => kept.filter(({ kind }) => kind === wanted).map(({ name }) => name)
    waiting.push(
      ...names('directory')
        .toSorted()
        .toReversed()
        .map((name) => ({ below: join(below, name), rules })),
    )
    yield { below, directory, files: names('file').toSorted(), unreadable }
  }
}

async function openDirectory(
  place: TreePlace,
  below: string,
): Promise<{ directory: TreeDirectory; entries: Awaited<ReturnType<TreeDirectory['entries']>> } | undefined> {
  let directory: TreeDirectory | undefined
  try {
    directory = await place.directory(below)
    return { directory, entries: await directory.entries() }
  } catch {
    directory?.close()
    return undefined
  }
}

/** Reads the ignore files of a directory whose names are known. */
export async function rulesOf(directory: Pick<TreeDirectory, 'readSmall'>, names: ReadonlySet<string>): Promise<DirectoryRules> {
  const rules: DirectoryRules = {}
  for (const file of IGNORE_FILES) {
    if (!names.has(file.split('/')[0] ?? file)) continue
    const text = await directory.readSmall(file)
    if (text !== undefined) rules[file] = text
  }
  return rules
}

function join(directory: string, name: string): string {
  return directory === '' ? name : name === '' ? directory : `${directory}/${name}`
}
