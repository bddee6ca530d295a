/**
 * The SDK text: what a program can call, as TypeScript declarations (C-19). Sorted by name, the same bytes for the same tools.
 */
import type { ToolSchemaView } from '@toolseam/core-tools'
import { Aliases } from './aliases.ts'
import { renderType } from './render-type.ts'
import { renderDocBlock, renderKey } from './render-words.ts'

export interface SdkTool extends ToolSchemaView {
  /** Another way to write its name, for tools of a server: `github.create_issue`. */
  readonly path?: string
}

const TOOL_ERROR = `/** Thrown by a call that was refused or failed. */
declare class ToolError extends Error { readonly tool: string; readonly code: string; readonly line?: number }`

const CATALOGUE = `  /** Finds tools by words of their name, server and description. */
  $search(query: string, options?: { namespace?: string; limit?: number; offset?: number }): Promise<{ total: number; offset: number; results: { name: string; namespace: string; description: string }[] }>
  /** The TypeScript declaration of one tool. */
  $describe(name: string): Promise<string>`

export function renderSdk(tools: readonly SdkTool[]): string {
  const aliases = new Aliases()
  const members = [...tools].sort(byName).map((tool) => renderMember(tool, aliases))
  return [...aliases.lines(), 'declare const tools: {', ...members, CATALOGUE, '}', TOOL_ERROR].join('\n')
}

/** One tool alone, with the types that it names. */
export function renderTool(tool: SdkTool): string {
  const aliases = new Aliases()
  const member = renderMember(tool, aliases)
  return [...aliases.lines(), 'declare const tools: {', member, '}'].join('\n')
}

function renderMember(tool: SdkTool, aliases: Aliases): string {
  const prefix = tool.name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, first: string) => first.toUpperCase())
  const print = (schema: unknown, suffix: string): string =>
    renderType(schema, { root: isObject(schema) ? schema : {}, prefix: `T${prefix}${suffix}`, aliases, depth: 0 })
  const input = print(tool.input, 'In')
  const output = tool.output === undefined ? 'unknown' : print(tool.output, 'Out')
  const optional = takesNothing(tool.input) ? '?' : ''
  const note = tool.path === undefined ? '' : `\nAlso: tools.${tool.path}`
  return `${renderDocBlock(`${tool.description}${note}`, '  ')}  ${renderKey(tool.name)}(input${optional}: ${input}): Promise<${output}>`
}

function takesNothing(schema: { readonly [key: string]: unknown }): boolean {
  const { required } = schema
  return schema['type'] === 'object' && (!Array.isArray(required) || required.length === 0)
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}
