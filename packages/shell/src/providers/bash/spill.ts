/**
 * Overflow of an output kept in a file (S-31): `<state>/output/<id>.log`, 0600, created exclusively, written in order and off the loop. The cap
 * keeps the first part. What cannot be written is said, and the command goes on.
 */
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rm, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { SpillInfo } from '../../definition/command.ts'
import { SPILL_BACKLOG_BYTES, type ShellLimits } from '../../definition/limits.ts'
import type { SpillSink } from '../../lifecycle/ports.ts'

export interface SpillFolder {
  open(id: string): SpillSink
}

export function spillFolder(options: { root: string; stateDir: string; limits: ShellLimits }): SpillFolder {
  const { root, stateDir, limits } = options
  const folder = join(stateDir, 'output')
  let ready: Promise<void> | undefined
  const live = new Set<string>()
  const prepare = (): Promise<void> => {
    ready ??= makeFolder(folder).catch((error: unknown) => {
      ready = undefined
      throw error
    })
    return ready.then(() => tidy(folder, { limits, live }))
  }
  return {
    open: (id) => {
      const path = join(folder, `${id}.log`)
      live.add(path)
      return spillFile({ id, path, shown: shownPath(root, path), prepare, limit: limits.spillBytes, closed: () => live.delete(path) })
    },
  }
}

function shownPath(root: string, path: string): string {
  const way = relative(root, path)
  return way.startsWith('..') || isAbsolute(way) ? path : way
}

interface SpillFile {
  id: string
  path: string
  shown: string
  limit: number
  prepare(): Promise<void>
  closed(): void
}

function spillFile(options: SpillFile): SpillSink {
  let accepted = 0
  let written = 0
  let complete = true
  let failure: string | undefined
  let waiting: Uint8Array[] = []
  let onDrain = (): void => {}
  let paused = false
  let finishing = false

  const file = openExclusive(options).catch((error: unknown) => fail(error))
  const fail = (error: unknown): undefined => {
    failure ??= error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN'
    complete = false
    waiting = []
    return undefined
  }
  let work: Promise<void> | undefined
  const flush = async (): Promise<void> => {
    const handle = await file
    while (handle !== undefined && waiting.length > 0 && failure === undefined) {
      const batch = waiting
      waiting = []
      await writeAll(handle, batch).then((bytes) => (written += bytes), fail)
      resumeIfPaused()
    }
    resumeIfPaused()
  }
  const resumeIfPaused = (): void => {
    if (!paused || (failure === undefined && accepted - written > SPILL_BACKLOG_BYTES / 2)) return
    paused = false
    onDrain()
  }
  const close = async (): Promise<void> => {
    await work
    const handle = await file
    await handle?.close().catch(fail)
    options.closed()
  }
  let closing: Promise<void> | undefined
  return {
    write: (chunk) => {
      if (failure !== undefined || finishing) return true
      const room = options.limit - accepted
      if (chunk.length > room) complete = false
      if (room <= 0) return true
      waiting.push(Uint8Array.from(chunk.length > room ? chunk.subarray(0, room) : chunk))
      accepted += Math.min(room, chunk.length)
      work = (work ?? Promise.resolve()).then(flush)
      paused = accepted - written > SPILL_BACKLOG_BYTES
      return !paused
    },
    onDrain: (run) => (onDrain = run),
    finish: () => {
      finishing = true
      closing ??= close()
      return closing
    },
    get info(): SpillInfo {
      return { id: options.id, path: options.shown, bytes: accepted, complete }
    },
    get failure() {
      return failure
    },
  }
}

async function openExclusive(options: SpillFile): Promise<FileHandle> {
  await options.prepare()
  return open(options.path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
}

async function writeAll(handle: FileHandle, chunks: Uint8Array[]): Promise<number> {
  const batch = chunks.length === 1 ? (chunks[0] ?? new Uint8Array(0)) : Buffer.concat(chunks)
  for (let at = 0; at < batch.length;) at += (await handle.write(batch, at)).bytesWritten
  return batch.length
}

/** Whoever makes the state folder makes it private, and invisible to git. A link in its place is refused. */
async function makeFolder(folder: string): Promise<void> {
  const state = dirname(folder)
  if ((await mkdir(state, { recursive: true, mode: 0o700 })) !== undefined) {
    await writeFile(join(state, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch(() => {})
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const path of [state, folder]) {
    if (!(await lstat(path)).isDirectory()) throw Object.assign(new Error(`not a directory: ${path}`), { code: 'ENOTDIR' })
  }
}

/** Too old goes, then the oldest until one more file of full size fits. */
async function tidy(folder: string, { limits, live }: { limits: ShellLimits; live: ReadonlySet<string> }): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log'))
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const facts = await lstat(path).catch(() => undefined)
      return { path, size: facts?.size ?? 0, at: facts?.mtimeMs ?? 0 }
    }),
  )
  const files = found.filter(({ path }) => !live.has(path)).sort((a, b) => a.at - b.at)
  let total = found.reduce((sum, { size }) => sum + size, 0)
  for (const { path, size, at } of files) {
    if (Date.now() - at <= limits.spillAgeMs && total <= limits.spillTotalBytes - limits.spillBytes) break
    await rm(path, { force: true })
    total -= size
  }
}
