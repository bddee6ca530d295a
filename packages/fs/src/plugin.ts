/**
 * The wiring: the local disk below the roots, search, the change journal; the tokens `FileSystem` and `ChangeJournal`; the nine tools.
 */
import type { ToolPlugin, ToolRuntime } from '@toolseam/core-tools'
import { registerTools } from './consumer/register.ts'
import type { ToolParts } from './consumer/parts.ts'
import { ChangeJournal } from './definition/change-journal.ts'
import { FileSystem } from './definition/file-system.ts'
import { isGuarded, isWithin } from './paths/rules.ts'
import {
  createChangeJournal,
  createChangeRecorder,
  createSegmentStore,
  createTempSweep,
  createUncoveredTap,
  type JournalStore,
} from './providers/change-journal/index.ts'
import type { FileLimits } from './providers/common/core.ts'
import { isTempName } from './providers/rooted/atomic.ts'
import { createRootedFileSystem, resolveStateDir, type RootedFileSystem } from './providers/rooted/index.ts'
import { createSearch } from './providers/search/create-search.ts'
import { SubprocessService, type EngineSpawn } from './providers/search/spawn.ts'
import { pathFilter } from './search/path-filter.ts'

export interface FsOptions {
  /** The workspace. Tools reach nothing outside it and `roots`. */
  root: string
  /** Further folders, read-only or not. Files in them are shown with their absolute path. */
  roots?: readonly (string | { path: string; readOnly?: boolean })[]
  /** `off`: files need not have been read before they are changed. Default `on`. */
  observe?: 'on' | 'off'
  /** A file with several hard links is written in place (default) or refused with `FS_HARD_LINK`. */
  hardLinks?: 'inPlace' | 'refuse'
  /** PDF is given as a resource block; default false: refused. */
  documents?: boolean
  /** Glob patterns, relative to the root: writes there are flagged `protected`, so that policy asks. */
  protect?: readonly string[]
  /** Default `ripgrep` where its binary is there, else `js`. */
  engine?: 'ripgrep' | 'js'
  /** How a search starts its engine; default the `Subprocess` service, else a child process. */
  spawn?: EngineSpawn
  /** Default true. `maxBytes`: what the journal may take in all. */
  journal?: boolean | { maxBytes?: number }
  limits?: Partial<FileLimits>
  /** Default `.toolseam` below the root. */
  stateDir?: string
}

/** Brings the tools read, write, edit, patch, glob, grep, list, move and delete. */
export function fs(options: FsOptions): ToolPlugin {
  const journalled = options.journal !== false
  return {
    name: 'fs',
    provides: journalled ? [FileSystem, ChangeJournal] : [FileSystem],
    apply: async (runtime) => {
      const store = journalled ? createSegmentStore(`${await resolveStateDir(options)}/undo`) : undefined
      const fileSystem = await openFileSystem(runtime, { options, store })
      runtime.services.provide(FileSystem, fileSystem)
      const closeJournal = store === undefined ? undefined : await openJournal(runtime, { store, fileSystem })
      registerTools(runtime, partsOf(runtime, { options, fileSystem }))
      return async () => {
        await closeJournal?.()
        await fileSystem.close()
      }
    },
  }
}

function openFileSystem(
  runtime: ToolRuntime,
  { options, store }: { options: FsOptions; store: JournalStore | undefined },
): Promise<RootedFileSystem> {
  const { root, roots, observe, hardLinks, engine, spawn, limits, stateDir, journal } = options
  const maxBytes = typeof journal === 'object' ? journal.maxBytes : undefined
  return createRootedFileSystem({
    root,
    roots,
    observe,
    hardLinks,
    limits,
    stateDir,
    recorder: store === undefined ? undefined : createChangeRecorder({ store, undoBytes: limits?.undoBytes, maxBytes }),
    lineage: (agent) => runtime.view(agent).agents,
    diagnose: (message, details) => runtime.logger.warn(`fs: ${message}`, details),
    search: ({ fileSystem, ground }) =>
      createSearch({ ground, roots: fileSystem.roots, engine, spawn, subprocess: () => runtime.services.get(SubprocessService) }),
  })
}

/** Provides the journal, ends what a crash left open (F-65), and watches for calls that it does not see (F-64). */
async function openJournal(
  runtime: ToolRuntime,
  { store, fileSystem }: { store: JournalStore; fileSystem: RootedFileSystem },
): Promise<() => Promise<void>> {
  const sweepTemp = createTempSweep({ ground: fileSystem.ground, isTempName })
  const journal = createChangeJournal({ store, fileSystem, sweepTemp })
  runtime.services.provide(ChangeJournal, journal)
  await journal.settleUnfinished().catch((error: unknown) => {
    runtime.logger.warn('fs: the change journal could not be settled', { error: String(error) })
  })
  const uncovered = createUncoveredTap({
    hooks: runtime.hooks,
    describe: (execution) => runtime.describe(execution),
    note: (note) => journal.noteUncovered(note),
    diagnose: (message, details) => runtime.logger.warn(`fs: ${message}`, details),
  })
  return async () => {
    uncovered.dispose()
    await uncovered.settled()
    await store.close()
  }
}

function partsOf(runtime: ToolRuntime, { options, fileSystem }: { options: FsOptions; fileSystem: RootedFileSystem }): ToolParts {
  const [root = '/'] = fileSystem.roots
  const extra =
    options.protect === undefined || options.protect.length === 0
      ? undefined
      : pathFilter(options.protect.flatMap((pattern) => [pattern, `${pattern}/**`]))
  const relative = (absolute: string): string => (isWithin(absolute, root) ? absolute.slice(root === '/' ? 1 : root.length + 1) : absolute)
  return {
    fileSystem: () => runtime.services.require(FileSystem),
    documents: options.documents === true,
    isProtected: (absolute) => isGuarded(relative(absolute), (path) => extra?.accepts(path) ?? false),
    log: (message, details) => runtime.logger.warn(`fs: ${message}`, details),
  }
}
