/**
 * All commands of one shell: their ids, who may see them (S-45), how many may live (S-17), which turns were stopped (S-43), and the cancelling of
 * what a turn owns (S-42).
 */
import type { AgentId } from '@toolseam/core-tools'
import type { ShellSpec } from '../definition/command.ts'
import { ShellError } from '../definition/errors.ts'
import { RETAINED_COMMANDS, type ShellLimits } from '../definition/limits.ts'
import type { CancelOrder, CancelReport, CommandFilter } from '../definition/shell.ts'
import type { LiveCommand } from './live-command.ts'

/** Stopped turns and calls that are remembered. */
const REMEMBERED_STOPS = 10_000

export interface CommandBook {
  /** Takes a place for a command about to start. Throws `SHELL_DISPOSED`, `SHELL_HALTED`, `SHELL_JOB_LIMIT`. */
  admit(spec: ShellSpec): Promise<Admission>
  get(id: string, agent?: AgentId): LiveCommand | undefined
  list(filter?: CommandFilter): readonly LiveCommand[]
  cancel(order: CancelOrder): Promise<CancelReport>
  /** Refuses new ones and ends all. */
  close(): Promise<void>
}

export interface Admission {
  readonly id: string
  /** Starts it in its place; ends it at once where it was stopped meanwhile. */
  begin(start: () => Promise<LiveCommand>): Promise<LiveCommand>
}

export function commandBook(options: { limits: ShellLimits }): CommandBook {
  const commands = new Map<string, LiveCommand>()
  const starting = new Map<string, { spec: ShellSpec; done: Promise<unknown> }>()
  const stoppedTurns = boundedSet(REMEMBERED_STOPS)
  const stoppedCalls = boundedSet(REMEMBERED_STOPS)
  let issued = 0
  let closed = false

  const refuse = (spec: ShellSpec): void => {
    if (closed) throw new ShellError('SHELL_DISPOSED')
    const turnStopped = spec.turnId !== undefined && stoppedTurns.has(spec.turnId)
    const callStopped = spec.rootCallId !== undefined && stoppedCalls.has(spec.rootCallId)
    if (turnStopped || callStopped) throw new ShellError('SHELL_HALTED', spec.turnId === undefined ? {} : { turnId: spec.turnId })
  }
  const liveOf = (agent: AgentId | undefined): LiveCommand[] => [...commands.values()].filter((one) => one.live && one.spec.agent === agent)
  const inPlace = (agent: AgentId | undefined): number =>
    liveOf(agent).length + [...starting.values()].filter(({ spec }) => spec.agent === agent).length

  const isFull = (agent: AgentId | undefined): boolean => inPlace(agent) >= options.limits.jobs
  const refuseWhenFull = (agent: AgentId | undefined): void => {
    if (!isFull(agent)) return
    const jobs = liveOf(agent).map((one) => ({ job: one.id, pid: one.pid, command: one.spec.command.slice(0, 80) }))
    throw new ShellError('SHELL_JOB_LIMIT', { limit: options.limits.jobs, jobs })
  }
  const retire = (): void => {
    const ended = [...commands.values()].filter((one) => !one.live)
    for (const one of ended.slice(0, Math.max(0, ended.length - RETAINED_COMMANDS))) commands.delete(one.id)
  }
  const place = (id: string, spec: ShellSpec): Admission => {
    let leave = (): void => {}
    starting.set(id, { spec, done: new Promise<void>((resolve) => (leave = resolve)) })
    return {
      id,
      begin: async (start) => {
        try {
          const command = await start()
          commands.set(id, command)
          await stopIfRefused(command)
          return command
        } finally {
          starting.delete(id)
          leave()
          retire()
        }
      },
    }
  }
  const stopIfRefused = async (command: LiveCommand): Promise<void> => {
    try {
      refuse(command.spec)
    } catch (error) {
      await command.terminate(closed ? 'dispose' : 'halt', { graceMs: 0 })
      throw error
    }
  }

  const visible = (command: LiveCommand, agent: AgentId | undefined): boolean =>
    agent === undefined || command.spec.agent === agent || command.lineage.includes(agent)

  const cancel = async (order: CancelOrder): Promise<CancelReport> => {
    const reason = order.reason ?? 'cancel'
    if (reason !== 'detach') {
      if (order.turnId !== undefined) stoppedTurns.add(order.turnId)
      for (const callId of order.rootCallIds ?? []) stoppedCalls.add(callId)
    }
    await Promise.all([...starting.values()].map(({ done }) => done))
    const named = [...commands.values()].filter((one) => one.live && visible(one, order.agent) && isNamed(one, order))
    if (reason === 'detach') {
      for (const one of named) one.detach()
      return { survivors: [], ended: [], kept: named.map((one) => one.id) }
    }
    const [ending, kept] = partition(named, (one) => reason === 'terminate' || one.owner.kind === 'turn')
    const exits = await Promise.all(
      ending.map((one) => one.terminate('halt', order.signal === undefined ? {} : { deadline: order.signal })),
    )
    return { survivors: exits.flatMap((exit) => [...exit.stuck]), ended: ending.map((one) => one.id), kept: kept.map((one) => one.id) }
  }

  return {
    admit: async (spec) => {
      refuse(spec)
      // What ended unseen must not count.
      if (isFull(spec.agent)) await Promise.all(liveOf(spec.agent).map((one) => one.survivors()))
      refuse(spec)
      // Nobody may come in between the last look and the place: no await from here on.
      refuseWhenFull(spec.agent)
      return place(`j${(issued += 1)}`, spec)
    },
    get: (id, agent) => {
      const command = commands.get(id)
      return command !== undefined && visible(command, agent) ? command : undefined
    },
    list: (filter = {}) => [...commands.values()].filter((one) => visible(one, filter.agent) && fits(one, filter)),
    cancel,
    close: async () => {
      closed = true
      await Promise.all([...starting.values()].map(({ done }) => done))
      await Promise.all([...commands.values()].filter((one) => one.live).map((one) => one.terminate('dispose')))
    },
  }
}

function isNamed(command: LiveCommand, order: CancelOrder): boolean {
  if (order.turnId === undefined && order.rootCallIds === undefined) return true
  if (order.turnId !== undefined && command.spec.turnId === order.turnId) return true
  return command.spec.rootCallId !== undefined && (order.rootCallIds?.includes(command.spec.rootCallId) ?? false)
}

function fits(command: LiveCommand, filter: CommandFilter): boolean {
  if (filter.owner !== undefined && command.owner.kind !== filter.owner) return false
  if (filter.turnId !== undefined && command.spec.turnId !== filter.turnId) return false
  return filter.state === undefined || command.state === filter.state
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

/** Forgets the oldest beyond its size. */
function boundedSet(size: number): { has(value: string): boolean; add(value: string): void } {
  const values = new Set<string>()
  return {
    has: (value) => values.has(value),
    add: (value) => {
      values.add(value)
      const oldest = values.values().next()
      if (values.size > size && oldest.done !== true) values.delete(oldest.value)
    },
  }
}
