/**
 * `search_tools`: the catalogue as a tool of its own, for a model that wants to look before it writes a program.
 */
import { defineTool, type JsonValue, type ToolDefinition } from '@toolseam/core-tools'
import { CodeModeError } from '../definition/errors.ts'
import type { ViewCatalogue } from './catalogue.ts'
import { describeSearchTools, renderUnknownName } from './render-catalogue.ts'

export interface SearchToolsInput {
  readonly query?: string
  readonly name?: string
  readonly namespace?: string
  readonly limit?: number
  readonly offset?: number
}

export function createSearchTools(catalogue: (agent: string | undefined) => ViewCatalogue): ToolDefinition<SearchToolsInput> {
  return defineTool<SearchToolsInput>({
    name: 'search_tools',
    description: describeSearchTools(),
    input: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        name: { type: 'string' },
        namespace: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: 100 },
        offset: { type: 'integer', minimum: 0 },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    concurrency: 'parallel',
    describeCall: () => ({ title: 'search_tools', kind: 'search' }),
    execute({ name, query = '', ...rest }, { execution }): JsonValue {
      const here = catalogue(execution.agent)
      if (name === undefined) {
        const { total, offset, results } = here.search({ query, ...rest })
        return { total, offset, results: results.map((hit) => ({ ...hit })) }
      }
      const text = here.describe(name)
      // UNKNOWN_TOOL is the pipeline's own word for the call itself.
      if (text === undefined) throw new CodeModeError('CODE_UNKNOWN_TOOL', renderUnknownName(name))
      return text
    },
  })
}
