/** Processes by their exact arguments, as the system lists them. */
import { readdirSync, readFileSync } from 'node:fs'

/** Pids of the `sleep`s with this very argument. */
export function sleepers(argument: string): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    const [name, ...args] = commandLine(entry)
    return name?.endsWith('sleep') === true && args.includes(argument) ? [Number(entry)] : []
  })
}

/** Empty for a process that is gone, or a zombie. */
function commandLine(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** Seconds of a sleep that nobody else sleeps. */
export function uniqueSeconds(): string {
  return `${1000 + Math.floor(Math.random() * 8_999)}.${process.pid}${Math.floor(Math.random() * 1e6)}`
}

/** What a failed test left. */
export function endSleepers(argument: string): void {
  for (const pid of sleepers(argument)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone meanwhile.
    }
  }
}
