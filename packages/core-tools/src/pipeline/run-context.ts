/**
 * What a body is handed. Every member may be taken off the context and called alone; what nobody takes is never made.
 */
import type { ContentBlock } from '../contracts/content.ts'
import type { ToolExecution } from '../contracts/execution.ts'
import type { ToolResult } from '../contracts/result.ts'
import { deniedSurface, type ToolDomainSurface } from '../contracts/surface.ts'
import type { NestedCallOptions, ToolProgress, ToolRunContext } from '../contracts/tool.ts'
import { snapshotJson } from '../json/snapshot.ts'
import type { Attempt } from './attempt.ts'
import { readContent } from './content.ts'
import { callNested } from './nested.ts'

const NO_DOMAIN = deniedSurface('no_domain')
const NESTED = deniedSurface('nested_call')

export class RunContext implements ToolRunContext {
  readonly #attempt: Attempt

  constructor(attempt: Attempt) {
    this.#attempt = attempt
  }

  get execution(): ToolExecution {
    return this.#attempt.call.execution
  }

  get signal(): AbortSignal {
    return this.#attempt.cancellation.signal
  }

  get surface(): ToolDomainSurface {
    const { call } = this.#attempt
    return call.dispatchOptions.surface ?? (call.facts.parent === undefined ? NO_DOMAIN : NESTED)
  }

  get deferContext(): (context: ContentBlock[]) => void {
    return (context) => deferContext(this.#attempt, context)
  }

  get concludeTurn(): () => void {
    return () => {
      if (this.#attempt.open) this.#attempt.concludes = true
    }
  }

  get progress(): (update: ToolProgress) => void {
    return (update) => emitProgress(this.#attempt, update)
  }

  get call(): (name: string, args: unknown, options?: NestedCallOptions) => Promise<ToolResult> {
    return (name, args, options) => callNested(this.#attempt, { name, args, options: options ?? {} })
  }
}

function deferContext(attempt: Attempt, context: unknown): void {
  const { logger } = attempt.call.parts
  if (!attempt.open) return logger.debug('a context deferred after the attempt was ignored', { callId: attempt.call.facts.callId })
  const read = readContent(context)
  if (!read.ok)
    return logger.warn('a deferred context that is no content was ignored', { callId: attempt.call.facts.callId, issues: read.issues })
  attempt.contexts ??= []
  attempt.contexts.push(read.content)
}

function emitProgress(attempt: Attempt, update: unknown): void {
  const { call } = attempt
  const { logger } = call.parts
  const facts = { callId: call.facts.callId }
  if (!attempt.open || call.settled || call.givenUp) return logger.debug('progress after the attempt was ignored', facts)
  const read = readProgress(update)
  if (read === undefined) return logger.warn('malformed progress was ignored', facts)
  for (const layer of call.layers) {
    const hook = layer.extras.hooks.progress
    if (hook.active) hook.emit(call.execution, read)
  }
}

function readProgress(update: unknown): ToolProgress | undefined {
  const snapshot = snapshotJson(update)
  if (!snapshot.ok) return undefined
  const value = snapshot.value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { message, progress, total, content } = value
  if (message !== undefined && typeof message !== 'string') return undefined
  if (progress !== undefined && typeof progress !== 'number') return undefined
  if (total !== undefined && typeof total !== 'number') return undefined
  const blocks = content === undefined ? undefined : readContent(content)
  if (blocks !== undefined && !blocks.ok) return undefined
  return Object.freeze({
    ...(message === undefined ? {} : { message }),
    ...(progress === undefined ? {} : { progress }),
    ...(total === undefined ? {} : { total }),
    ...(blocks === undefined ? {} : { content: blocks.content }),
  })
}
