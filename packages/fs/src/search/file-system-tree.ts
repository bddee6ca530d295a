/**
 * Any `FileSystem` as a tree to search: for providers without a disk below them. Contents are read through the seam, so that its rules
 * (roots, links, protected folders) hold for searches too.
 */
import { FsError, isFsError } from '../definition/errors.ts'
import type { FileSystem, FileTarget } from '../definition/file-system.ts'
import type { DirectoryRules } from './ignore-rules.ts'
import { createScanner, type ScanRequest } from './scan-text.ts'
import { searchedText } from './searched-text.ts'
import type { FileScan, SearchTree, TreeDirectory, TreeEntry, TreePlace } from './tree.ts'
import { rulesOf } from './tree-engine.ts'

export type SearchedFileSystem = Pick<FileSystem, 'roots' | 'resolve' | 'stat' | 'readBytes' | 'list'>

/** Ignore files beyond this size are not read. */
export const MOST_RULE_BYTES: number = 1024 * 1024

export function createFileSystemTree(fileSystem: SearchedFileSystem): SearchTree {
  return {
    async place(path, { directory }) {
      const target = await fileSystem.resolve(path)
      const { kind } = await fileSystem.stat(target)
      if (kind === 'missing') throw new FsError('FS_NOT_FOUND', { path: target.path })
      if (kind !== 'directory' && (directory || kind !== 'file')) {
        throw kind === 'file' || kind === 'symlink'
          ? new FsError('FS_NOT_DIRECTORY', { path: target.path })
          : new FsError('FS_NOT_REGULAR', { path: target.path, kind })
      }
      return placeOf(fileSystem, target, kind === 'directory' ? 'directory' : 'file')
    },
  }
}

function placeOf(fileSystem: SearchedFileSystem, target: FileTarget, kind: 'directory' | 'file'): TreePlace {
  const root = rootOf(fileSystem.roots, target.absolute)
  const way = target.absolute
    .slice(root.length)
    .split('/')
    .filter((name) => name !== '')
  const below = (path: string): string => (path === '' ? target.absolute : `${target.absolute.replace(/\/$/, '')}/${path}`)
  return {
    kind,
    relative: target.path === '.' ? '' : target.path,
    way,
    exists: async (path) => (await kindAt(fileSystem, below(path))) !== 'missing',
    recheck: async () => (await kindAt(fileSystem, target.absolute)) === kind,
    close: () => {},
    async outerRules() {
      const rules: DirectoryRules[] = []
      for (const [at] of way.entries()) {
        const directory = directoryAt(fileSystem, [root.replace(/\/$/, ''), ...way.slice(0, at)].join('/') || '/')
        rules.push(await rulesOf(directory, new Set((await directory.entries()).map(({ name }) => name))))
      }
      return rules
    },
    directory: (path) => Promise.resolve(kind === 'file' ? directoryAt(fileSystem, target.absolute) : directoryAt(fileSystem, below(path))),
  }
}

function rootOf(roots: readonly string[], absolute: string): string {
  const holding = roots.filter((root) => absolute === root || absolute.startsWith(root.endsWith('/') ? root : `${root}/`))
  return holding.toSorted((a, b) => b.length - a.length)[0] ?? '/'
}

async function kindAt(fileSystem: SearchedFileSystem, path: string): Promise<string> {
  try {
    return (await fileSystem.stat(await fileSystem.resolve(path, { leaf: 'keep' }))).kind
  } catch (error) {
    if (isFsError(error)) return 'missing'
    throw error
  }
}

function directoryAt(fileSystem: SearchedFileSystem, absolute: string): TreeDirectory {
  const below = (name: string): string => (name === '' ? absolute : `${absolute.replace(/\/$/, '')}/${name}`)
  const bytesOf = async (name: string): Promise<Uint8Array | undefined> => {
    const target = await fileSystem.resolve(below(name), { leaf: 'keep' })
    const { kind, size } = await fileSystem.stat(target)
    return kind === 'file' ? fileSystem.readBytes(target, { offset: 0, length: size }) : undefined
  }
  return {
    async entries() {
      const { entries } = await fileSystem.list(await fileSystem.resolve(absolute), { depth: 1, limit: Number.MAX_SAFE_INTEGER })
      return entries.flatMap(({ name, kind, raw }): TreeEntry[] =>
        raw === undefined ? [{ name, kind: kind === 'file' || kind === 'directory' ? kind : 'other' }] : [],
      )
    },
    async readSmall(path) {
      try {
        const bytes = await bytesOf(path)
        return bytes === undefined || bytes.length > MOST_RULE_BYTES ? undefined : new TextDecoder().decode(bytes)
      } catch (error) {
        if (isFsError(error)) return undefined
        throw error
      }
    },
    modified: (names) =>
      Promise.all(
        names.map(async (name) => {
          const facts = await fileSystem.stat(await fileSystem.resolve(below(name), { leaf: 'keep' }))
          return facts.kind === 'file' ? facts.mtimeMs : undefined
        }),
      ),
    async scan(names, request, stop) {
      const scans: FileScan[] = []
      for (const name of names) {
        if (stop.aborted) break
        scans.push(await scanOne(name, { bytesOf, request }))
      }
      return scans
    },
    close: () => {},
  }
}

async function scanOne(
  name: string,
  { bytesOf, request }: { bytesOf: (name: string) => Promise<Uint8Array | undefined>; request: ScanRequest },
): Promise<FileScan> {
  try {
    const bytes = await bytesOf(name)
    if (bytes === undefined) return { name, kind: 'gone' }
    const text = searchedText(bytes)
    if (text === undefined) return { name, kind: 'binary' }
    const scanner = createScanner(request)
    scanner.push(text)
    return { name, kind: 'text', ...scanner.finish() }
  } catch (error) {
    if (!isFsError(error)) throw error
    return { name, kind: error.code === 'FS_NOT_FOUND' ? 'gone' : 'unreadable' }
  }
}
