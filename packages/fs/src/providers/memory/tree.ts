/**
 * A tree in memory: inodes with modes, links and times of a virtual clock. What the disk would do, without a disk.
 */
import { FsError } from '../../definition/errors.ts'
import { checkPath, isMagic, isWithin } from '../../paths/rules.ts'
import type { EntryFacts } from '../common/storage.ts'

export interface Inode {
  readonly ino: number
  readonly kind: EntryFacts['kind']
  mode: number
  links: number
  content: Buffer
  /** Directories. */
  readonly entries: Map<string, Inode>
  /** Links. */
  readonly target: string | undefined
  mtimeNs: bigint
  ctimeNs: bigint
}

/** Nanoseconds that only move when something happens or somebody moves them. */
export interface VirtualClock {
  now(): bigint
  advance(milliseconds: number): void
}

export interface Located {
  parent: Inode
  parentPath: string
  name: string
  inode: Inode | undefined
  missingParents: string[]
  root: string
  isRoot: boolean
}

export interface MemoryTree {
  readonly clock: VirtualClock
  readonly roots: readonly string[]
  create(kind: Inode['kind'], facts?: { mode?: number; content?: Buffer; target?: string }): Inode
  locate(path: string, leaf: 'follow' | 'keep'): Located
  /** Directories on the way are made. */
  directory(path: string): Inode
  changed(inode: Inode, what: 'content' | 'facts'): void
}

const START_NS = 1_700_000_000_000_000_000n
const TICK_NS = 1_000_000n
const MOST_LINKS = 40

export function memoryTree(roots: readonly string[]): MemoryTree {
  let now = START_NS
  let nextIno = 1
  const clock: VirtualClock = {
    now: () => now,
    advance(milliseconds) {
      now += BigInt(Math.round(milliseconds * 1e6))
    },
  }
  const create: MemoryTree['create'] = (kind, { mode, content, target } = {}) => ({
    ino: nextIno++,
    kind,
    mode: mode ?? (kind === 'directory' ? 0o755 : 0o644),
    links: kind === 'directory' ? 2 : 1,
    content: content ?? Buffer.alloc(0),
    entries: new Map(),
    target,
    mtimeNs: now,
    ctimeNs: now,
  })
  const top = create('directory')
  const directory: MemoryTree['directory'] = (path) => {
    let at = top
    for (const name of namesOf(path)) {
      const next = at.entries.get(name) ?? create('directory')
      at.entries.set(name, next)
      at = next
    }
    return at
  }
  for (const root of roots) directory(root)
  return {
    clock,
    roots,
    create,
    directory,
    locate: (path, leaf) => locate({ top, roots }, { path, leaf }),
    changed(inode, what) {
      now += TICK_NS
      inode.ctimeNs = now
      if (what === 'content') inode.mtimeNs = now
    },
  }
}

function locate(
  { top, roots }: { top: Inode; roots: readonly string[] },
  { path, leaf }: { path: string; leaf: 'follow' | 'keep' },
): Located {
  checkPath(path)
  const start = startOf(path, roots)
  if (start === undefined) throw new FsError('FS_OUTSIDE_ROOT', { path })
  let { root } = start
  let stack: { inode: Inode; name: string }[] = []
  const queue = [...start.names]
  let links = 0
  const base = (): Inode => stack.at(-1)?.inode ?? descend(top, root)
  const pathOf = (): string => [root, ...stack.map((step) => step.name)].join('/')
  for (;;) {
    const name = queue.shift()
    if (name === undefined) return endOnDirectory({ top, root, stack })
    if (name === '..') {
      if (stack.pop() === undefined) throw new FsError('FS_OUTSIDE_ROOT', { path })
      continue
    }
    const parent = base()
    const inode = parent.entries.get(name)
    const isLast = queue.length === 0
    const place = { parent, parentPath: pathOf(), root, isRoot: false }
    if (inode === undefined) {
      if (queue.includes('..')) throw new FsError(leavesRoot(stack.length + 1, queue) ? 'FS_OUTSIDE_ROOT' : 'FS_NOT_FOUND', { path })
      const missing = [name, ...queue]
      const last = missing.pop() ?? name
      return { ...place, name: last, inode: undefined, missingParents: missing }
    }
    if (inode.kind === 'symlink' && !(isLast && leaf === 'keep')) {
      links += 1
      if (links > MOST_LINKS) throw new FsError('FS_LOOP', { path, links })
      const target = inode.target ?? ''
      if (target.startsWith('/')) {
        const restart = startOf(target, roots)
        if (restart === undefined) throw new FsError('FS_OUTSIDE_ROOT', { path, link: name })
        root = restart.root
        stack = []
        queue.unshift(...restart.names)
      } else queue.unshift(...namesOf(target))
      continue
    }
    if (isLast) return { ...place, name, inode, missingParents: [] }
    if (inode.kind !== 'directory') throw new FsError('FS_NOT_DIRECTORY', { path, at: name, kind: inode.kind })
    stack.push({ inode, name })
  }
}

/** Behind a missing directory `..` can only be counted. */
function leavesRoot(depth: number, names: readonly string[]): boolean {
  let at = depth
  return names.some((name) => {
    at += name === '..' ? -1 : 1
    return at < 0
  })
}

function endOnDirectory({ top, root, stack }: { top: Inode; root: string; stack: { inode: Inode; name: string }[] }): Located {
  const last = stack.at(-1)
  const rootInode = descend(top, root)
  if (last === undefined) return { parent: rootInode, parentPath: root, name: '', inode: rootInode, missingParents: [], root, isRoot: true }
  const parent = stack.at(-2)?.inode ?? rootInode
  const parentPath = [root, ...stack.slice(0, -1).map((step) => step.name)].join('/')
  return { parent, parentPath, name: last.name, inode: last.inode, missingParents: [], root, isRoot: false }
}

function descend(top: Inode, path: string): Inode {
  let at = top
  for (const name of namesOf(path)) at = at.entries.get(name) ?? at
  return at
}

function startOf(path: string, roots: readonly string[]): { root: string; names: string[] } | undefined {
  const names = namesOf(path)
  if (!path.startsWith('/')) {
    const [root] = roots
    return root === undefined ? undefined : { root, names }
  }
  const absolute = `/${names.join('/')}`
  const root = roots.filter((each) => isWithin(absolute, each)).sort((a, b) => b.length - a.length)[0]
  return root === undefined || isMagic(absolute) ? undefined : { root, names: namesOf(absolute.slice(root.length)) }
}

export function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

export function factsOf(inode: Inode): EntryFacts {
  const size = inode.kind === 'file' ? inode.content.length : inode.kind === 'symlink' ? (inode.target?.length ?? 0) : 0
  return {
    kind: inode.kind,
    size,
    mode: inode.mode,
    links: inode.links,
    mtimeMs: Number(inode.mtimeNs / 1_000_000n),
    stamp: { dev: 0, ino: inode.ino, size, mtimeNs: inode.mtimeNs, ctimeNs: inode.ctimeNs },
    ...(inode.target === undefined ? {} : { target: inode.target }),
  }
}
