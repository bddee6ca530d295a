/**
 * One writer per file. A lock is a file with its owner inside; a dead owner's lock is taken over by the next generation, whose file only one can
 * create, so that two that take over at once do not both win.
 */
import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { JournalError } from '../../definition/errors.ts'
import { processStart } from './process-start.ts'

interface Owner {
  readonly pid: number
  /** When the process started, where the host tells: a process id may be used again. */
  readonly start: string | undefined
  readonly nonce: string
}

interface Generation {
  readonly number: number
  readonly path: string
}

/** How long a lock without readable owner may be in the making. */
const MAKING_MS = 10_000

/** Nonces of the locks that this very process holds; shared by all copies of this package. */
const HELD = Symbol.for('toolseam.journal.locks')
type Holder = { [HELD]?: Set<string> }
const held = ((globalThis as Holder)[HELD] ??= new Set<string>())

/** Throws `JOURNAL_LOCKED`. The returned function unlocks. */
export async function lock(path: string): Promise<() => Promise<void>> {
  const before = await generations(path)
  const newest = before.at(-1)
  if (newest !== undefined) await refuseLive(path, newest)
  const owner: Owner = { pid: process.pid, start: await processStart(process.pid), nonce: randomUUID() }
  const mine: Generation = { number: (newest?.number ?? 0) + 1, path: `${path}.lock-${(newest?.number ?? 0) + 1}` }
  held.add(owner.nonce)
  const unlock = async (): Promise<void> => {
    held.delete(owner.nonce)
    await rm(mine.path, { force: true })
  }
  try {
    await create(mine.path, JSON.stringify(owner))
  } catch (error) {
    held.delete(owner.nonce)
    if (isCode(error, 'EEXIST')) throw locked(path, undefined)
    throw error
  }
  // Somebody who saw a later state of the folder may be ahead of us.
  const ahead = (await generations(path)).findLast((other) => other.number > mine.number)
  if (ahead !== undefined) {
    await unlock()
    throw locked(path, undefined)
  }
  for (const dead of before) await rm(dead.path, { force: true })
  return unlock
}

async function generations(path: string): Promise<Generation[]> {
  const folder = dirname(path)
  const prefix = `${basename(path)}.lock-`
  const names = await readdir(folder)
  return names
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => ({ number: Number(name.slice(prefix.length)), path: join(folder, name) }))
    .toSorted((left, right) => left.number - right.number)
}

/** The whole file appears at once, or not at all; where links are not to be had, exclusively created. */
async function create(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, text, { flag: 'wx', mode: 0o600 })
  try {
    await link(draft, path)
  } catch (error) {
    if (isCode(error, 'EEXIST')) throw error
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
  } finally {
    await rm(draft, { force: true })
  }
}

async function refuseLive(path: string, generation: Generation): Promise<void> {
  const owner = await readOwner(generation.path)
  if (owner === 'gone') return
  if (owner === 'unreadable') {
    const made = await stat(generation.path).catch(() => undefined)
    if (made !== undefined && Date.now() - made.mtimeMs < MAKING_MS) throw locked(path, undefined)
    return
  }
  if (await isAlive(owner)) throw locked(path, owner)
}

async function readOwner(path: string): Promise<Owner | 'gone' | 'unreadable'> {
  try {
    const { pid, start, nonce } = JSON.parse(await readFile(path, 'utf8')) as Partial<Owner>
    if (typeof pid !== 'number' || typeof nonce !== 'string') return 'unreadable'
    return { pid, start, nonce }
  } catch (error) {
    return isCode(error, 'ENOENT') ? 'gone' : 'unreadable'
  }
}

async function isAlive({ pid, start, nonce }: Owner): Promise<boolean> {
  // An earlier process of the same id, or a lock of our own.
  if (pid === process.pid) return held.has(nonce)
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user is alive too.
    if (!isCode(error, 'EPERM')) return false
  }
  const now = await processStart(pid)
  return start === undefined || now === undefined || start === now
}

function locked(path: string, owner: Owner | undefined): JournalError {
  const who = owner === undefined ? 'another writer' : `process ${owner.pid}`
  return new JournalError('JOURNAL_LOCKED', `${path} is being written by ${who}`, {
    path,
    ...(owner === undefined ? {} : { owner: { pid: owner.pid } }),
  })
}

function isCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code
}
