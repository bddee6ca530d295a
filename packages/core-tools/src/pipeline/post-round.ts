/**
 * One pass of `tools/post-execute`: accept, replace or block. The result as earlier taps left it travels along; a tap that
 * fails has the result withheld that it should have judged.
 */
import type { ContentBlock } from '../contracts/content.ts'
import type { PostToolDecision } from '../contracts/decisions.ts'
import type { ToolExecution } from '../contracts/execution.ts'
import type { ToolResult } from '../contracts/result.ts'
import type { PostRound } from '../hooks/layer-hooks.ts'
import type { TapFacts, TapFailureCode } from '../hooks/waterfall.ts'
import type { Call } from './call.ts'
import { contentText, readContent, readContexts } from './content.ts'
import { mintSuccess } from './output.ts'
import { Malformed, readGuarded, readObject } from './read-fields.ts'
import { failure, freezeJson, hookFailure, safeMessage } from './results.ts'

type ReadPost =
  | { kind: 'accept'; value: { raw: unknown } | undefined; content: ContentBlock[] | undefined; contexts: ContentBlock[][] }
  | { kind: 'block'; feedback: ContentBlock[]; contexts: ContentBlock[][] }

const ACCEPT: PostToolDecision = Object.freeze({ kind: 'accept' })

export class ResultRound implements PostRound {
  readonly #call: Call
  readonly execution: ToolExecution
  readonly timeoutMs: number
  value: PostToolDecision = ACCEPT
  result: ToolResult
  ended = false
  failed = false
  #feedback: ContentBlock[] | undefined

  constructor(call: Call, result: ToolResult) {
    this.#call = call
    this.execution = call.execution
    this.timeoutMs = call.parts.limits.hookTimeoutMs
    this.result = result
  }

  /** A promise only where an asynchronous output schema has to judge a replaced value. */
  take(raw: unknown, facts: TapFacts): void | Promise<void> {
    if (raw === this.value) return undefined
    const read = readGuarded(() => readPost(raw, this.result))
    if (!read.ok) return this.fail('HOOK_INVALID_DECISION', facts, { message: read.message })
    const decision = read.value
    if (decision.kind === 'block') return this.#block(decision, facts.tap)
    if (this.#feedback !== undefined) return this.#keepOut(decision.contexts, facts.tap)
    if (decision.value !== undefined) return this.#replaceValue(decision.value.raw, { contexts: decision.contexts, tap: facts.tap })
    this.#note(facts.tap, 'accept', decision.content === undefined ? 'applied' : 'rewrite')
    if (decision.content !== undefined) this.result = Object.freeze({ ...this.result, content: decision.content })
    this.#addContexts(decision.contexts)
  }

  fail(code: TapFailureCode, facts: TapFacts, { cause, message }: { cause?: unknown; message: string }): void {
    this.ended = true
    this.failed = true
    const told = safeMessage(cause)
    this.result = hookFailure(code, { hook: facts.hook, tap: facts.tap, message, ...(told === undefined ? {} : { reason: told }) })
    this.#call.note({ stage: 'post-execute', by: facts.tap, kind: 'block', effect: 'failed', reason: message })
    this.#call.parts.logger.warn(`${facts.hook}: tap "${facts.tap}" ${message}`, { hook: facts.hook, tap: facts.tap, error: cause })
  }

  late(facts: TapFacts): void {
    this.#call.parts.logger.debug(`${facts.hook}: late answer of tap "${facts.tap}" ignored`, { ...facts })
  }

  /** What has run is judged to the end, aborted or not. */
  onAbort(): () => void {
    return () => undefined
  }

  #block({ feedback, contexts }: { feedback: ContentBlock[]; contexts: ContentBlock[][] }, tap: string): void {
    const first = this.#feedback === undefined
    this.#feedback = Object.freeze([...(this.#feedback ?? []), ...feedback]) as ContentBlock[]
    this.value = Object.freeze({ kind: 'block', feedback: this.#feedback })
    this.#note(tap, 'block', 'applied')
    const kept = first ? [] : (this.result.additionalContexts ?? [])
    const by = this.result.isError && !first ? this.result.error.details : freezeJson({ by: tap, reason: contentText(feedback) })
    const blocked = failure('TOOL_DENIED', contentText(this.#feedback) || `The result was withheld by ${tap}.`, {
      content: this.#feedback,
      ...(by === undefined ? {} : { details: by }),
    })
    this.result = kept.length === 0 ? blocked : Object.freeze({ ...blocked, additionalContexts: kept })
    this.#addContexts(contexts)
  }

  #keepOut(contexts: ContentBlock[][], tap: string): void {
    this.#note(tap, 'accept', 'kept-out')
    this.#addContexts(contexts)
  }

  #replaceValue(raw: unknown, { contexts, tap }: { contexts: ContentBlock[][]; tap: string }): void | Promise<void> {
    this.#note(tap, 'accept', 'rewrite')
    const { additionalContexts, isError } = this.result
    const extras = {
      ...(additionalContexts === undefined ? {} : { additionalContexts }),
      ...(!isError && this.result.concludesTurn === true ? { concludesTurn: true as const } : {}),
    }
    const minted = mintSuccess(this.#call, { raw, extras })
    const take = (result: ToolResult): void => {
      this.result = result
      this.#addContexts(contexts)
    }
    return minted instanceof Promise ? minted.then(take) : take(minted)
  }

  #addContexts(contexts: ContentBlock[][]): void {
    if (contexts.length === 0) return
    this.result = Object.freeze({
      ...this.result,
      additionalContexts: Object.freeze([...(this.result.additionalContexts ?? []), ...contexts]) as ContentBlock[][],
    })
  }

  #note(tap: string, kind: 'accept' | 'block', effect: 'applied' | 'kept-out' | 'rewrite'): void {
    this.#call.note({ stage: 'post-execute', by: tap, kind, effect })
  }
}

function readPost(raw: unknown, result: ToolResult): ReadPost {
  const given = readObject(raw, "{ kind: 'accept' | 'block' }")
  const { kind } = given
  if (kind === 'accept') {
    const { value, content } = given
    if (value !== undefined && content !== undefined) throw new Malformed('returned both value and content; give one of them')
    if (value !== undefined && result.isError) throw new Malformed('returned a value for a result that is an error')
    return {
      kind,
      value: value === undefined ? undefined : { raw: value },
      content: content === undefined ? undefined : blocks(content, 'content'),
      contexts: readAdditional(given['additionalContexts']),
    }
  }
  if (kind === 'block')
    return { kind, feedback: blocks(given['feedback'], 'feedback'), contexts: readAdditional(given['additionalContexts']) }
  throw new Malformed('returned a decision of unknown kind (accept or block)')
}

function blocks(raw: unknown, field: string): ContentBlock[] {
  const read = readContent(raw)
  if (!read.ok) throw new Malformed(`returned a decision whose "${field}" is no list of content blocks`)
  return read.content
}

function readAdditional(raw: unknown): ContentBlock[][] {
  if (raw === undefined) return []
  const read = readContexts(raw)
  if (!read.ok) throw new Malformed('returned a decision whose "additionalContexts" are no lists of content blocks')
  return read.contexts
}
