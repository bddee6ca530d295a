/**
 * `Search` for providers on the local disk: the ripgrep engine, or the fallback where its binary is not there. Results name the engine.
 */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Search, SearchGround } from '../../definition/search.ts'
import { createEngineSearch } from '../../search/engine-search.ts'
import { grepStream } from '../../search/grep-stream.ts'
import { createScriptEngine } from '../search-js/index.ts'
import { createRipgrepEngine } from '../search-ripgrep/index.ts'
import { spawnBySubprocess, spawnChild, type EngineSpawn, type SubprocessPort } from './spawn.ts'

export interface SearchOptions {
  ground: SearchGround
  /** Absolute, links followed. */
  roots: readonly string[]
  /** Default: `ripgrep` where its binary is there, else `js`. */
  engine?: 'ripgrep' | 'js' | undefined
  /** Starts the engine's process; default the `Subprocess` service, else `child_process`. */
  spawn?: EngineSpawn | undefined
  /** Looked up when a process is first needed. */
  subprocess?: (() => SubprocessPort | undefined) | undefined
  /** Default 30 s. */
  deadlineMs?: number | undefined
}

export function createSearch(options: SearchOptions): Search {
  let chosen: Promise<Search> | undefined
  const search = (): Promise<Search> => (chosen ??= chooseEngine(options))
  return {
    glob: async (query) => (await search()).glob(query),
    grep: (query) =>
      grepStream('', async function* (summary) {
        const stream = (await search()).grep(query)
        try {
          yield* stream
        } finally {
          Object.assign(summary, await stream.summary)
        }
      }),
  }
}

async function chooseEngine(options: SearchOptions): Promise<Search> {
  const { ground, roots, engine } = options
  const shared = {
    named: ground.named.bind(ground),
    ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
  }
  const file = engine === 'js' ? undefined : await ripgrepBinary()
  if (file !== undefined || engine === 'ripgrep') {
    return createEngineSearch(createRipgrepEngine({ ground, roots, file: file ?? 'rg', spawn: () => spawnOf(options) }), shared)
  }
  const notes = engine === 'js' ? [] : ['the ripgrep binary is not installed for this platform; the slower JavaScript engine was used']
  return createEngineSearch(createScriptEngine({ ground, roots }), { ...shared, notes })
}

function spawnOf({ spawn, subprocess }: SearchOptions): EngineSpawn {
  if (spawn !== undefined) return spawn
  const service = subprocess?.()
  return service === undefined ? spawnChild : spawnBySubprocess(service)
}

/** The binary of the per-platform package; undefined where it is not installed. */
async function ripgrepBinary(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    await access(rgPath, constants.X_OK)
    return rgPath
  } catch {
    return undefined
  }
}
