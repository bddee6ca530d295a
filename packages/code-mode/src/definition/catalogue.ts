/**
 * What a model reads about the tools that its programs can call. Provided by the plugin, for whoever writes the model's prompt.
 */
import { type AgentId, defineService, type ServiceToken } from '@toolseam/core-tools'

export interface CatalogueHit {
  readonly name: string
  readonly namespace: string
  /** First line of the description. */
  readonly description: string
}

export interface CataloguePage {
  readonly total: number
  readonly offset: number
  readonly results: readonly CatalogueHit[]
}

export interface CatalogueQuery {
  readonly query: string
  readonly namespace?: string
  /** Default 12. */
  readonly limit?: number
  readonly offset?: number
}

/** Everything is told for one agent's view; what it cannot see is not there. */
export interface CodeCatalogue {
  /** How programs are written here and which tools they can call; the same text until the view changes. */
  text(agent?: AgentId): string
  /** Best first; an empty query lists all by name. */
  search(query: CatalogueQuery, agent?: AgentId): CataloguePage
  /** TypeScript declaration of one tool; undefined if there is no such visible tool. */
  describe(name: string, agent?: AgentId): string | undefined
}

export const CodeCatalogue: ServiceToken<CodeCatalogue> = defineService<CodeCatalogue>('toolseam/code-catalogue', {
  package: '@toolseam/code-mode',
})
