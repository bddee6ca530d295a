/**
 * Worlds for the contract suite and the tests of several files: the local disk, memory, an overlay.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createMemoryFileSystem, type MemoryFileSystem } from '../src/providers/memory/index.ts'
import { createOverlayFileSystem, type OverlayFileSystem } from '../src/providers/overlay/index.ts'
import { createRootedFileSystem, type RootedFileSystem, type RootedOptions } from '../src/providers/rooted/index.ts'
import type { ContractWorld } from '../src/testing.ts'

export interface DiskWorld extends ContractWorld {
  root: string
  fileSystem: RootedFileSystem
  close(): Promise<void>
}

export function tempFolder(name: string): string {
  return realpathSync(mkdtempSync(join(tmpdir(), `toolseam-${name}-`)))
}

export async function diskWorld(options: Partial<RootedOptions> = {}): Promise<DiskWorld> {
  const root = options.root ?? tempFolder('fs')
  const fileSystem = await createRootedFileSystem({ persist: false, ...options, root })
  return {
    root,
    fileSystem,
    put(path, content, mode) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
      if (mode !== undefined) chmodSync(join(root, path), mode)
    },
    get: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path)) : undefined),
    remove: (path) => rmSync(join(root, path), { recursive: true }),
    paths: () => diskPaths(root),
    symlink: (path, target) => symlinkSync(target, join(root, path)),
    async close() {
      await fileSystem.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

export function diskPaths(root: string, prefix = ''): string[] {
  const all: string[] = []
  for (const name of readdirSync(join(root, prefix))) {
    const path = prefix === '' ? name : `${prefix}/${name}`
    if (path === '.toolseam') continue
    const directory = lstatSync(join(root, path)).isDirectory()
    all.push(directory ? `${path}/` : path)
    if (directory) all.push(...diskPaths(root, path))
  }
  return all.sort()
}

export function memoryWorld(): ContractWorld {
  const fileSystem = createMemoryFileSystem()
  const { hands } = fileSystem
  return {
    fileSystem,
    put: (path, content, mode) => hands.put(path, content, mode === undefined ? {} : { mode }),
    get: (path) => hands.get(path),
    remove: (path) => hands.remove(path),
    paths: () => hands.paths().filter((path) => !path.startsWith('.toolseam/')),
    symlink: (path, target) => hands.symlink(path, target),
  }
}

/** Seen from above: `get` and `paths` are what the overlay shows; somebody else works below. */
export function overlayWorld(): ContractWorld & { overlay: OverlayFileSystem; lower: MemoryFileSystem } {
  const lower = createMemoryFileSystem({ observe: 'off' })
  const overlay = createOverlayFileSystem({ lower })
  const { hands } = lower
  return {
    overlay,
    lower,
    fileSystem: overlay,
    put: (path, content, mode) => hands.put(path, content, mode === undefined ? {} : { mode }),
    async get(path) {
      const target = await overlay.resolve(path)
      const { kind, size } = await overlay.stat(target)
      return kind === 'missing' ? undefined : Buffer.from(await overlay.readBytes(target, { offset: 0, length: size }))
    },
    remove: (path) => hands.remove(path),
    async paths() {
      const { entries } = await overlay.list(await overlay.resolve('.'), { depth: 5, limit: 10_000 })
      return entries.map(({ path, kind }) => (kind === 'directory' ? `${path}/` : path)).sort()
    },
    symlink: (path, target) => hands.symlink(path, target),
  }
}
