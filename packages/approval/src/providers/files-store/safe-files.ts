/**
 * The few file operations that the store is made of. A file appears whole or not at all, under a name that nobody else got (exclusive hard
 * link), and is on the disk with its folder before anyone is told. Links are never followed; folders are 0700, files 0600.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, link, lstat, mkdir, open, readdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '@toolseam/core-tools'
import { ApprovalError } from '../../definition/errors.ts'

/** Makes the folder where it is missing. Throws `APPROVAL_STORE_UNSAFE` where a link or a file is in its place. */
export async function ensureFolder(path: string): Promise<{ created: boolean }> {
  const made = await mkdir(path, { mode: 0o700 }).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'EEXIST') return false
      throw storeFailed('make folder', path, error)
    },
  )
  if (made) await syncFolder(dirname(path))
  else await requireFolder(path)
  return { created: made }
}

/** Makes a folder that is not part of the store, with those above it; what is there is taken as it is. */
export async function ensureFolders(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw storeFailed('make folder', path, error)
  })
}

/** False where nothing is there. */
export async function requireFolder(path: string): Promise<boolean> {
  const stat = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw storeFailed('look at folder', path, error)
  })
  if (stat === undefined) return false
  if (!stat.isDirectory()) {
    throw new ApprovalError('APPROVAL_STORE_UNSAFE', { path, why: stat.isSymbolicLink() ? 'a symbolic link' : 'not a folder' })
  }
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    await chmod(path, stat.mode & 0o700).catch((error: unknown) => {
      throw new ApprovalError('APPROVAL_STORE_UNSAFE', { path, why: 'open to others' }, { cause: error })
    })
  }
  return true
}

/** False: the name is taken. `scratch`: a folder of the same file system for the draft. */
export async function publish(text: string, target: string, scratch: string): Promise<boolean> {
  const draft = join(scratch, `${process.pid}-${randomBytes(8).toString('hex')}`)
  try {
    await writeDraft(draft, text)
    if (!(await linkTo(draft, target))) return false
    await syncFolder(dirname(target))
    return true
  } finally {
    await unlink(draft).catch(() => undefined)
  }
}

async function writeDraft(draft: string, text: string): Promise<void> {
  const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600).catch(
    (error: unknown) => {
      throw storeFailed('make file', draft, error)
    },
  )
  try {
    await file.writeFile(text)
    await file.sync()
  } catch (error) {
    throw storeFailed('write file', draft, error)
  } finally {
    await file.close()
  }
}

async function linkTo(draft: string, target: string): Promise<boolean> {
  try {
    await link(draft, target)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw storeFailed('hard link', target, error)
  }
}

export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder to sync it; its own metadata journal has to do.
  if (process.platform === 'win32') return
  try {
    const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    throw storeFailed('sync folder', path, error)
  }
}

/** Undefined: nothing there. A link in its place is an error. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    if (errorCode(error) === 'ELOOP') throw new ApprovalError('APPROVAL_STORE_UNSAFE', { path, why: 'a symbolic link' })
    throw storeFailed('read file', path, error)
  }
}

/** Names in a folder; empty where there is none. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw storeFailed('read folder', path, error)
  }
}

export function storeFailed(operation: string, path: string, cause: unknown): ApprovalError {
  return new ApprovalError('APPROVAL_STORE_FAILED', { operation, path, cause: errorCode(cause) ?? String(cause) }, { cause })
}
