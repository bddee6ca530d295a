/**
 * The tools of one view, as a program may call them: look-up by any of their names, search, and the text for the model (C-21). Made once
 * for each view and kept as long as it.
 */
import type { ToolView } from '@toolseam/core-tools'
import type { CatalogueHit, CataloguePage, CatalogueQuery } from '../definition/catalogue.ts'
import { CodeModeError } from '../definition/errors.ts'
import { renderSdk, renderTool, type SdkTool } from '../sdk/render-sdk.ts'
import { describeLanguage } from './describe-run-code.ts'
import { rank, tokensOf } from './rank.ts'
import { renderNamespaces } from './render-catalogue.ts'

export interface CatalogueOptions {
  /** Tools that are always declared in full. */
  readonly pinned: readonly string[]
  /** Up to so many tools and characters, all are declared in full. */
  readonly fullTools: number
  readonly fullChars: number
}

export interface CatalogueTool extends SdkTool {
  readonly namespace: string
}

const CODE_ENTRIES = new Set(['run_code', 'search_tools'])
const HOME = 'local'
const DEFAULT_LIMIT = 12
const MOST_HITS = 100

export class ViewCatalogue {
  readonly #view: ToolView
  readonly #options: CatalogueOptions
  readonly #tools = new Map<string, CatalogueTool>()
  readonly #paths = new Map<string, string>()
  #text: string | undefined

  constructor(view: ToolView, options: CatalogueOptions) {
    this.#view = view
    this.#options = options
    for (const name of view.names) {
      const schema = view.schema(name)
      if (schema === undefined || CODE_ENTRIES.has(name)) continue
      const source = view.get(name)?.source
      const path = source === undefined ? undefined : `${source.server}.${source.tool}`
      this.#tools.set(name, { ...schema, namespace: source?.server ?? HOME, ...(path === undefined ? {} : { path }) })
      if (path !== undefined && !this.#paths.has(path)) this.#paths.set(path, name)
    }
  }

  /** The name in the registry for a name in a program; undefined if no visible tool is meant. */
  resolve(name: string): string | undefined {
    return this.#tools.has(name) ? name : this.#paths.get(name)
  }

  text(): string {
    this.#text ??= `${describeLanguage({ mode: this.#view.mode, tools: [...this.#tools.values()] })}\n\n${this.#declarations()}`
    return this.#text
  }

  describe(name: string): string | undefined {
    const tool = this.#tools.get(this.resolve(name) ?? '')
    return tool === undefined ? undefined : renderTool(tool)
  }

  /** Throws `CODE_INVALID_ARGUMENTS` for a query of the wrong shape. */
  search(request: CatalogueQuery): CataloguePage {
    const { query, namespace, limit, offset } = readQuery(request)
    const scope = [...this.#tools.values()].filter((tool) => namespace === undefined || tool.namespace === namespace)
    const found = query.trim() === '' ? scope : rank(scope, tokensOf(query))
    return { total: found.length, offset, results: found.slice(offset, offset + limit).map(hitOf) }
  }

  #declarations(): string {
    const tools = [...this.#tools.values()]
    const { fullTools, fullChars, pinned } = this.#options
    if (tools.length <= fullTools) {
      const full = renderSdk(tools)
      if (full.length <= fullChars) return full
    }
    const counts = new Map<string, number>()
    for (const { namespace } of tools) counts.set(namespace, (counts.get(namespace) ?? 0) + 1)
    const kept = tools.filter(({ name }) => pinned.includes(name))
    return `${renderNamespaces(counts)}\n\n${renderSdk(kept)}`
  }
}

function hitOf({ name, namespace, description }: CatalogueTool): CatalogueHit {
  return { name, namespace, description: (description.split('\n')[0] ?? '').slice(0, 200) }
}

function readQuery({ query, namespace, limit = DEFAULT_LIMIT, offset = 0 }: CatalogueQuery): Required<Omit<CatalogueQuery, 'namespace'>> & {
  namespace: string | undefined
} {
  const fine =
    typeof query === 'string' &&
    (namespace === undefined || typeof namespace === 'string') &&
    Number.isInteger(limit) &&
    Number.isInteger(offset) &&
    limit >= 1 &&
    offset >= 0
  if (!fine) {
    throw new CodeModeError(
      'CODE_INVALID_ARGUMENTS',
      'search takes a string and { namespace?: string, limit?: number >= 1, offset?: number >= 0 }',
    )
  }
  return { query, namespace, limit: Math.min(limit, MOST_HITS), offset }
}
