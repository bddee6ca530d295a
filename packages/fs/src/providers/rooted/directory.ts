/**
 * Directories through what is held: their entries, their names, and the removal of a whole tree without ever following a link.
 */
import { FsError } from '../../definition/errors.ts'
import type { DirectoryEntry } from '../common/storage.ts'
import { chmod, errnoOf, hostError, lstat, readlink, readNames, rmdir, unlink } from './calls.ts'
import { factsOf } from './facts.ts'
import type { Held, Stepper } from './held.ts'

/** Entries looked at together. */
const AT_ONCE = 64

export async function readEntries(directory: Held, path: string): Promise<DirectoryEntry[]> {
  const names = await readNames(`${directory.self}/`).catch((error: unknown) => Promise.reject(hostError(error, path)))
  const entries: DirectoryEntry[] = []
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const found = await Promise.all(names.slice(at, at + AT_ONCE).map((name) => entryOf(directory, name)))
    for (const entry of found) if (entry !== undefined) entries.push(entry)
  }
  return entries
}

async function entryOf(directory: Held, bytes: Buffer): Promise<DirectoryEntry | undefined> {
  try {
    const facts = factsOf(await lstat(directory.at(bytes)))
    const name = bytes.toString('utf8')
    const raw = Buffer.from(name, 'utf8').equals(bytes) ? {} : { raw: bytes.toString('base64') }
    const target = facts.kind === 'symlink' ? { target: await readlink(directory.at(bytes)) } : {}
    return { name, ...raw, facts: { ...facts, ...target } }
  } catch {
    // Gone since the names were read.
    return undefined
  }
}

/** Names in a directory; none when it cannot be read. Used for proposals only. */
export async function siblingNames(directory: Held, path: string): Promise<string[]> {
  try {
    return (await readNames(`${directory.self}/`)).map((name) => name.toString('utf8'))
  } catch (error) {
    if (errnoOf(error) === 'EACCES' || errnoOf(error) === 'ENOENT') return []
    throw hostError(error, path)
  }
}

/** Removes an entry and everything below it; links are removed, not followed. */
export async function removeTree(parent: Held, { name, stepper }: { name: string | Buffer; stepper: Stepper }): Promise<void> {
  const path = parent.at(name)
  const facts = factsOf(await lstat(path))
  if (facts.kind !== 'directory') return unlink(path)
  const child = typeof name === 'string' ? await stepper.child(parent, name) : undefined
  if (child === undefined) throw new FsError('FS_IO', { path: String(name), reason: 'a directory whose name is not UTF-8' })
  try {
    if (child.facts.kind !== 'directory') return await unlink(path)
    // What nobody may write in cannot be emptied: it is ours to remove now.
    if ((child.facts.mode & 0o300) !== 0o300) await chmod(child.held.self, child.facts.mode | 0o700).catch(() => undefined)
    for (const each of await readNames(`${child.held.self}/`)) {
      const text = each.toString('utf8')
      await removeTree(child.held, { name: Buffer.from(text, 'utf8').equals(each) ? text : each, stepper })
    }
  } finally {
    child.held.close()
  }
  await rmdir(path)
}
