/**
 * The state folder `.toolseam/`: 0700, with a `.gitignore` of `*`. Refused when it is a link or not a directory, since what is written
 * there must stay there.
 */
import { chmodSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FsError } from '../../definition/errors.ts'

/** Makes the folder (and one below it) when it is missing. Gives its absolute path. @throws FsError FS_NOT_DIRECTORY, FS_IO */
export function prepareStateFolder(stateDir: string, below?: string): string {
  makeOwn(stateDir)
  try {
    writeFileSync(join(stateDir, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 })
  } catch {
    // There already, or read-only: nothing depends on it.
  }
  if (below === undefined) return stateDir
  makeOwn(join(stateDir, below))
  return join(stateDir, below)
}

function makeOwn(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
    chmodSync(folder, 0o700)
    return
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!exists) throw new FsError('FS_IO', { path: folder, reason: 'the state folder cannot be made' }, { cause: error })
  }
  const stat = lstatSync(folder)
  if (!stat.isDirectory()) throw new FsError('FS_NOT_DIRECTORY', { path: folder, kind: stat.isSymbolicLink() ? 'symlink' : 'file' })
}
