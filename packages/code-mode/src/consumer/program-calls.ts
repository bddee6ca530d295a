/**
 * The calls of one program: each goes through the whole pipeline as a nested call of `run_code` (C-4). Searching the catalogue is answered
 * here; it reads nothing but what the model could be shown anyway.
 */
import type { ContentBlock, JsonValue, ToolResult, ToolRunContext, ToolSuccess } from '@toolseam/core-tools'
import type { CataloguePage, CatalogueQuery } from '../definition/catalogue.ts'
import type { CodeCall, CodeCallAnswer } from '../definition/code-runtime.ts'
import { CodeModeError } from '../definition/errors.ts'
import type { ViewCatalogue } from './catalogue.ts'
import { renderUnknownCall, renderUnknownName } from './render-catalogue.ts'
import type { DoneCall } from './render-outcome.ts'

interface ProgramCallOptions {
  readonly context: ToolRunContext
  readonly inFlight: number
  /** Of the calling agent, read anew for each call: the view may change while the program runs. */
  catalogue(): ViewCatalogue
}

export class ProgramCalls {
  readonly #options: ProgramCallOptions
  readonly #done = new Map<number, { call: DoneCall; result: ToolSuccess }>()
  readonly #open = new Set<Promise<unknown>>()

  constructor(options: ProgramCallOptions) {
    this.#options = options
  }

  /** In the order of submission. */
  get completed(): DoneCall[] {
    return this.#inOrder().map(({ call }) => call)
  }

  /** Never rejects. */
  async call(call: CodeCall, signal: AbortSignal): Promise<CodeCallAnswer> {
    const catalogue = this.#options.catalogue()
    const name = catalogue.resolve(call.name)
    if (name === undefined) {
      const found = searchOf(call.name, catalogue)
      if (found !== undefined) return answerOf(found, call.args)
    }
    const { context, inFlight } = this.#options
    const work = context.call(name ?? call.name, call.args, {
      label: 'code',
      maxParallel: inFlight,
      signal,
      onAsk: (asking) => call.onAsk(asking),
    })
    this.#open.add(work)
    const result = await work
    this.#open.delete(work)
    return this.#settle(call, name, result)
  }

  /** Waits for what was cancelled at the end, so that nothing is recorded after the result (C-5). */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  /** Pictures and the like of all results, which a program could only hold as text. */
  media(): ContentBlock[] {
    return this.#inOrder().flatMap(({ result }) => result.content.filter(({ type }) => type !== 'text'))
  }

  /** What the nested calls had to say beyond their values; only for a program that succeeded. */
  passOn(): void {
    const { context } = this.#options
    for (const { result } of this.#inOrder()) {
      for (const additional of result.additionalContexts ?? []) context.deferContext(additional)
      if (result.concludesTurn === true) context.concludeTurn()
    }
  }

  #inOrder(): { call: DoneCall; result: ToolSuccess }[] {
    return [...this.#done.values()].sort((a, b) => a.call.seq - b.call.seq)
  }

  #settle({ seq, line, name: written }: CodeCall, name: string | undefined, result: ToolResult): CodeCallAnswer {
    if (result.isError) {
      const { code, message } = result.error
      return { ok: false, error: { code, message: code === 'UNKNOWN_TOOL' && name === undefined ? renderUnknownCall(message) : message } }
    }
    this.#done.set(seq, { call: { seq, name: name ?? written, ...(line === undefined ? {} : { line }) }, result })
    return { ok: true, value: result.value }
  }
}

type Search = (args: JsonValue) => CataloguePage | string

/** A visible tool of the same name goes first; with the dollar sign they can always be called. */
function searchOf(name: string, catalogue: ViewCatalogue): Search | undefined {
  if (name === 'search' || name === '$search') return (args) => catalogue.search(fieldsOf(args))
  if (name !== 'describe' && name !== '$describe') return undefined
  return (args) => {
    const wanted = fieldsOf(args)['name']
    const text = typeof wanted === 'string' ? catalogue.describe(wanted) : undefined
    if (text === undefined) throw new CodeModeError('UNKNOWN_TOOL', renderUnknownName(String(wanted)))
    return text
  }
}

function answerOf(search: Search, args: JsonValue): CodeCallAnswer {
  try {
    const found = search(args)
    const value: JsonValue =
      typeof found === 'string' ? found : { total: found.total, offset: found.offset, results: found.results.map((hit) => ({ ...hit })) }
    return { ok: true, value }
  } catch (error) {
    const { code = 'TOOL_FAILED', message } = error as CodeModeError
    return { ok: false, error: { code, message } }
  }
}

function fieldsOf(args: JsonValue): CatalogueQuery & { readonly name?: unknown } {
  const fields = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {}
  return { query: '', ...fields }
}
