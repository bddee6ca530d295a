/**
 * The `rooted` provider: the local disk below one or more roots. On Linux by descriptor walk (F-10), elsewhere by the documented
 * fallback (F-13).
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ChangeRecorder } from '../../definition/change-journal.ts'
import { FsError } from '../../definition/errors.ts'
import type { FileSystem } from '../../definition/file-system.ts'
import type { Search, SearchGround } from '../../definition/search.ts'
import { createFileSystem, type FileSystemOptions } from '../common/file-system.ts'
import { observationBook } from '../common/observations.ts'
import { realpath } from './calls.ts'
import { descriptorStepper, pathStepper, type Stepper } from './held.ts'
import { searchGround } from './ground.ts'
import { observationKeeper } from './observation-keeper.ts'
import { rootedStorage } from './storage.ts'
import type { Root } from './walk.ts'

export interface RootedOptions {
  root: string
  /** Further roots; files in them are shown with their absolute path. */
  roots?: readonly (string | { path: string; readOnly?: boolean })[] | undefined
  /** Default `.toolseam` below the root. */
  stateDir?: string | undefined
  /** Keep observations in the state folder, default true. */
  persist?: boolean | undefined
  recorder?: ChangeRecorder | undefined
  /** Made from the finished file system and the ground of this provider. */
  search?: ((parts: { fileSystem: FileSystem; ground: SearchGround }) => Search) | undefined
  lineage?: ((agent: string) => readonly string[]) | undefined
  limits?: FileSystemOptions['limits']
  observe?: FileSystemOptions['observe']
  hardLinks?: FileSystemOptions['hardLinks']
  diagnose?: FileSystemOptions['diagnose']
  /** `descriptor` needs Linux with `/proc` and is taken where it is there. */
  walk?: 'descriptor' | 'path' | undefined
}

export interface RootedFileSystem extends FileSystem {
  readonly ground: SearchGround
  readonly stateDir: string
  /** Writes what is waiting and lets the roots go. May be called twice. */
  close(): Promise<void>
}

/** @throws FsError FS_NOT_FOUND, FS_NOT_DIRECTORY for a root that is not a directory */
export async function createRootedFileSystem(options: RootedOptions): Promise<RootedFileSystem> {
  const stepper = stepperFor(options.walk)
  const roots = await openRoots(options, stepper)
  const [first] = roots
  if (first === undefined) throw new FsError('FS_NOT_FOUND', { path: options.root })
  const stateDir = stateDirIn(first.absolute, options)
  const stateFolders = [...new Set([stateDir, ...roots.map((root) => `${root.absolute === '/' ? '' : root.absolute}/.toolseam`)])]
  const storage = rootedStorage({ roots, stepper, stateFolders })
  const keeper = options.persist === false ? undefined : observationKeeper(stateDir)
  const book = observationBook({ lineage: options.lineage, keeper })
  const ground = searchGround(storage, book)
  const { recorder, limits, observe, hardLinks, diagnose, search } = options
  const makeSearch = search === undefined ? undefined : (fileSystem: FileSystem): Search => search({ fileSystem, ground })
  const fileSystem = createFileSystem(storage, { book, recorder, limits, observe, hardLinks, diagnose, search: makeSearch })
  return {
    ...fileSystem,
    ground,
    stateDir,
    async close() {
      await keeper?.flush()
      for (const root of roots) root.held.close()
    },
  }
}

/** Where the state of a file system made with these options is kept, absolute. */
export async function resolveStateDir(options: Pick<RootedOptions, 'root' | 'stateDir'>): Promise<string> {
  return stateDirIn(await realpath(resolve(options.root)), options)
}

function stateDirIn(root: string, { stateDir }: Pick<RootedOptions, 'stateDir'>): string {
  return resolve(root, stateDir ?? '.toolseam')
}

function stepperFor(walk: RootedOptions['walk']): Stepper {
  const possible = process.platform === 'linux' && existsSync('/proc/self/fd')
  return walk !== 'path' && possible ? descriptorStepper : pathStepper
}

async function openRoots(options: RootedOptions, stepper: Stepper): Promise<Root[]> {
  const wanted = [
    { path: options.root, readOnly: false },
    ...(options.roots ?? []).map((root) => (typeof root === 'string' ? { path: root } : root)),
  ]
  const opened: Root[] = []
  try {
    for (const { path, readOnly = false } of wanted) {
      const given = resolve(path)
      const absolute = await realpath(given)
      const held = await stepper.openRoot(absolute)
      opened.push({ given, absolute, readOnly, held })
    }
    return opened
  } catch (error) {
    for (const root of opened) root.held.close()
    throw error instanceof FsError ? error : new FsError('FS_NOT_FOUND', { path: options.root, reason: String(error) }, { cause: error })
  }
}
