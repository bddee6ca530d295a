/**
 * The kernel loop: take, reduce, append, commit, hand over (E-45, E-46).
 */
import type { JsonValue } from '@toolseam/core-tools'
import { ToolExecutorError } from '../../definition/errors.ts'
import type { Kernel, KernelOptions } from '../../definition/kernel.ts'
import type { Reduction } from '../../definition/turn.ts'
import { attempt, callGuarded } from '../../guarding/attempt.ts'
import { codeOf, messageOf, read } from '../../guarding/thrown.ts'
import { createMailbox, type Letter } from './mailbox.ts'

const DEFAULT_MAX_QUEUED = 65_536
/** Neighbours that share one append. A stop waits for one batch at most. */
const BATCH = 64

interface Reduced<State, Event, Command> {
  readonly letter: Letter<Event>
  readonly reduction: Reduction<State, Command>
}

export function createKernel<State, Event, Command>(options: KernelOptions<State, Event, Command>): Kernel<State, Event> {
  const { reduce, journal, urgent = isStop, failed = failureEvent<Command, Event>, maxQueued = DEFAULT_MAX_QUEUED } = options
  const mailbox = createMailbox<Event>()
  let { initial: state } = options
  let running: Promise<void> | undefined
  let broken: { readonly cause: unknown } | undefined
  let closed = false

  function post(event: Event): Promise<{ refused?: { code: string } }> {
    const isUrgent = urgent(event)
    if (closed) return refusedPost('KERNEL_CLOSED', 'the kernel was closed')
    if (broken !== undefined && !isUrgent) return refusedPost('KERNEL_FAILED', 'the journal failed; only stops are taken', broken)
    if (!isUrgent && mailbox.ordinary >= maxQueued) return refusedPost('KERNEL_FULL', `${maxQueued} events wait already`)
    const posted = mailbox.put(event, isUrgent)
    running ??= loop()
    return posted
  }

  async function loop(): Promise<void> {
    // The first turn of the loop is later, so that a batch of neighbours shares one append.
    await Promise.resolve()
    for (let batch = mailbox.take(BATCH); batch.length > 0; batch = mailbox.take(BATCH)) await process(batch)
    running = undefined
  }

  async function process(batch: readonly Letter<Event>[]): Promise<void> {
    let next = state
    const reduced: Reduced<State, Event, Command>[] = []
    for (const letter of batch) {
      const reduction = reduceGuarded(letter, next)
      if (reduction === undefined) continue
      next = reduction.state
      reduced.push({ letter, reduction })
    }
    const recorded = journal !== undefined && broken === undefined ? await record(reduced) : undefined
    if (recorded?.ok === false) {
      onAppendFailed(reduced, recorded.error)
      return
    }
    state = next
    for (const { letter, reduction } of reduced) commit(letter, reduction)
  }

  /** A reducer that throws is a fault of its event alone. */
  function reduceGuarded(letter: Letter<Event>, from: State): Reduction<State, Command> | undefined {
    try {
      return reduce(from, letter.event)
    } catch (error) {
      letter.reject(error)
      return undefined
    }
  }

  async function record(reduced: readonly Reduced<State, Event, Command>[]): Promise<{ ok: true } | { ok: false; error: unknown }> {
    if (journal === undefined) return { ok: true }
    const entries = reduced.filter(({ reduction }) => reduction.refused === undefined).map(entryOf)
    if (entries.length === 0) return { ok: true }
    const appended = await attempt(() => journal.append(entries))
    return appended.ok ? { ok: true } : appended
  }

  function entryOf({ letter, reduction }: Reduced<State, Event, Command>): JsonValue {
    const { lane } = options
    const entry: object = { ...(lane === undefined ? {} : { lane }), event: letter.event, commands: reduction.commands }
    // The journal takes it only if it is JSON.
    return entry as JsonValue
  }

  /** Nothing of the batch is committed, nothing ordinary is taken any more; stops are executed, unrecorded. */
  function onAppendFailed(reduced: readonly Reduced<State, Event, Command>[], cause: unknown): void {
    broken = { cause }
    const error = new ToolExecutorError('KERNEL_FAILED', 'an event could not be recorded', broken)
    for (const { letter } of reduced) {
      if (!letter.urgent) letter.reject(error)
    }
    mailbox.rejectOrdinary(error)
    for (const { letter } of reduced) {
      if (!letter.urgent) continue
      const reduction = reduceGuarded(letter, state)
      if (reduction === undefined) continue
      state = reduction.state
      commit(letter, reduction)
    }
  }

  function commit(letter: Letter<Event>, { commands, refused }: Reduction<State, Command>): void {
    letter.resolve(refused === undefined ? {} : { refused })
    for (const command of commands)
      callGuarded(
        () => options.execute(command),
        (error) => onExecuteFailed(command, error),
      )
  }

  function onExecuteFailed(command: Command, error: unknown): void {
    if (closed) return
    post(failed(command, { code: codeOf(error) ?? 'EXECUTOR_FAILED', message: messageOf(error) })).catch(() => {})
  }

  async function idle(): Promise<void> {
    for (let round = running; round !== undefined; round = running) await round
  }

  return {
    post,
    get state() {
      return state
    },
    idle,
    async close() {
      closed = true
      await idle()
    },
  }
}

function isStop(event: unknown): boolean {
  return read(event, 'kind') === 'stop.requested'
}

/** The event of the turn's own vocabulary; a kernel of other events gives its own `failed`. */
function failureEvent<Command, Event>(command: Command, error: { code: string; message: string }): Event {
  const event: object = { kind: 'executor.failed', command, error }
  return event as Event
}

function refusedPost(code: 'KERNEL_CLOSED' | 'KERNEL_FAILED' | 'KERNEL_FULL', message: string, facts = {}): Promise<never> {
  const refused = Promise.reject(new ToolExecutorError(code, message, facts))
  refused.catch(() => {})
  return refused
}
