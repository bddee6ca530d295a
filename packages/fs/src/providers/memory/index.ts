/**
 * The `memory` provider: the contract twin of `rooted`. A tree with inodes, modes and links, a virtual clock, faults, and direct access
 * beside the tools for whoever plays the user in a test.
 */
import type { ChangeRecorder } from '../../definition/change-journal.ts'
import { FsError } from '../../definition/errors.ts'
import type { FileSystem } from '../../definition/file-system.ts'
import type { Search } from '../../definition/search.ts'
import { createFileSystem, type FileSystemOptions } from '../common/file-system.ts'
import { observationBook } from '../common/observations.ts'
import { createFileSystemSearch } from '../../search/file-system-search.ts'
import { createFaults, type Fault } from './faults.ts'
import { memoryStorage } from './storage.ts'
import { factsOf, memoryTree, namesOf, type Inode, type VirtualClock } from './tree.ts'

export type { Fault, FaultPoint } from './faults.ts'
export type { VirtualClock } from './tree.ts'

export interface MemoryOptions extends Pick<FileSystemOptions, 'limits' | 'observe' | 'hardLinks' | 'diagnose'> {
  /** Default `/workspace`. */
  root?: string
  roots?: readonly (string | { path: string; readOnly?: boolean })[]
  /** Path to content; directories on the way are made. */
  files?: { [path: string]: string | Uint8Array }
  recorder?: ChangeRecorder
  /** Default: the fallback engine over this file system. */
  search?: (fileSystem: FileSystem) => Search
  lineage?: (agent: string) => readonly string[]
  /** Bytes that fit; default no limit. */
  capacity?: number
  umask?: number
}

/** Hands of somebody who does not use the tools. Paths as the tools take them. */
export interface MemoryHands {
  put(path: string, content: string | Uint8Array, facts?: { mode?: number }): void
  get(path: string): Buffer | undefined
  mode(path: string): number | undefined
  chmod(path: string, mode: number): void
  /** Changes times only. */
  touch(path: string): void
  makeDirectory(path: string, mode?: number): void
  symlink(path: string, target: string): void
  hardLink(path: string, existing: string): void
  special(path: string, kind: 'fifo' | 'socket' | 'device'): void
  remove(path: string): void
  /** Every path below the first root, sorted; directories end with `/`. */
  paths(): string[]
}

export interface MemoryFileSystem extends FileSystem {
  readonly hands: MemoryHands
  readonly clock: VirtualClock
  inject(fault: Fault): void
}

let instances = 0

export function createMemoryFileSystem(options: MemoryOptions = {}): MemoryFileSystem {
  const further = (options.roots ?? []).map((root) => (typeof root === 'string' ? { path: root } : root))
  const tree = memoryTree([options.root ?? '/workspace', ...further.map((root) => root.path)])
  const faults = createFaults()
  instances += 1
  const storage = memoryStorage({
    tree,
    faults,
    capacity: options.capacity ?? Number.POSITIVE_INFINITY,
    readOnlyRoots: further.filter((root) => root.readOnly === true).map((root) => root.path),
    umask: options.umask ?? 0o022,
    lockSpace: `memory-${instances}`,
  })
  const { recorder, search = createFileSystemSearch, lineage, limits, observe, hardLinks, diagnose } = options
  const fileSystem = createFileSystem(storage, {
    book: observationBook({ lineage }),
    recorder,
    search,
    limits,
    observe,
    hardLinks,
    diagnose,
  })
  const hands = handsOn(tree)
  for (const [path, content] of Object.entries(options.files ?? {})) hands.put(path, content)
  return { ...fileSystem, hands, clock: tree.clock, inject: (fault) => faults.inject(fault) }
}

function handsOn(tree: ReturnType<typeof memoryTree>): MemoryHands {
  const found = (path: string, leaf: 'follow' | 'keep' = 'follow'): Inode => {
    const { inode } = tree.locate(path, leaf)
    if (inode === undefined) throw new FsError('FS_NOT_FOUND', { path })
    return inode
  }
  const place = (path: string, inode: Inode): void => {
    const { parent, parentPath, missingParents, name } = tree.locate(path, 'keep')
    const directory = missingParents.length === 0 ? parent : tree.directory([parentPath, ...missingParents].join('/'))
    directory.entries.set(name, inode)
    tree.changed(directory, 'content')
  }
  return {
    put(path, content, facts = {}) {
      const bytes = Buffer.from(content)
      const { inode } = tree.locate(path, 'follow')
      if (inode === undefined) return place(path, tree.create('file', { ...facts, content: bytes }))
      inode.content = bytes
      if (facts.mode !== undefined) inode.mode = facts.mode
      tree.changed(inode, 'content')
    },
    get: (path) => tree.locate(path, 'follow').inode?.content,
    mode: (path) => tree.locate(path, 'follow').inode?.mode,
    chmod(path, mode) {
      const inode = found(path)
      inode.mode = mode
      tree.changed(inode, 'facts')
    },
    touch: (path) => tree.changed(found(path), 'content'),
    makeDirectory(path, mode) {
      place(path, tree.create('directory', mode === undefined ? {} : { mode }))
    },
    symlink: (path, target) => place(path, tree.create('symlink', { target, mode: 0o777 })),
    hardLink(path, existing) {
      const inode = found(existing)
      inode.links += 1
      tree.changed(inode, 'facts')
      place(path, inode)
    },
    special: (path, kind) => place(path, tree.create(kind)),
    remove(path) {
      const { parent, name, inode } = tree.locate(path, 'keep')
      parent.entries.delete(name)
      if (inode !== undefined) inode.links -= 1
      tree.changed(parent, 'content')
    },
    paths() {
      const all: string[] = []
      const visit = (inode: Inode, prefix: string): void => {
        for (const [name, child] of inode.entries) {
          all.push(`${prefix}${name}${factsOf(child).kind === 'directory' ? '/' : ''}`)
          visit(child, `${prefix}${name}/`)
        }
      }
      visit(tree.directory(`/${namesOf(tree.roots[0] ?? '/').join('/')}`), '')
      return all.sort()
    },
  }
}
