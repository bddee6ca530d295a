/**
 * Accepting a command: the checks in their order, each ending in one `tool.rejected`, and the start in a later microtask (E-1, E-2).
 */
import type { RejectReason } from '../../definition/events.ts'
import type { Ident, StopPolicy, ToolRunCommand } from '../../definition/vocabulary.ts'
import { callGuarded } from '../../guarding/attempt.ts'
import { currentBody, type RunningBody } from './context.ts'
import { runBlock } from './run.ts'
import { type Block, type BlockTerms, diagnose, type Domain } from './state.ts'

const READY = Promise.resolve()

export function handle<R>(domain: Domain<R>, given: ToolRunCommand): void {
  const { command, ident } = readCommand(given)
  const terms = command === undefined ? undefined : termsOf(domain, command)
  const reason = refusal(domain, command, terms)
  if (reason !== undefined || command === undefined) {
    domain.emit({ kind: 'tool.rejected', ...ident, reason: reason ?? 'invalid' })
    return
  }
  const block = createBlock(domain, command, { ident, terms })
  domain.active.set(command.commandId, block)
  domain.working.add(block)
  // A continuation is the cheapest later microtask that keeps the asynchronous context.
  void READY.then(() => void runBlock(block))
}

function refusal<R>(domain: Domain<R>, command: ToolRunCommand | undefined, terms: BlockTerms | undefined): RejectReason | undefined {
  if (command === undefined) return 'invalid'
  if (domain.disposed || domain.disposing !== undefined) return 'disposed'
  if (!domain.armed) return 'halted'
  if (domain.active.has(command.commandId) || domain.closedIds.has(command.commandId)) return 'duplicate'
  return isSuperseded(domain, command, terms) ? 'superseded' : undefined
}

/** A command without a turn is bound to none. A host that cannot say its turn is no reason to run work of another one. */
function isSuperseded<R>(domain: Domain<R>, command: ToolRunCommand, terms: BlockTerms | undefined): boolean {
  const { turnId } = command
  if (turnId === undefined) return false
  if (terms?.turnId !== undefined && terms.turnId !== turnId) return true
  const { currentTurn } = domain.options
  if (currentTurn === undefined) return false
  let superseded = true
  callGuarded(
    () => {
      superseded = currentTurn() !== turnId
    },
    (error) => diagnose(domain, { kind: 'callback_failed', detail: 'currentTurn', error }),
  )
  return superseded
}

function termsOf<R>(domain: Domain<R>, command: ToolRunCommand): BlockTerms | undefined {
  let terms: BlockTerms | undefined
  callGuarded(
    () => {
      terms = domain.runner.terms?.(command)
    },
    (error) => diagnose(domain, { kind: 'terms_failed', error }),
  )
  return terms
}

interface ReadCommand {
  readonly command: ToolRunCommand | undefined
  readonly ident: Ident
}

/** Each field is read once. A malformed command keeps the ids that can be told. */
function readCommand(given: ToolRunCommand): ReadCommand {
  try {
    const { commandId, turnId, dlineTid, mode } = given
    const ident = Object.freeze({ commandId: text(commandId), ...(isId(turnId) ? { turnId } : {}), dlineTid: text(dlineTid) })
    const wellFormed =
      isId(commandId) &&
      isId(dlineTid) &&
      (turnId === undefined || isId(turnId)) &&
      (mode === undefined || mode === 'serial' || mode === 'parallel')
    return { ident, command: wellFormed ? Object.freeze(mode === undefined ? { ...ident } : { ...ident, mode }) : undefined }
  } catch {
    return { ident: Object.freeze({ commandId: '', dlineTid: '' }), command: undefined }
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function createBlock<R>(domain: Domain<R>, command: ToolRunCommand, facts: { ident: Ident; terms: BlockTerms | undefined }): Block<R> {
  return {
    domain,
    command,
    ident: facts.ident,
    callId: facts.terms?.callId,
    policy: policyOf(domain, facts.terms?.stop),
    epoch: domain.epoch,
    outer: liveBody(),
    started: false,
    bodyDone: false,
    ended: false,
    outlived: 0,
    cut: undefined,
    abandoned: false,
    signal: undefined,
    scope: undefined,
    lease: undefined,
    progress: undefined,
  }
}

/** A policy that cannot be understood waits: giving up work by mistake is the worse error. */
function policyOf<R>(domain: Domain<R>, stop: StopPolicy | undefined): StopPolicy {
  if (stop === undefined || stop === 'wait' || stop === 'abandon') return stop ?? 'wait'
  const graceMs: unknown = stop.graceMs
  if (typeof graceMs === 'number' && graceMs >= 0) return { graceMs }
  diagnose(domain, { kind: 'terms_failed', detail: `graceMs must be >= 0, not ${String(graceMs)}` })
  return 'wait'
}

/** Bodies that have ended are left out, so that a chain of blocks that hand over one another does not grow. */
function liveBody(): RunningBody | undefined {
  let body = currentBody()
  while (body !== undefined && !body.live()) body = body.outer
  return body
}
