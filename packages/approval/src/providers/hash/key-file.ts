/**
 * The key of decisions: 32 random bytes in the user's configuration folder, made on first use, mode 0600. Two processes that make it
 * at once end with the same key, as it is published by an exclusive hard link.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { errorCode } from '@toolseam/core-tools'
import { ApprovalError } from '../../definition/errors.ts'
import { configFolder } from '../policy-files/config-folder.ts'

const KEY_BYTES = 32

/** Name of the key in the configuration folder. */
export const KEY_FILE = 'approval.key'

/** The key, made if there is none. Throws `APPROVAL_KEY_UNSAFE` where others could read or replace it. */
export async function readKeyFile(folder: string): Promise<Uint8Array> {
  const path = join(folder, KEY_FILE)
  return (await readKey(path)) ?? (await makeKey(folder, path))
}

/** The key in the user's configuration folder. */
export async function userKey(): Promise<Uint8Array> {
  return readKeyFile(configFolder())
}

/** The configuration folder lies inside a root, where tools could read the key. */
export function isKeyInside(root: string): boolean {
  const way = relative(resolve(root), resolve(configFolder()))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new ApprovalError('APPROVAL_KEY_UNSAFE', { path, why: errorCode(error) ?? 'unreadable' }, { cause: error })
  })
  if (file === undefined) return undefined
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new ApprovalError('APPROVAL_KEY_UNSAFE', { path, why: 'not a regular file' })
    if (process.getuid !== undefined && stat.uid !== process.getuid())
      throw new ApprovalError('APPROVAL_KEY_UNSAFE', { path, why: 'of another user' })
    if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
      throw new ApprovalError('APPROVAL_KEY_UNSAFE', { path, why: 'others may read or write it', mode: (stat.mode & 0o777).toString(8) })
    }
    const key = await file.readFile()
    if (key.length < KEY_BYTES) throw new ApprovalError('APPROVAL_KEY_UNSAFE', { path, why: 'too short' })
    return key
  } finally {
    await file.close()
  }
}

async function makeKey(folder: string, path: string): Promise<Uint8Array> {
  const draft = join(folder, `.${KEY_FILE}.${process.pid}.${randomBytes(6).toString('hex')}`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(randomBytes(KEY_BYTES))
      await file.sync()
    } finally {
      await file.close()
    }
    await link(draft, path).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
  } catch (error) {
    throw new ApprovalError('APPROVAL_KEY_UNSAFE', { path, why: errorCode(error) ?? 'cannot be made' }, { cause: error })
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
  }
  const key = await readKey(path)
  if (key === undefined) throw new ApprovalError('APPROVAL_KEY_UNSAFE', { path, why: 'vanished' })
  return key
}
