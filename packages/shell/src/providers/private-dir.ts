/**
 * A private folder (0700) of this process under the system's temporary folder: FIFOs, preludes and scripts lie here, nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PrivateDir {
  readonly path: string
  remove(): void
}

/** `mkdtemp` makes it 0700 and never follows what lies there already. Throws what the system throws. */
export function makePrivateDir(): PrivateDir {
  const path = mkdtempSync(join(tmpdir(), 'toolseam-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
