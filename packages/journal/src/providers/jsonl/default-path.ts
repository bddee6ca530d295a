/**
 * Where a process keeps its journal unless told: one file a process in `.toolseam/journal/` of the root. The state folder is for its owner alone
 * and never part of a repository.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const startedAt = new Date(Math.round(performance.timeOrigin)).toISOString().replaceAll(':', '').replace('.', '-')
let opened = 0

export async function defaultJournalPath(root: string): Promise<string> {
  const state = resolve(root, '.toolseam')
  const made = await mkdir(state, { recursive: true, mode: 0o700 })
  if (made !== undefined) await writeFile(join(state, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => {})
  opened += 1
  const again = opened === 1 ? '' : `-${opened}`
  return join(state, 'journal', `${startedAt}-${process.pid}${again}.jsonl`)
}
