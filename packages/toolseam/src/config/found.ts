/** A configuration that merely lies in the root starts nothing: it could be a stranger's. It is named, so that its owner can name it too. */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'toolseam.config.json'

/** A sentence about a found, unnamed configuration; undefined where there is none. */
export function foundConfigNotice(root: string, named: string | undefined): string | undefined {
  const found = join(root, NAME)
  if (!existsSync(found)) return undefined
  if (named !== undefined && sameFile(found, named)) return undefined
  return `${found} was found and not loaded, as a configuration starts code. If you trust it: --config ${found}`
}

function sameFile(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b)
  } catch {
    return false
  }
}
