/**
 * Inputs, values and schemas of the tools `glob` and `grep` (table of fs.md section 9).
 */
import type { JsonSchema } from '@toolseam/core-tools'
import type { GlobResult, GrepHit, GrepSummary, Skipped } from '../definition/search.ts'

export interface GlobInput {
  pattern: string
  path?: string
  limit?: number
  order?: 'modified' | 'path'
  includeIgnored?: boolean
}

export type GlobValue = GlobResult

export interface GrepInput {
  pattern: string
  path?: string
  include?: string | string[]
  fixed?: boolean
  ignoreCase?: boolean
  multiline?: boolean
  before?: number
  after?: number
  mode?: 'lines' | 'files' | 'count'
  limit?: number
  includeIgnored?: boolean
}

export interface GrepValue extends GrepSummary {
  hits: GrepHit[]
}

export type { Skipped }

const TEXT: JsonSchema = { type: 'string' }
const FLAG: JsonSchema = { type: 'boolean' }
const TEXTS: JsonSchema = { type: 'array', items: TEXT }
const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const WHERE: JsonSchema = {
  type: 'string',
  description: 'Where to search. Default: the root. A hidden or ignored place that is named here is searched.',
}
const IGNORED: JsonSchema = { type: 'boolean', description: 'Also search files that ignore files leave out. Default false.' }

function object(properties: { [name: string]: JsonSchema }, required: readonly string[]): JsonSchema {
  return { type: 'object', additionalProperties: false, properties, required: [...required] }
}

const SKIPPED: JsonSchema = object({ ignored: FLAG, binary: { type: ['integer', 'null'] }, unreadable: TEXTS }, [
  'ignored',
  'binary',
  'unreadable',
])

export const GLOB_INPUT: JsonSchema = object(
  {
    pattern: { type: 'string', description: 'Such as src/**/*.ts or *.{js,jsx}. Without a slash it matches at any depth.' },
    path: WHERE,
    limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Most paths. Default 100.' },
    order: { enum: ['modified', 'path'], description: 'Newest first (default), or by path.' },
    includeIgnored: IGNORED,
  },
  ['pattern'],
)

export const GLOB_VALUE: JsonSchema = object(
  { paths: TEXTS, total: COUNT, truncated: FLAG, timedOut: FLAG, engine: TEXT, skipped: SKIPPED, notes: TEXTS },
  ['paths', 'total', 'truncated', 'engine', 'skipped', 'notes'],
)

export const GREP_INPUT: JsonSchema = object(
  {
    pattern: { type: 'string', description: 'A regular expression (Rust syntax), matched line by line. Literal braces need a backslash.' },
    path: WHERE,
    include: { type: ['string', 'array'], items: TEXT, description: 'Only files that match one of these globs; !glob leaves files out.' },
    fixed: { type: 'boolean', description: 'The pattern is literal text.' },
    ignoreCase: FLAG,
    multiline: { type: 'boolean', description: 'The pattern may span lines.' },
    before: { type: 'integer', minimum: 0, maximum: 50, description: 'Lines shown before each hit.' },
    after: { type: 'integer', minimum: 0, maximum: 50, description: 'Lines shown after each hit.' },
    mode: { enum: ['lines', 'files', 'count'], description: 'Hits (default), names of files with hits, or hits counted by file.' },
    limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Most hits, or files. Default 200.' },
    includeIgnored: IGNORED,
  },
  ['pattern'],
)

const HIT: JsonSchema = object(
  {
    path: TEXT,
    line: COUNT,
    column: COUNT,
    text: TEXT,
    cut: { enum: ['left', 'right', 'both'] },
    before: TEXTS,
    after: TEXTS,
    count: COUNT,
  },
  ['path', 'line', 'column', 'text'],
)

export const GREP_VALUE: JsonSchema = object(
  {
    hits: { type: 'array', items: HIT },
    files: COUNT,
    total: COUNT,
    truncated: FLAG,
    timedOut: FLAG,
    engine: TEXT,
    skipped: SKIPPED,
    warnings: TEXTS,
  },
  ['hits', 'files', 'total', 'truncated', 'engine', 'skipped', 'warnings'],
)
