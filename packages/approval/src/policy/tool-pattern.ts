/**
 * NAME of A-34: a tool name, a glob of one, `mcp__server` (all of it), or a family.
 */
import { type Wildcard, coversWildcard, isAnything, matchWildcard, parseWildcard } from './wildcard.ts'

export type ToolFamily = 'Bash' | 'Read' | 'Edit'

export const TOOL_FAMILIES: { readonly [family in ToolFamily]: readonly string[] } = {
  Bash: ['bash'],
  Read: ['read', 'glob', 'grep', 'list'],
  Edit: ['write', 'edit', 'patch', 'move', 'delete'],
}

/** Tools of the packages of this project: known names, whatever is installed. */
export const STANDARD_TOOLS: readonly string[] = [
  'bash',
  'bash_output',
  'bash_input',
  'bash_kill',
  ...TOOL_FAMILIES.Read,
  ...TOOL_FAMILIES.Edit,
  'run_code',
  'search_tools',
]

export type ToolPattern =
  | { kind: 'any' }
  | { kind: 'family'; name: ToolFamily; tools: readonly string[] }
  | { kind: 'name'; name: string }
  | { kind: 'server'; server: string }
  | { kind: 'glob'; glob: Wildcard }

/** What a pattern is compared with. `server` is the importer's own name of it. */
export interface ToolIdentity {
  name: string
  server?: string
}

export function isFamily(name: string): name is ToolFamily {
  return Object.hasOwn(TOOL_FAMILIES, name)
}

/** Undefined where the text is no NAME. */
export function parseToolPattern(text: string): ToolPattern | undefined {
  if (!/^[A-Za-z0-9_*-]{1,64}$/.test(text)) return undefined
  if (text.includes('*')) {
    const glob = parseWildcard(text)
    return isAnything(glob) ? { kind: 'any' } : { kind: 'glob', glob }
  }
  if (isFamily(text)) return { kind: 'family', name: text, tools: TOOL_FAMILIES[text] }
  const server = /^mcp__((?:(?!__).)+)$/.exec(text)?.[1]
  return server === undefined ? { kind: 'name', name: text } : { kind: 'server', server }
}

export function matchTool(pattern: ToolPattern, tool: ToolIdentity): boolean {
  switch (pattern.kind) {
    case 'any':
      return true
    case 'family':
      return pattern.tools.includes(tool.name) || tool.name === pattern.name
    case 'name':
      return tool.name === pattern.name
    case 'server':
      return tool.server === undefined
        ? tool.name.startsWith(`mcp__${pattern.server}__`)
        : cleanName(tool.server) === cleanName(pattern.server) || tool.server === pattern.server
    case 'glob':
      return matchWildcard(pattern.glob, tool.name)
    default:
      return pattern satisfies never
  }
}

/** Whether every tool that `narrow` names is named by `wide`. */
export function coversTool(wide: ToolPattern, narrow: ToolPattern): boolean {
  switch (narrow.kind) {
    case 'any':
      return wide.kind === 'any'
    case 'family':
      return (wide.kind === 'family' && wide.name === narrow.name) || narrow.tools.every((name) => matchTool(wide, { name }))
    case 'name':
      return matchTool(wide, { name: narrow.name })
    case 'server':
      return wide.kind === 'any' || (wide.kind === 'server' && cleanName(wide.server) === cleanName(narrow.server))
    case 'glob':
      return wide.kind === 'any' || (wide.kind === 'glob' && coversWildcard(wide.glob, narrow.glob)) || coversServerGlob(wide, narrow.glob)
    default:
      return narrow satisfies never
  }
}

function coversServerGlob(wide: ToolPattern, glob: Wildcard): boolean {
  return wide.kind === 'server' && (glob[0] ?? '').startsWith(`mcp__${wide.server}__`)
}

/** As names of imported tools are cleaned (rule M-15). */
function cleanName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
}
