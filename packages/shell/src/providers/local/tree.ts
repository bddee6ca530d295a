/**
 * The tree of one child: who belongs to it, and how it is ended (S-21 to S-23). Members are found by group, by session and by the marker in
 * their environment. An id is signalled only while it is known to be the process that was meant: ids are given out again.
 */
import { pause, type Clock } from '../../definition/clock.ts'
import { ARGV_CHARS, KILL_CONFIRM_MS } from '../../definition/limits.ts'
import type { KillOptions, KillReport, SurvivorInfo } from '../../definition/subprocess.ts'
import type { ProcessEntry, ProcessTable } from './process-table.ts'

/** Ids looked up in one go before the loop gets a turn (S-6). */
const SLICE = 100
const POLL_MS = 10

export interface TreeRoot {
  readonly pid: number
  readonly marker: string
  /** The child's exit was observed: its id may be given out again. */
  reaped(): boolean
}

export interface ProcessTree {
  members(): Promise<ProcessEntry[]>
  survivors(): Promise<SurvivorInfo[]>
  signalGroup(name: NodeJS.Signals): boolean
  kill(options: KillOptions): Promise<KillReport>
  /** Synchronous and without grace: the host is about to exit. */
  killNow(): void
}

export function processTree(root: TreeRoot, ports: { table: ProcessTable; clock: Clock; yieldLoop(): Promise<void> }): ProcessTree {
  const { table, clock, yieldLoop } = ports
  let groupEnded = false

  /** Once the group was seen to be gone its number is never used again: it may belong to somebody else. */
  const groupAlive = (): boolean => {
    if (groupEnded) return false
    const reused = root.reaped() && table.searchable && table.entry(root.pid) !== undefined
    if (reused || !table.signal(-root.pid, 0)) groupEnded = root.reaped()
    return !groupEnded
  }
  const belongs = (entry: ProcessEntry): boolean => {
    // Until it is reaped nobody else can have its id.
    if (entry.pid === root.pid) return !root.reaped()
    if (!groupEnded && (entry.group === root.pid || entry.session === root.pid)) return true
    return table.marker(entry.pid) === root.marker
  }
  const inspect = (pid: number): ProcessEntry | undefined => {
    if (pid === process.pid) return undefined
    const entry = table.entry(pid)
    return entry !== undefined && !entry.zombie && belongs(entry) ? entry : undefined
  }
  const members = async (): Promise<ProcessEntry[]> => {
    groupAlive()
    const found: ProcessEntry[] = []
    const pids = table.pids(root.pid)
    if (!root.reaped()) pids.push(root.pid)
    for (let start = 0; start < pids.length; start += SLICE) {
      if (start > 0) await yieldLoop()
      for (const pid of pids.slice(start, start + SLICE)) {
        const entry = inspect(pid)
        if (entry !== undefined) found.push(entry)
      }
    }
    return found
  }
  /** The start time is compared right before the signal. */
  const signalEntry = (entry: ProcessEntry, name: NodeJS.Signals): void => {
    const now = table.entry(entry.pid)
    if (now !== undefined && now.startTime === entry.startTime && !now.zombie) table.signal(entry.pid, name)
  }
  const alive = (entry: ProcessEntry): boolean => {
    const now = table.entry(entry.pid)
    return now !== undefined && now.startTime === entry.startTime && !now.zombie
  }
  const signalGroup = (name: NodeJS.Signals): boolean => groupAlive() && table.signal(-root.pid, name)

  const anythingLeft = async (): Promise<ProcessEntry[]> => {
    if (table.searchable) return members()
    return groupAlive() ? [{ pid: root.pid, group: root.pid, session: root.pid, startTime: '', zombie: false }] : []
  }

  /** Waits until nothing is left or the time is over; gives what is left. */
  const waitForEnd = async (ms: number, deadline?: AbortSignal): Promise<ProcessEntry[]> => {
    const until = clock.now() + ms
    let left = await anythingLeft()
    let step = POLL_MS
    while (left.length > 0 && clock.now() < until && deadline?.aborted !== true) {
      await pause(clock, Math.min(step, Math.max(1, until - clock.now())), deadline)
      step = Math.min(step * 2, 50)
      // Cheap while known members are alive; a full look only when they seem gone.
      left = table.searchable && left.some(alive) ? left.filter(alive) : await anythingLeft()
    }
    return left
  }

  const kill = async ({ graceMs, deadline }: KillOptions): Promise<KillReport> => {
    if (graceMs > 0 && deadline?.aborted !== true) {
      const first = await anythingLeft()
      // TERM first: editors flush on TERM and lose work on KILL.
      signalGroup('SIGTERM')
      for (const entry of first) if (entry.group !== root.pid) signalEntry(entry, 'SIGTERM')
      if ((await waitForEnd(graceMs, deadline)).length === 0) return { stuck: [] }
    }
    signalGroup('SIGKILL')
    // Twice: the first sweep may meet a parent whose child was not yet there.
    for (let sweep = 0; sweep < 2; sweep += 1) {
      for (const entry of await anythingLeft()) signalEntry(entry, 'SIGKILL')
    }
    const until = clock.now() + KILL_CONFIRM_MS
    let left = await waitForEnd(50)
    while (left.length > 0 && clock.now() < until) {
      for (const entry of left) signalEntry(entry, 'SIGKILL')
      signalGroup('SIGKILL')
      left = await waitForEnd(50)
    }
    return { stuck: left.map((entry) => entry.pid) }
  }

  return {
    members,
    signalGroup,
    kill,
    survivors: async () => {
      const found = (await members()).filter((entry) => entry.pid !== root.pid)
      return found.map((entry) => ({ pid: entry.pid, argv: table.argv(entry.pid).slice(0, ARGV_CHARS) }))
    },
    killNow: () => {
      signalGroup('SIGKILL')
      for (const pid of table.pids(root.pid)) {
        const entry = inspect(pid)
        if (entry !== undefined) signalEntry(entry, 'SIGKILL')
      }
    },
  }
}
