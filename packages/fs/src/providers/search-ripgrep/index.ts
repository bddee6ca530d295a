/**
 * The ripgrep engine: one process a search, its working directory the walked place, its results checked against the walk before they are
 * given out.
 */
import { FsError } from '../../definition/errors.ts'
import type { Finding, FindWant, ListFound, ListWant, SearchEngine } from '../../search/engine.ts'
import { outerRuleLines } from '../../search/outer-rules.ts'
import type { GrepSpec } from '../../search/query.ts'
import { openGround, type GroundOptions, type GroundPlace } from '../search/ground-place.ts'
import type { EngineProcess, EngineSpawn } from '../search/spawn.ts'
import { findArguments, listArguments } from './arguments.ts'
import { checkedCounts, checkedLines } from './checked.ts'
import { complaintsOf, failureOf } from './failure.ts'
import { looksBinary } from './hit-file.ts'
import { writeIgnoreFile } from './ignore-file.ts'
import { confirmedPaths, timedPaths } from './listed-paths.ts'
import { printedCounts, printedLines, printedPaths } from './output.ts'

export interface RipgrepOptions extends GroundOptions {
  file: string
  spawn: () => EngineSpawn
}

export function createRipgrepEngine(options: RipgrepOptions): SearchEngine<GroundPlace> {
  return {
    name: 'ripgrep',
    countsBinary: false,
    open: (path, want) => openGround(options, path, want),
    list: (place, want) => list(options, place, want),
    confirm: confirmedPaths,
    find: (place, want) => find(options, place, want),
  }
}

async function list(options: RipgrepOptions, place: GroundPlace, want: ListWant): Promise<ListFound> {
  const ignoreFile = await writeIgnoreFile(await ruleLines(place, want))
  try {
    const engine = await start(options, { args: listArguments({ ...want, ignoreFile: ignoreFile.path }), cwd: place.procPath })
    return await whileRunning(engine, want.stop, async () => {
      const paths: string[] = []
      for await (const batch of printedPaths(engine.stdout)) {
        for (const raw of batch) paths.push(belowPlace(raw.toString('utf8')))
      }
      const { unreadable, rest } = complaintsOf(await engine.stderr)
      const code = await engine.exit
      if (code === 2 && paths.length === 0 && rest !== '') throw failureOf('', rest)
      const wanted = paths.filter((path) => want.filter.accepts(path))
      const listed = await timedPaths(place, wanted, want)
      return { files: listed.files, unreadable: [...unreadable, ...listed.unreadable] }
    })
  } finally {
    await ignoreFile.remove()
  }
}

async function* find(options: RipgrepOptions, place: GroundPlace, want: FindWant): AsyncGenerator<readonly Finding[]> {
  const { spec, stop } = want
  const inFile = place.kind === 'file'
  if (inFile && looksBinary(place.procPath)) {
    yield [{ kind: 'binary', path: '' }]
    return
  }
  const ignoreFile = await writeIgnoreFile(inFile ? [] : await ruleLines(place, { ...want, includeIgnored: spec.includeIgnored }))
  try {
    const args = findArguments(spec, {
      includeIgnored: spec.includeIgnored,
      ignoreFile: ignoreFile.path,
      target: inFile ? place.procPath : './',
    })
    const engine = await start(options, { args, cwd: inFile ? '/' : place.procPath })
    const ended = (): void => engine.kill()
    stop.addEventListener('abort', ended, { once: true })
    if (stop.aborted) ended()
    try {
      let hits = 0
      const findings =
        spec.mode === 'count'
          ? checkedCounts(place, printedCounts(engine.stdout), want)
          : checkedLines(place, printedLines(engine.stdout), want)
      for await (const batch of findings) {
        hits += batch.filter(({ kind }) => kind === 'file').length
        yield batch
      }
      if (!stop.aborted) yield await conclusion(engine, { spec, hits })
    } finally {
      stop.removeEventListener('abort', ended)
      engine.kill()
      await engine.exit
    }
  } finally {
    await ignoreFile.remove()
  }
}

async function conclusion(engine: EngineProcess, { spec, hits }: { spec: GrepSpec; hits: number }): Promise<Finding[]> {
  const code = await engine.exit
  const { unreadable, rest } = complaintsOf(await engine.stderr)
  if (code === null) throw new FsError('FS_SEARCH_FAILED', { reason: 'the engine was ended from outside' })
  const told = unreadable.map((path): Finding => ({ kind: 'unreadable', path }))
  if (code < 2 || rest === '') return told
  if (hits === 0) throw failureOf(spec.pattern, rest)
  return [...told, { kind: 'warning', text: rest }]
}

/** What the generated ignore file says: which files are wanted, and the rules that reach the place from above. */
async function ruleLines(place: GroundPlace, { filter, includeIgnored }: Pick<ListWant, 'filter' | 'includeIgnored'>): Promise<string[]> {
  if (includeIgnored || place.way.length === 0) return [...filter.lines]
  return [...filter.lines, ...outerRuleLines(place.way, await place.outerRules())]
}

async function start({ spawn, file }: RipgrepOptions, { args, cwd }: { args: string[]; cwd: string }): Promise<EngineProcess> {
  const env: Record<string, string> = {}
  for (const name of ['PATH', 'SystemRoot']) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  try {
    return await spawn()({ file, args, cwd, env })
  } catch (cause) {
    throw new FsError('FS_SEARCH_FAILED', { reason: 'the engine could not be started' }, { cause })
  }
}

async function whileRunning<T>(engine: EngineProcess, stop: AbortSignal, work: () => Promise<T>): Promise<T> {
  const ended = (): void => engine.kill()
  stop.addEventListener('abort', ended, { once: true })
  if (stop.aborted) ended()
  try {
    return await work()
  } finally {
    stop.removeEventListener('abort', ended)
    engine.kill()
    await engine.exit
  }
}

export function belowPlace(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path
}
