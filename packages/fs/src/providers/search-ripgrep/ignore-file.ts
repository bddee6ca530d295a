/**
 * The generated ignore file of one search: a private file that lives as long as the engine.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface IgnoreFileOnDisk {
  readonly path: string | undefined
  remove(): Promise<void>
}

/** No file for no lines. */
export async function writeIgnoreFile(lines: readonly string[]): Promise<IgnoreFileOnDisk> {
  if (lines.length === 0) return { path: undefined, remove: () => Promise.resolve() }
  const folder = await mkdtemp(join(tmpdir(), 'toolseam-search-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const path = join(folder, 'ignore')
    await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o600 })
    return { path, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
