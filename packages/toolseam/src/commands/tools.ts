/** `toolseam tools`: the tools as a model sees them; where it writes programs, also the text that tells it how and what they can call. */
import { CodeCatalogue } from '@toolseam/code-mode'
import type { JsonSchema, ToolMode, ToolSchemaView } from '@toolseam/core-tools'
import { given } from '../options.ts'
import type { Colors } from '../terminal/streams.ts'
import { type CommandContext, withRuntime } from './context.ts'

export interface ToolsOptions {
  mode?: ToolMode
}

export async function tools(context: CommandContext, { mode }: ToolsOptions): Promise<number> {
  const { streams, options } = context
  return withRuntime(context, {
    overrides: given({ mode }),
    async run(runtime) {
      const schemas = runtime.schemas()
      if (options.json === true) {
        await streams.out(`${JSON.stringify(schemas)}\n`)
        return 0
      }
      const listed = schemas.map((schema) => renderTool(schema, streams.outColors))
      const language = runtime.view().mode === 'native' ? [] : [`${runtime.services.require(CodeCatalogue).text().trimEnd()}\n`]
      await streams.out([...listed, ...language].join('\n'))
      return 0
    },
  })
}

function renderTool({ name, description, input, annotations }: ToolSchemaView, colors: Colors): string {
  const hints = Object.entries(annotations ?? {}).filter(([, value]) => value === true)
  const tags = hints.length === 0 ? '' : colors.dim(`  (${hints.map(([hint]) => hint.replace(/Hint$/, '')).join(', ')})`)
  const lines = [`${colors.bold(name)}${tags}`, ...description.trim().split('\n'), ...parameters(input, colors)]
  return `${lines.map((line, at) => (at === 0 ? line : `  ${line}`)).join('\n')}\n`
}

/** One line a top-level parameter: name, type, what it means. */
function parameters(schema: JsonSchema, colors: Colors): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return []
  const properties = Object.entries(objectOf(schema['properties']))
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const width = Math.max(0, ...properties.map(([name]) => name.length))
  return properties.map(([name, value]) => {
    const field = objectOf(value)
    const words = [colors.cyan(name.padEnd(width)), colors.dim(`${typeOf(field)}${required.includes(name) ? ', required' : ''}`)]
    if (typeof field['description'] === 'string') words.push(field['description'].replaceAll(/\s+/g, ' '))
    return words.join('  ')
  })
}

function typeOf(field: Record<string, unknown>): string {
  if (Array.isArray(field['enum'])) return field['enum'].map((word) => JSON.stringify(word)).join(' | ')
  const { type } = field
  return typeof type === 'string' ? type : Array.isArray(type) ? type.join(' | ') : 'any'
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
