/**
 * When a process started, in the host's own units; undefined where the host does not tell. Source: proc(5), field 22 of /proc/PID/stat.
 */
import { readFile } from 'node:fs/promises'

export async function processStart(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything, parentheses and blanks too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[19]
  } catch {
    return undefined
  }
}
