/**
 * A directory or leaf that the walk holds. On Linux a descriptor (F-10): whatever links do meanwhile, names below it are names in this
 * very directory. Elsewhere a path with the identity it had (F-13): checked again before use, not race-free.
 */
import { Buffer } from 'node:buffer'
import { isWithin } from '../../paths/rules.ts'
import { close, errnoOf, FLAGS, fstat, lstat, open, readlink, realpath, type PathLike } from './calls.ts'
import { factsOf, sameEntry, type HostFacts } from './facts.ts'

export interface Held {
  /** Path of the held entry itself, for the host. */
  readonly self: string
  /** Path of an entry in the held directory, for the host. */
  at(name: string | Buffer): PathLike
  /** The descriptor, where there is one. */
  readonly fd: number | undefined
  /** Still where the walk found it, below one of the roots. */
  isInside(roots: readonly string[]): Promise<boolean>
  close(): void
}

/** How one step of the walk is made. */
export interface Stepper {
  readonly raceFree: boolean
  openRoot(path: string): Promise<Held>
  /** Undefined when nothing has this name. Links are not followed. */
  child(parent: Held, name: string): Promise<{ held: Held; facts: HostFacts } | undefined>
  facts(held: Held): Promise<HostFacts>
  /** A directory below, several steps at once; undefined when links or anything else stand in the way: then the walk goes step by step. */
  leap(root: Held, names: readonly string[], expected: string): Promise<Held | undefined>
}

export const descriptorStepper: Stepper = {
  raceFree: true,
  openRoot: async (path) => heldDescriptor(await open(path, FLAGS.directory)),
  async child(parent, name) {
    const fd = await openOrUndefined(parent.at(name))
    if (fd === undefined) return undefined
    try {
      return { held: heldDescriptor(fd), facts: factsOf(await fstat(fd)) }
    } catch (error) {
      close(fd)
      throw error
    }
  },
  facts: async (held) => factsOf(await fstat(held.fd ?? -1)),
  async leap(root, names, expected) {
    let fd: number
    try {
      fd = await open(`${root.self}/${names.join('/')}`, FLAGS.directory)
    } catch {
      return undefined
    }
    // The kernel's own name of the opened directory tells whether a link was followed on the way. Nothing was read or listed until here.
    const actual = await readlink(`/proc/self/fd/${fd}`).catch(() => undefined)
    if (actual === expected) return heldDescriptor(fd)
    close(fd)
    return undefined
  },
}

async function openOrUndefined(path: PathLike): Promise<number | undefined> {
  try {
    return await open(path, FLAGS.place)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function heldDescriptor(fd: number): Held {
  const self = `/proc/self/fd/${fd}`
  let closed = false
  return {
    self,
    fd,
    at: (name) => (typeof name === 'string' ? `${self}/${name}` : Buffer.concat([Buffer.from(`${self}/`), name])),
    async isInside(roots) {
      const actual = await readlink(self)
      return roots.some((root) => isWithin(actual, root))
    },
    close() {
      if (closed) return
      closed = true
      close(fd)
    },
  }
}

/** F-13: where the host has no `/proc`. */
export const pathStepper: Stepper = {
  raceFree: false,
  openRoot: async (path) => heldPath(await realpath(path), factsOf(await lstat(await realpath(path))), undefined),
  async child(parent, name) {
    try {
      const facts = factsOf(await lstat(parent.at(name)))
      return { held: heldPath(String(parent.at(name)), facts, parent), facts }
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined
      throw error
    }
  },
  facts: async (held) => factsOf(await lstat(held.self)),
  leap: () => Promise.resolve(undefined),
}

function heldPath(path: string, facts: HostFacts, parent: Held | undefined): Held {
  return {
    self: path,
    fd: undefined,
    at: (name) => (typeof name === 'string' ? `${path}/${name}` : Buffer.concat([Buffer.from(`${path}/`), name])),
    async isInside(roots) {
      const now = factsOf(await lstat(path))
      if (!sameEntry(now, facts) || now.kind === 'symlink') return false
      return parent === undefined || parent.isInside(roots)
    },
    close: () => undefined,
  }
}
