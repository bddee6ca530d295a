/**
 * Reading jobs (S-33): every agent has its own cursor on every job, so that reads are gap-free and repeat-free, and the end is told once.
 */
import type { AgentId } from '@toolseam/core-tools'
import type { ShellExit } from '../definition/command.ts'
import { ShellError } from '../definition/errors.ts'
import type { Shell, ShellCommand } from '../definition/shell.ts'
import type { JobValue } from './values.ts'

interface Cursor {
  out: number
  err: number
  toldEnd: boolean
}

export interface JobReader {
  /** Throws `SHELL_JOB_UNKNOWN` with the live ones; a foreign id is an unknown one (S-45). */
  find(id: string, agent: AgentId | undefined): ShellCommand
  /** Where this agent's next read begins. */
  position(command: ShellCommand, agent: AgentId | undefined): number
  /** The result of `bash` showed this job's output so far, and its exit where it had one. */
  shown(id: string, agent: AgentId | undefined): void
  read(command: ShellCommand, options: { agent: AgentId | undefined; from?: number; elapsed?: boolean }): Promise<JobValue>
}

export function jobReader(shell: () => Shell): JobReader {
  const cursors = new WeakMap<ShellCommand, Map<AgentId | undefined, Cursor>>()

  const cursorOf = (command: ShellCommand, agent: AgentId | undefined): Cursor => {
    const perAgent = cursors.get(command) ?? new Map<AgentId | undefined, Cursor>()
    cursors.set(command, perAgent)
    const cursor = perAgent.get(agent) ?? { out: 0, err: 0, toldEnd: false }
    perAgent.set(agent, cursor)
    return cursor
  }
  return {
    find: (id, agent) => {
      const command = shell().get(id, agent)
      if (command !== undefined) return command
      const live = shell()
        .list(agent === undefined ? {} : { agent })
        .filter((one) => one.live)
      const jobs = live.map((one) => ({ job: one.id, command: one.spec.command.slice(0, 80) }))
      throw new ShellError('SHELL_JOB_UNKNOWN', { job: id, jobs })
    },
    position: (command, agent) => cursorOf(command, agent).out,
    shown: (id, agent) => {
      const command = shell().get(id, agent)
      if (command === undefined) return
      const cursor = cursorOf(command, agent)
      cursor.out = command.read().next
      cursor.err = command.spec.split ? command.read({ stream: 'stderr' }).next : 0
      cursor.toldEnd = command.state !== 'running'
    },
    read: async (command, { agent, from, elapsed = false }) => {
      const cursor = cursorOf(command, agent)
      const survivors = command.state === 'running' ? [] : await command.survivors()
      const exit = command.state === 'running' ? undefined : await command.exit
      const slice = command.read({ from: from ?? cursor.out })
      cursor.out = Math.max(cursor.out, slice.next)
      const stderr = command.spec.split ? command.read({ stream: 'stderr', from: cursor.err }) : undefined
      cursor.err = stderr?.next ?? 0
      const ended = exit !== undefined && !cursor.toldEnd
      cursor.toldEnd ||= ended
      return {
        job: command.id,
        ...endFacts(command, exit),
        output: slice.text,
        ...(stderr === undefined ? {} : { stderr: stderr.text }),
        from: slice.from,
        next: slice.next,
        omittedBytes: slice.omittedBytes,
        ...(slice.omittedAt === undefined ? {} : { omittedAt: slice.omittedAt }),
        lossy: slice.lossy,
        elapsed,
        ...(ended ? { ended: true as const } : {}),
        ...(survivors.length === 0 ? {} : { survivors: survivors.map((one) => ({ ...one })) }),
        ...(exit === undefined || exit.stuck.length === 0 ? {} : { stuck: [...exit.stuck] }),
        ...(slice.spill === undefined ? {} : { spill: { ...slice.spill } }),
      }
    },
  }
}

function endFacts(command: ShellCommand, exit: ShellExit | undefined): Pick<JobValue, 'state' | 'exitCode' | 'signal'> {
  return { state: command.state, exitCode: exit?.exitCode ?? null, signal: exit?.signal ?? null }
}
