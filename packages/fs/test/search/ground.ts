/**
 * A small honest ground for search tests: one root, places held open by descriptor, refusals as the walk gives them.
 */
import { closeSync, constants, fstatSync, mkdtempSync, openSync, realpathSync, rmSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { FsError } from '../../src/definition/errors.ts'
import type { GrepHit, GrepQuery, GrepSummary, Search, SearchGround, WalkedPlace } from '../../src/definition/search.ts'

export interface TestGround extends SearchGround {
  readonly root: string
  readonly namedPaths: Set<string>
  remove(): void
}

export function testGround(): TestGround {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolseam-ground-')))
  const namedPaths = new Set<string>()
  const walk = (path: string, directoryOnly: boolean): WalkedPlace => {
    const absolute = realOf(resolve(root, path), path)
    if (absolute !== root && !absolute.startsWith(`${root}/`)) throw new FsError('FS_OUTSIDE_ROOT', { path })
    const kind = statSync(absolute)
    if (!kind.isDirectory() && !kind.isFile()) throw new FsError('FS_NOT_REGULAR', { path })
    if (directoryOnly && !kind.isDirectory()) throw new FsError('FS_NOT_DIRECTORY', { path })
    const descriptor = openSync(absolute, constants.O_RDONLY)
    const { ino } = fstatSync(descriptor)
    return {
      kind: kind.isDirectory() ? 'directory' : 'file',
      procPath: `/proc/${process.pid}/fd/${descriptor}`,
      relative: absolute.slice(root.length + 1),
      absolute,
      recheck: () => Promise.resolve(realOrSelf(absolute) === absolute && inodeOf(absolute) === ino),
      close: () => closeSync(descriptor),
    }
  }
  return {
    root,
    namedPaths,
    walkPlace: async (path) => walk(path, false),
    walkDirectory: async (path) => walk(path, true),
    named: (_agent, found) => {
      for (const { path } of found) namedPaths.add(path)
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

function realOf(absolute: string, path: string): string {
  try {
    return realpathSync(absolute)
  } catch {
    throw new FsError('FS_NOT_FOUND', { path })
  }
}

function realOrSelf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}

/** Writes files of a tree: names to contents. */
export async function plant(root: string, files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), content)
  }
}

export async function grepAll(search: Pick<Search, 'grep'>, query: GrepQuery): Promise<GrepSummary & { hits: GrepHit[] }> {
  const stream = search.grep(query)
  const hits: GrepHit[] = []
  for await (const hit of stream) hits.push(hit)
  const summary = await stream.summary
  const key = (hit: GrepHit): string => `${hit.path}\0${String(hit.line).padStart(9, '0')}`
  return { ...summary, hits: hits.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)) }
}
