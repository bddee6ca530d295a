/** What every job needs first: dependencies and a build, by one preparer at a time. Whoever finds all in place takes no lock. */
import { join } from 'node:path'
import { build, isBuilt } from './build.mjs'
import { install, isInstalled } from './install.mjs'
import { withLock } from './lock.mjs'
import { root, say } from './workspace.mjs'

const LOCK = join(root, '.toolseam-prepare.lock')

/** Installs and builds what is needed; false, after a message, when that failed. `everything` includes bench/. */
export async function prepare({ everything = false } = {}) {
  if (isInstalled({ everything }) && isBuilt()) return true
  try {
    await withLock(LOCK, { onWait: () => say('waiting for another install or build of this folder') }, async () => {
      await install({ everything })
      await build()
    })
    return true
  } catch (error) {
    say(error.message)
    return false
  }
}
