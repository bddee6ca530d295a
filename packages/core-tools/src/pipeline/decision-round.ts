/**
 * One round of `tools/pre-execute`: what taps return is judged, folded by strictness, and put on the trail. The order of
 * taps cannot change the kind of the outcome; a rewrite ends the round.
 */
import type { PreToolDecision } from '../contracts/decisions.ts'
import type { ToolExecution } from '../contracts/execution.ts'
import type { JsonValue } from '../contracts/json.ts'
import type { ToolFailure } from '../contracts/result.ts'
import type { PreRound } from '../hooks/layer-hooks.ts'
import type { TapFacts, TapFailureCode } from '../hooks/waterfall.ts'
import { jsonEquals } from '../json/equals.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { DEFAULT_DECISION, type Call, type PolicyState } from './call.ts'
import { Malformed, optionalString, readGuarded, readObject } from './read-fields.ts'
import { hookFailure, safeMessage } from './results.ts'

const RANK = { allow: 0, ask: 1, deny: 2 } as const
const NO_REWRITE = Symbol('no rewrite')

interface ReadDecision {
  readonly kind: 'allow' | 'ask' | 'deny'
  readonly by: string | undefined
  readonly reason: string | undefined
  readonly code: string | undefined
  readonly arguments: JsonValue | typeof NO_REWRITE
}

export class DecisionRound implements PreRound {
  readonly #call: Call
  readonly #number: number
  readonly execution: ToolExecution
  readonly timeoutMs: number
  value: PreToolDecision
  ended = false
  rewrite: { args: JsonValue; by: string } | undefined
  failure: ToolFailure | undefined

  constructor(call: Call, number: number) {
    this.#call = call
    this.#number = number
    this.execution = call.execution
    this.timeoutMs = call.parts.limits.hookTimeoutMs
    this.value = shown(call.decision)
  }

  take(raw: unknown, facts: TapFacts): void {
    if (raw === this.value) return
    const read = readGuarded(() => readDecision(raw))
    if (!read.ok) return this.fail('HOOK_INVALID_DECISION', facts, { message: read.message })
    this.#fold(read.value, facts.tap)
    if (read.value.arguments !== NO_REWRITE) this.#rewrite(read.value.arguments, { decision: read.value, tap: facts.tap })
  }

  fail(code: TapFailureCode, facts: TapFacts, { cause, message }: { cause?: unknown; message: string }): void {
    this.ended = true
    const told = safeMessage(cause)
    this.failure = hookFailure(code, { hook: facts.hook, tap: facts.tap, message, ...(told === undefined ? {} : { reason: told }) })
    this.#call.note({ stage: 'pre-execute', by: facts.tap, kind: 'deny', effect: 'failed', round: this.#number, reason: message })
    this.#call.parts.logger.warn(`${facts.hook}: tap "${facts.tap}" ${message}`, { hook: facts.hook, tap: facts.tap, error: cause })
  }

  late(facts: TapFacts): void {
    this.#call.parts.logger.debug(`${facts.hook}: late answer of tap "${facts.tap}" ignored`, { ...facts })
  }

  onAbort(listener: () => void): () => void {
    return this.#call.cancellation.onAbort(() => {
      this.ended = true
      listener()
    })
  }

  #fold(decision: ReadDecision, tap: string): void {
    const call = this.#call
    const by = decision.by ?? tap
    const spoken = decision.reason === undefined ? {} : { reason: decision.reason }
    const entry = { stage: 'pre-execute', by, kind: decision.kind, round: this.#number, ...spoken } as const
    if (decision.kind === 'ask') this.#addAsker(tap, { by, ...spoken })
    const inForce = call.decision
    if (RANK[decision.kind] < RANK[inForce.kind]) {
      call.note({ ...entry, effect: 'kept-out' })
      return
    }
    call.note({ ...entry, effect: 'applied' })
    if (decision.kind === inForce.kind && inForce !== DEFAULT_DECISION) return
    call.decision = { kind: decision.kind, by, ...spoken, ...(decision.code === undefined ? {} : { code: decision.code }) }
    this.value = shown(call.decision)
  }

  #addAsker(tap: string, { by, reason }: { by: string; reason?: string }): void {
    const { askers } = this.#call
    if (askers.some((asker) => asker.tap === tap && asker.by === by)) return
    askers.push(Object.freeze({ tap, by, ...(reason === undefined ? {} : { reason }) }))
  }

  #rewrite(args: JsonValue, { decision, tap }: { decision: ReadDecision; tap: string }): void {
    const call = this.#call
    const by = decision.by ?? tap
    if (jsonEquals(args, this.execution.arguments)) return
    const entry = { stage: 'pre-execute', by, kind: decision.kind, round: this.#number } as const
    if (call.decision.kind === 'deny') {
      call.note({ ...entry, effect: 'kept-out', reason: 'arguments after a deny' })
      return
    }
    call.note({ ...entry, effect: 'rewrite' })
    this.rewrite = { args, by: tap }
    this.ended = true
  }
}

/** What taps see: kind, author and reason in force, never the arguments. */
function shown(state: PolicyState): PreToolDecision {
  if (state === DEFAULT_DECISION) return ALLOW
  const { kind, by, reason, code } = state
  if (kind === 'deny') return Object.freeze({ kind, by, reason: reason ?? '', ...(code === undefined ? {} : { code }) })
  if (kind === 'ask') return Object.freeze({ kind, by, ...(reason === undefined ? {} : { reason }) })
  return Object.freeze({ kind, by })
}

const ALLOW: PreToolDecision = Object.freeze({ kind: 'allow' })

function readDecision(raw: unknown): ReadDecision {
  const given = readObject(raw, "{ kind: 'allow' | 'ask' | 'deny' }")
  const { kind } = given
  switch (kind) {
    case 'allow':
      return { kind, by: optionalString(given['by'], 'by'), reason: undefined, code: undefined, arguments: readRewrite(given['arguments']) }
    case 'ask':
      return {
        kind,
        by: optionalString(given['by'], 'by'),
        reason: optionalString(given['reason'], 'reason'),
        code: undefined,
        arguments: readRewrite(given['arguments']),
      }
    case 'deny': {
      const reason = given['reason']
      if (typeof reason !== 'string' || reason === '') throw new Malformed('returned a deny without a reason (a non-empty string)')
      const code = optionalString(given['code'], 'code')
      return { kind, by: optionalString(given['by'], 'by'), reason, code, arguments: NO_REWRITE }
    }
    default:
      throw new Malformed('returned a decision of unknown kind (allow, ask or deny)')
  }
}

function readRewrite(raw: unknown): JsonValue | typeof NO_REWRITE {
  if (raw === undefined) return NO_REWRITE
  const snapshot = snapshotJson(raw)
  if (!snapshot.ok) throw new Malformed('returned arguments that are not JSON')
  return snapshot.value
}
