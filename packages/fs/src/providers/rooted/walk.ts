/**
 * The walk (F-10, F-11, F-14): from a root, one component after the other, links resolved by hand, `..` by a stack. What it gives is
 * held open, so that what happens next happens in the very directory that was checked.
 */
import { FsError } from '../../definition/errors.ts'
import { checkPath, isMagic, isWithin } from '../../paths/rules.ts'
import { errnoOf, hostError, readlink } from './calls.ts'
import type { HostFacts } from './facts.ts'
import type { Held, Stepper } from './held.ts'

export const MOST_LINKS = 40

export interface Root {
  /** As configured, made absolute. */
  given: string
  /** Links followed. */
  absolute: string
  readOnly: boolean
  held: Held
}

export interface Walked {
  root: Root
  /** Holds the leaf's name. For a root itself: the root. */
  parent: Held
  leaf: { held: Held; facts: HostFacts } | undefined
  name: string
  /** Absolute path of the deepest directory that is there. */
  parentPath: string
  missingParents: string[]
  isRoot: boolean
  close(): void
}

export interface WalkOrder {
  roots: readonly Root[]
  stepper: Stepper
  leaf: 'follow' | 'keep'
}

/** @throws FsError FS_BAD_PATH, FS_OUTSIDE_ROOT, FS_LOOP, FS_NOT_DIRECTORY, FS_PERMISSION, FS_NOT_FOUND (`..` behind a missing directory) */
export async function walkPath(path: string, order: WalkOrder): Promise<Walked> {
  checkPath(path)
  const start = startOf(path, order.roots)
  if (start === undefined) throw new FsError('FS_OUTSIDE_ROOT', { path })
  return (await leapTo(start, order)) ?? (await stepTo(path, { start, order }))
}

interface Start {
  root: Root
  names: string[]
}

