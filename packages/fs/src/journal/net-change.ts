/**
 * Many entries of a selection, told as one net change a file (F-61): where it came from, where it is now, and what was done to its content.
 * Steps whose ends meet are joined; where somebody else changed the file in between, the steps stay apart and are taken back one by one.
 */
import type { EntryKind, LedgerEntry } from './records.ts'

/** A content at some moment. `of` and `side`: which entry knows it. */
export type Content =
  | { kind: 'absent' }
  | { kind: 'present'; entryKind: EntryKind; hash: string | undefined; mode: number | undefined; of: LedgerEntry; side: 'before' | 'after' }

export interface Step {
  before: Content
  after: Content
}

export interface NetChange {
  /** Where the file was before the first change; for a created one, where it was created. */
  origin: string
  /** Where the last change left it, or from where it was removed. */
  place: string
  entryKind: EntryKind
  steps: Step[]
  /** In the order in which they were made; `at` is the index of the entry. */
  moves: { from: string; to: string; at: number }[]
  /** Where the content was last changed: the path of that time, and the index of that entry. */
  changed: { path: string; at: number } | undefined
  entries: LedgerEntry[]
  /** Removed and made again on the way: its mode was lost. */
  remade: boolean
}

/** `entries` oldest first. */
export function netChanges(entries: readonly LedgerEntry[]): NetChange[] {
  const nets: NetChange[] = []
  const live = new Map<string, NetChange>()
  for (const [at, entry] of entries.entries()) {
    const net = live.get(entry.path) ?? opened(entry, nets, live)
    net.entries.push(entry)
    if (entry.kind === 'move') relocate(net, { entry, at }, live)
    else {
      addStep(net, stepOf(entry))
      net.changed = { path: entry.path, at }
    }
  }
  return nets.filter(
    (net) => net.moves.length > 0 || net.steps.some(({ before, after }) => before.kind !== 'absent' || after.kind !== 'absent'),
  )
}

function opened(entry: LedgerEntry, nets: NetChange[], live: Map<string, NetChange>): NetChange {
  const net: NetChange = {
    origin: entry.path,
    place: entry.path,
    entryKind: entry.entryKind,
    steps: [],
    moves: [],
    changed: undefined,
    entries: [],
    remade: false,
  }
  nets.push(net)
  live.set(entry.path, net)
  return net
}

/** A moved directory takes along what is known below it. */
function relocate(net: NetChange, { entry, at }: { entry: LedgerEntry; at: number }, live: Map<string, NetChange>): void {
  const to = entry.to ?? entry.path
  for (const [path, other] of Array.from(live)) {
    if (path !== entry.path && !path.startsWith(`${entry.path}/`)) continue
    const moved = to + path.slice(entry.path.length)
    live.delete(path)
    if (other !== net && isGone(other)) continue
    live.set(moved, other)
    other.place = moved
  }
  net.moves.push({ from: entry.path, to, at })
}

function isGone(net: NetChange): boolean {
  return net.steps.at(-1)?.after.kind === 'absent'
}

/** `net` was removed, and `other` was moved into its place, or into a directory above it, and is still there. */
export function isTakenBy(net: NetChange, other: NetChange): boolean {
  if (other === net || !isGone(net) || isGone(other)) return false
  const removedAt = net.changed?.at ?? -1
  const covers = net.place === other.place || net.place.startsWith(`${other.place}/`)
  return covers && other.moves.some(({ at }) => at > removedAt)
}

function stepOf(entry: LedgerEntry): Step {
  const present = (side: 'before' | 'after'): Content => ({
    kind: 'present',
    entryKind: entry.entryKind,
    hash: side === 'before' ? entry.beforeHash : entry.afterHash,
    mode: side === 'before' ? entry.beforeMode : undefined,
    of: entry,
    side,
  })
  const absent: Content = { kind: 'absent' }
  return {
    before: entry.kind === 'create' ? absent : present('before'),
    after: entry.kind === 'delete' ? absent : present('after'),
  }
}

function addStep(net: NetChange, step: Step): void {
  const last = net.steps.at(-1)
  if (last === undefined || !sameContent(last.after, step.before)) {
    net.steps.push(step)
    return
  }
  if (step.before.kind === 'absent' && last.before.kind === 'present') net.remade = true
  last.after = step.after
}

/** Contents without a known hash are never the same. */
export function sameContent(a: Content, b: Content): boolean {
  if (a.kind === 'absent' || b.kind === 'absent') return a.kind === b.kind
  if (a.entryKind !== b.entryKind) return false
  return a.entryKind === 'directory' || (a.hash !== undefined && a.hash === b.hash)
}
