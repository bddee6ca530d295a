/**
 * Listing a directory (tool `list`): level by level, names sorted, bounded. What is named may be moved or deleted afterwards (F-21).
 */
import { FsError } from '../../definition/errors.ts'
import type { FileTarget, ListEntry, ListOptions, Listing } from '../../definition/file-system.ts'
import { refuseAborted, refuseState, versionOf, withSpot, type Core } from './core.ts'
import { ignoreRulesAt, type IgnoreRules } from './ignored.ts'
import { notFound } from './resolve.ts'
import type { DirectoryEntry, Spot } from './storage.ts'

interface Level {
  absolute: string
  path: string
  rules: IgnoreRules
  found: DirectoryEntry[]
}

export async function listDirectory(core: Core, target: FileTarget, options: ListOptions = {}): Promise<Listing> {
  const depth = Math.min(options.depth ?? 1, 5)
  const limit = options.limit ?? 500
  const top = await withSpot(core, target, (spot) => openTop(core, spot))
  const entries: ListEntry[] = []
  let truncated = false
  let levels = [top]
  for (let below = 1; below <= depth && levels.length > 0; below += 1) {
    const entered: Level[] = []
    for (const level of levels) {
      refuseAborted(options.signal, target.path)
      const room = limit - entries.length
      truncated ||= level.found.length > room
      for (const each of level.found.slice(0, room)) {
        const entry = entryOf(level, each)
        entries.push(entry)
        if (each.raw === undefined) noteNamed(core, target, { absolute: join(level.absolute, each.name), each })
        if (below < depth && isEntered(entry)) entered.push(...(await enterBelow(core, level, each.name)))
      }
    }
    levels = entered
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { path: top.path, entries, truncated }
}

async function openTop(core: Core, spot: Spot): Promise<Level> {
  refuseState(core, spot, 'read')
  if (spot.facts === undefined) throw await notFound(core, spot)
  if (spot.facts.kind !== 'directory') throw new FsError('FS_NOT_DIRECTORY', { path: spot.path, kind: spot.facts.kind })
  return openLevel(core, spot, await ignoreRulesAt(core, spot.absolute))
}

/** A directory below; nothing when it is gone or cannot be read. */
async function enterBelow(core: Core, level: Level, name: string): Promise<Level[]> {
  const absolute = join(level.absolute, name)
  try {
    return await withSpot(core, { given: absolute, leaf: 'keep' }, async (spot) =>
      spot.facts?.kind === 'directory' ? [await openLevel(core, spot, await level.rules.enter(absolute))] : [],
    )
  } catch {
    return []
  }
}

async function openLevel(core: Core, spot: Spot, rules: IgnoreRules): Promise<Level> {
  const found = await core.storage.readDirectory(spot)
  // The state folder is not shown; spilled output in it is reached by name.
  const shown = found.filter((entry) => !core.storage.stateFolders.includes(join(spot.absolute, entry.name)))
  shown.sort((a, b) => (a.name < b.name ? -1 : 1))
  return { absolute: spot.absolute, path: spot.path, rules, found: shown }
}

function isEntered(entry: ListEntry): boolean {
  return entry.kind === 'directory' && entry.raw === undefined && entry.ignored !== true && entry.name !== '.git'
}

function entryOf(level: Level, each: DirectoryEntry): ListEntry {
  const { kind, size, target, mtimeMs } = each.facts
  const ignored = level.rules.ignores(join(level.absolute, each.name), kind === 'directory')
  return {
    path: level.path === '.' ? each.name : join(level.path, each.name),
    name: each.name,
    kind,
    ...(kind === 'file' ? { size } : {}),
    ...(target === undefined ? {} : { target }),
    ...(ignored ? { ignored: true as const } : {}),
    ...(each.raw === undefined ? {} : { raw: each.raw }),
    mtimeMs,
  }
}

function noteNamed(core: Core, target: FileTarget, { absolute, each }: { absolute: string; each: DirectoryEntry }): void {
  if (each.facts.kind !== 'file') return
  core.book.view(target.agent).note({ key: absolute, absolute }, { version: versionOf(each.facts), seen: 'named' })
}

function join(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`
}
