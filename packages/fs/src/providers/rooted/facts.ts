/**
 * What the host tells about an entry, as facts.
 */
import type { BigIntStats } from 'node:fs'
import type { EntryFacts } from '../common/storage.ts'

export interface HostFacts extends EntryFacts {
  owner: { uid: number; gid: number }
}

export function factsOf(stat: BigIntStats): HostFacts {
  return {
    kind: kindOf(stat),
    size: Number(stat.size),
    mode: Number(stat.mode & 0o7777n),
    links: Number(stat.nlink),
    mtimeMs: Number(stat.mtimeNs) / 1e6,
    stamp: { dev: stat.dev, ino: stat.ino, size: stat.size, mtimeNs: stat.mtimeNs, ctimeNs: stat.ctimeNs },
    owner: { uid: Number(stat.uid), gid: Number(stat.gid) },
  }
}

export function sameEntry(a: EntryFacts, b: EntryFacts): boolean {
  return a.stamp.dev === b.stamp.dev && a.stamp.ino === b.stamp.ino
}

function kindOf(stat: BigIntStats): EntryFacts['kind'] {
  if (stat.isFile()) return 'file'
  if (stat.isDirectory()) return 'directory'
  if (stat.isSymbolicLink()) return 'symlink'
  if (stat.isFIFO()) return 'fifo'
  return stat.isSocket() ? 'socket' : 'device'
}
