/**
 * A `FileSystem` over a storage: the table of contents of everything in this folder.
 */
import { FsError } from '../../definition/errors.ts'
import type { ChangeRecorder } from '../../definition/change-journal.ts'
import type { FileSystem } from '../../definition/file-system.ts'
import type { Search } from '../../definition/search.ts'
import { DEFAULT_LIMITS, type Core, type FileLimits } from './core.ts'
import { editFile } from './edit.ts'
import { listDirectory } from './list.ts'
import { observationBook, type ObservationBook } from './observations.ts'
import { patchFiles } from './patch.ts'
import { readBytes, readText, statTarget } from './read.ts'
import { moveTarget } from './relocate.ts'
import { remakeEntry } from './remake.ts'
import { removeTarget } from './remove.ts'
import { resolveTarget } from './resolve.ts'
import type { Storage } from './storage.ts'
import { writeFile } from './write.ts'

export interface FileSystemOptions {
  book?: ObservationBook | undefined
  recorder?: ChangeRecorder | undefined
  /** Made from the finished file system, so that a search can stand on it. */
  search?: ((fileSystem: FileSystem) => Search) | undefined
  limits?: Partial<FileLimits> | undefined
  /** `off`: nothing needs to have been seen before it is changed. */
  observe?: 'on' | 'off' | undefined
  hardLinks?: 'inPlace' | 'refuse' | undefined
  diagnose?: Core['diagnose'] | undefined
}

export function createFileSystem(storage: Storage, options: FileSystemOptions = {}): FileSystem {
  let search: Search | undefined
  const core: Core = {
    storage,
    book: options.book ?? observationBook(),
    recorder: options.recorder,
    get search() {
      return (search ??= options.search?.(fileSystem))
    },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    observe: options.observe ?? 'on',
    hardLinks: options.hardLinks ?? 'inPlace',
    diagnose: options.diagnose ?? (() => undefined),
  }
  const fileSystem: FileSystem = {
    roots: storage.roots,
    raceFree: storage.raceFree,
    resolve: (path, resolveOptions) => resolveTarget(core, path, resolveOptions),
    stat: (target) => statTarget(core, target),
    readBytes: (target, range) => readBytes(core, target, range),
    readText: (target, window) => readText(core, target, window),
    write: (target, content, intent) => writeFile(core, target, { content, intent }),
    edit: (target, edits, intent) => editFile(core, target, { edits, intent }),
    patch: (operations, intent) => patchFiles(core, operations, intent),
    move: (from, to, intent) => moveTarget(core, from, { to, intent }),
    remove: (target, intent) => removeTarget(core, target, intent),
    list: (target, listOptions) => listDirectory(core, target, listOptions),
    remake: (target, entry, intent) => remakeEntry(core, target, { entry, intent }),
    glob: async (query) => searchOf(core).glob(query),
    grep: (query) => searchOf(core).grep(query),
    observations: (agent) => core.book.view(agent),
  }
  return fileSystem
}

function searchOf(core: Core): Search {
  if (core.search === undefined) throw new FsError('FS_SEARCH_FAILED', { reason: 'this file system has no search engine' })
  return core.search
}