/** The root that holds a path, and the way from it. Textual only: links and `..` are the walk's. */
function startOf(path: string, roots: readonly Root[]): Start | undefined {
  const names = namesOf(path)
  if (!path.startsWith('/')) {
    const [first] = roots
    return first === undefined ? undefined : { root: first, names }
  }
  const absolute = `/${names.join('/')}`
  if (isMagic(absolute)) return undefined
  let best: { root: Root; prefix: string } | undefined
  for (const root of roots) {
    for (const prefix of [root.absolute, root.given]) {
      if (isWithin(absolute, prefix) && prefix.length > (best?.prefix.length ?? -1)) best = { root, prefix }
    }
  }
  return best === undefined ? undefined : { root: best.root, names: namesOf(absolute.slice(best.prefix.length)) }
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

/** The quick way: no link, no `..`, and everything but the leaf is there. Undefined: go step by step. */
async function leapTo({ root, names }: Start, { stepper, leaf }: WalkOrder): Promise<Walked | undefined> {
  const name = names.at(-1)
  if (name === undefined || names.includes('..')) return undefined
  const above = names.slice(0, -1)
  const parentPath = joined(root.absolute, above)
  if (isMagic(joined(root.absolute, names))) return undefined
  const parent = above.length === 0 ? root.held : await stepper.leap(root.held, above, parentPath)
  if (parent === undefined) return undefined
  const owned = parent === root.held ? [] : [parent]
  try {
    const found = await stepper.child(parent, name)
    if (found !== undefined) owned.push(found.held)
    const follows = found?.facts.kind === 'symlink' && leaf === 'follow'
    if (!follows) return walked({ root, parent, leaf: found, name, parentPath, missingParents: [], isRoot: false }, owned)
  } catch {
    // Told precisely by the steps.
  }
  for (const held of owned) held.close()
  return undefined
}

interface Step {
  held: Held
  name: string
  facts: HostFacts
}

async function stepTo(path: string, { start, order }: { start: Start; order: WalkOrder }): Promise<Walked> {
  const { stepper, roots, leaf } = order
  let { root } = start
  let stack: Step[] = []
  const opened: Held[] = []
  const queue = [...start.names]
  let links = 0
  const pathOf = (extra: readonly string[]): string => joined(root.absolute, [...stack.map((step) => step.name), ...extra])
  try {
    for (;;) {
      const name = queue.shift()
      const parent = stack.at(-1)?.held ?? root.held
      if (name === undefined) return await endOnDirectory({ root, stack, stepper, opened })
      if (name === '..') {
        if (stack.pop() === undefined) throw new FsError('FS_OUTSIDE_ROOT', { path })
        continue
      }
      const absolute = pathOf([name])
      if (isMagic(absolute)) throw new FsError('FS_OUTSIDE_ROOT', { path })
      const found = await stepper.child(parent, name)
      if (found === undefined) {
        if (queue.includes('..')) throw new FsError(leavesRoot(stack.length + 1, queue) ? 'FS_OUTSIDE_ROOT' : 'FS_NOT_FOUND', { path })
        const missing = [name, ...queue]
        const last = missing.pop() ?? name
        return walked({ root, parent, leaf: undefined, name: last, parentPath: pathOf([]), missingParents: missing, isRoot: false }, opened)
      }
      opened.push(found.held)
      const isLast = queue.length === 0
      if (found.facts.kind === 'symlink' && !(isLast && leaf === 'keep')) {
        links += 1
        if (links > MOST_LINKS) throw new FsError('FS_LOOP', { path, links })
        const target = await readTarget(parent, name)
        // Turned into something else meanwhile: look again.
        if (target === undefined) queue.unshift(name)
        else if (target.startsWith('/')) {
          const restart = startOf(target, roots)
          if (restart === undefined)
            throw new FsError('FS_OUTSIDE_ROOT', { path, link: absolute === path ? name : shownName(absolute, roots) })
          root = restart.root
          stack = []
          queue.unshift(...restart.names)
        } else queue.unshift(...namesOf(target))
        continue
      }
      if (isLast) return walked({ root, parent, leaf: found, name, parentPath: pathOf([]), missingParents: [], isRoot: false }, opened)
      if (found.facts.kind !== 'directory') throw new FsError('FS_NOT_DIRECTORY', { path, at: name, kind: found.facts.kind })
      stack.push({ held: found.held, name, facts: found.facts })
    }
  } catch (error) {
    for (const held of opened) held.close()
    throw hostError(error, path)
  }
}

/** Behind a missing directory `..` can only be counted. */
function leavesRoot(depth: number, names: readonly string[]): boolean {
  let at = depth
  for (const name of names) {
    at += name === '..' ? -1 : 1
    if (at < 0) return true
  }
  return false
}

function shownName(absolute: string, roots: readonly Root[]): string {
  const [first] = roots
  return first !== undefined && isWithin(absolute, first.absolute) ? absolute.slice(first.absolute.length + 1) : absolute
}

/** The path ended on a directory that the stack holds: a root, or what `..` or a link led to. */
async function endOnDirectory({
  root,
  stack,
  stepper,
  opened,
}: {
  root: Root
  stack: Step[]
  stepper: Stepper
  opened: Held[]
}): Promise<Walked> {
  const top = stack.at(-1)
  if (top === undefined) {
    const facts = await stepper.facts(root.held)
    return walked(
      { root, parent: root.held, leaf: { held: root.held, facts }, name: '', parentPath: root.absolute, missingParents: [], isRoot: true },
      opened,
    )
  }
  const parent = stack.at(-2)?.held ?? root.held
  const parentPath = joined(
    root.absolute,
    stack.slice(0, -1).map((step) => step.name),
  )
  return walked(
    { root, parent, leaf: { held: top.held, facts: top.facts }, name: top.name, parentPath, missingParents: [], isRoot: false },
    opened,
  )
}

async function readTarget(parent: Held, name: string): Promise<string | undefined> {
  try {
    return await readlink(parent.at(name))
  } catch (error) {
    if (errnoOf(error) === 'EINVAL' || errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** What is held on the way is let go at once, parent and leaf with the walk's end. */
function walked(facts: Omit<Walked, 'close'>, opened: readonly Held[]): Walked {
  const kept = opened.filter((held) => held === facts.parent || held === facts.leaf?.held)
  for (const held of opened) if (!kept.includes(held)) held.close()
  return {
    ...facts,
    close() {
      for (const held of kept) held.close()
    },
  }
}

export function joined(root: string, names: readonly string[]): string {
  if (names.length === 0) return root
  return root === '/' ? `/${names.join('/')}` : `${root}/${names.join('/')}`
}
