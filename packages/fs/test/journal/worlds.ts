/**
 * Two worlds in which undo must hold: the local disk with the journal on disk, and memory with the journal in memory.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FileSystem, WriteIntent } from '../../src/definition/file-system.ts'
import {
  createChangeJournal,
  createChangeRecorder,
  createMemoryStore,
  createSegmentStore,
  type JournalStore,
  type OpenChangeJournal,
  type RecorderOptions,
} from '../../src/providers/change-journal/index.ts'
import { createMemoryFileSystem } from '../../src/providers/memory/index.ts'
import { createRootedFileSystem } from '../../src/providers/rooted/index.ts'

export interface World {
  fileSystem: FileSystem
  journal: OpenChangeJournal
  store: JournalStore
  /** The user, who does not use the tools. */
  user: {
    put(path: string, content: string | Uint8Array, mode?: number): void
    get(path: string): string | undefined
    bytes(path: string): Buffer | undefined
    mode(path: string): number
    link(path: string, target: string): void
    remove(path: string): void
    isDirectory(path: string): boolean
  }
  /** An agent's whole-file write, by its path. */
  write(path: string, content: string | Uint8Array, tag?: string): Promise<void>
  edit(path: string, old: string, replacement: string, tag?: string): Promise<void>
  move(from: string, to: string, tag?: string, overwrite?: boolean): Promise<void>
  remove(path: string, tag?: string, recursive?: boolean): Promise<void>
  close(): Promise<void>
}

export type WorldOptions = Omit<RecorderOptions, 'store'>

export async function diskWorld(options: WorldOptions = {}): Promise<World & { root: string }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolseam-undo-')))
  const store = createSegmentStore(join(root, '.toolseam/undo'))
  const fileSystem = await createRootedFileSystem({ root, persist: false, recorder: createChangeRecorder({ store, ...options }) })
  const at = (path: string): string => join(root, path)
  return {
    root,
    ...actions(fileSystem),
    fileSystem,
    store,
    journal: createChangeJournal({ store, fileSystem }),
    user: {
      put(path, content, mode) {
        mkdirSync(dirname(at(path)), { recursive: true })
        writeFileSync(at(path), content)
        if (mode !== undefined) chmodSync(at(path), mode)
      },
      get: (path) =>
        lstatSync(at(path), { throwIfNoEntry: false })?.isSymbolicLink() === true ? `-> ${readlinkSync(at(path))}` : textOf(at(path)),
      bytes: (path) => (existsSync(at(path)) ? readFileSync(at(path)) : undefined),
      mode: (path) => lstatSync(at(path)).mode & 0o7777,
      link: (path, target) => symlinkSync(target, at(path)),
      remove: (path) => rmSync(at(path), { recursive: true }),
      isDirectory: (path) => lstatSync(at(path), { throwIfNoEntry: false })?.isDirectory() ?? false,
    },
    async close() {
      await fileSystem.close()
      await store.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

export async function memoryWorld(options: WorldOptions = {}): Promise<World> {
  const store = createMemoryStore()
  const fileSystem = createMemoryFileSystem({ recorder: createChangeRecorder({ store, ...options }) })
  const { hands } = fileSystem
  return {
    ...actions(fileSystem),
    fileSystem,
    store,
    journal: createChangeJournal({ store, fileSystem }),
    user: {
      put: (path, content, mode) => hands.put(path, content, mode === undefined ? {} : { mode }),
      get: (path) => hands.get(path)?.toString('utf8'),
      bytes: (path) => hands.get(path),
      mode: (path) => hands.mode(path) ?? 0,
      link: (path, target) => hands.symlink(path, target),
      remove: (path) => hands.remove(path),
      isDirectory: (path) => hands.paths().includes(`${path}/`),
    },
    close: () => Promise.resolve(),
  }
}

function actions(fileSystem: FileSystem): Pick<World, 'write' | 'edit' | 'move' | 'remove'> {
  let calls = 0
  const intent = (tag = 'T'): WriteIntent => ({
    tag,
    turnId: tag,
    rootCallId: `root-${tag}`,
    callId: `call-${(calls += 1)}`,
    expect: 'any',
    agent: 'main',
  })
  const keep = (path: string): ReturnType<FileSystem['resolve']> => fileSystem.resolve(path, { leaf: 'keep' })
  return {
    async write(path, content, tag) {
      await fileSystem.write(await fileSystem.resolve(path), content, intent(tag))
    },
    async edit(path, old, replacement, tag) {
      await fileSystem.edit(await fileSystem.resolve(path), [{ old, new: replacement }], intent(tag))
    },
    async move(from, to, tag, overwrite = false) {
      await fileSystem.move(await keep(from), await keep(to), { ...intent(tag), overwrite })
    },
    async remove(path, tag, recursive = false) {
      await fileSystem.remove(await keep(path), { ...intent(tag), recursive })
    },
  }
}
