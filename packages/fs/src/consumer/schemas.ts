/**
 * Schemas of the tools' inputs and values, as JSON Schema 2020-12. At the top they use no `oneOf`, `anyOf` or `allOf`: some model
 * interfaces refuse those; alternatives are said with `if`.
 */
import type { JsonSchema } from '@toolseam/core-tools'

const PATH: JsonSchema = { type: 'string', description: 'Relative to the root, or absolute inside it.' }
const STRINGS: JsonSchema = { type: 'array', items: { type: 'string' } }
const NOTES: JsonSchema = { ...STRINGS, description: 'Facts worth knowing.' }
const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const LINES: JsonSchema = { type: 'array', items: { type: 'integer' } }
const EOL: JsonSchema = { enum: ['lf', 'crlf', 'mixed', 'none'] }
const HUNKS: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['oldStart', 'oldLines', 'newStart', 'newLines', 'lines'],
    properties: { oldStart: COUNT, oldLines: COUNT, newStart: COUNT, newLines: COUNT, lines: STRINGS },
  },
}
const UNDOABLE: JsonSchema = { type: 'boolean', description: 'The change journal can take it back.' }
const TAG: JsonSchema = { type: 'string', description: 'Names this change for undo.' }

function object(properties: { [name: string]: JsonSchema }, required: readonly string[]): JsonSchema {
  return { type: 'object', additionalProperties: false, properties, required: [...required] }
}

export const READ_INPUT: JsonSchema = object(
  {
    path: PATH,
    offset: { type: 'integer', minimum: 1, description: 'First line, counted from 1. Default 1.' },
    limit: { type: 'integer', minimum: 1, maximum: 100_000, description: 'Most lines. Default 2000.' },
    tail: { type: 'integer', minimum: 1, maximum: 100_000, description: 'The last lines instead.' },
  },
  ['path'],
)

export const READ_VALUE: JsonSchema = {
  oneOf: [
    object(
      {
        kind: { const: 'text' },
        path: { type: 'string' },
        text: { type: 'string' },
        startLine: { type: 'integer' },
        endLine: { type: 'integer' },
        totalLines: { type: ['integer', 'null'] },
        truncated: { type: 'boolean' },
        cutLines: LINES,
        eol: EOL,
        noFinalEol: { type: 'boolean' },
        bom: { type: 'boolean' },
        encoding: { enum: ['utf-8', 'utf-16le', 'utf-16be', 'unknown-8bit'] },
        size: COUNT,
        version: { type: 'string' },
        notes: NOTES,
      },
      [
        'kind',
        'path',
        'text',
        'startLine',
        'endLine',
        'totalLines',
        'truncated',
        'cutLines',
        'eol',
        'bom',
        'encoding',
        'size',
        'version',
        'notes',
      ],
    ),
    object(
      {
        kind: { const: 'image' },
        path: { type: 'string' },
        mimeType: { type: 'string' },
        width: COUNT,
        height: COUNT,
        size: COUNT,
        data: { type: 'string', description: 'Base64.' },
      },
      ['kind', 'path', 'mimeType', 'width', 'height', 'size', 'data'],
    ),
    object(
      {
        kind: { const: 'document' },
        path: { type: 'string' },
        mimeType: { type: 'string' },
        size: COUNT,
        data: { type: 'string', description: 'Base64.' },
      },
      ['kind', 'path', 'mimeType', 'size', 'data'],
    ),
  ],
}

export const WRITE_INPUT: JsonSchema = object(
  {
    path: PATH,
    content: { type: 'string', description: 'The whole new content.' },
    createOnly: { type: 'boolean', description: 'Refuse when the file exists. Default false.' },
  },
  ['path', 'content'],
)

export const WRITE_VALUE: JsonSchema = object(
  {
    path: { type: 'string' },
    created: { type: 'boolean' },
    bytes: COUNT,
    eol: EOL,
    bom: { type: 'boolean' },
    version: { type: 'string' },
    added: COUNT,
    removed: COUNT,
    hunks: HUNKS,
    undoable: UNDOABLE,
    tag: TAG,
    notes: NOTES,
  },
  ['path', 'created', 'bytes', 'eol', 'bom', 'version', 'added', 'removed', 'hunks', 'undoable', 'tag', 'notes'],
)

const OLD: JsonSchema = {
  type: 'string',
  description: 'Text as it stands in the file, without line numbers. Must stand there once, unless all.',
}
const NEW: JsonSchema = { type: 'string', description: 'What to put there, taken literally.' }
const ALL: JsonSchema = { type: 'boolean', description: 'Replace every place. Default false.' }

export const EDIT_INPUT: JsonSchema = {
  ...object(
    {
      path: PATH,
      old: OLD,
      new: NEW,
      all: ALL,
      edits: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        description: 'Several edits of the same snapshot, applied together or not at all; instead of old and new.',
        items: object({ old: OLD, new: NEW, all: ALL }, ['old', 'new']),
      },
    },
    ['path'],
  ),
  if: { required: ['edits'] },
  // eslint-disable-next-line unicorn/no-thenable -- JSON Schema's own keyword
  then: { properties: { old: false, new: false, all: false } },
  else: { required: ['old', 'new'] },
}

export const EDIT_VALUE: JsonSchema = object(
  {
    path: { type: 'string' },
    replaced: COUNT,
    matches: {
      type: 'array',
      items: object({ how: { enum: ['exact', 'eol', 'trailing-blanks', 'indent'] }, count: COUNT, lines: LINES }, [
        'how',
        'count',
        'lines',
      ]),
    },
    version: { type: 'string' },
    hunks: HUNKS,
    undoable: UNDOABLE,
    tag: TAG,
    notes: NOTES,
  },
  ['path', 'replaced', 'matches', 'version', 'hunks', 'undoable', 'tag', 'notes'],
)

export const PATCH_INPUT: JsonSchema = {
  ...object(
    {
      files: {
        type: 'array',
        minItems: 1,
        maxItems: 200,
        items: {
          oneOf: [
            object(
              {
                path: PATH,
                hunks: {
                  type: 'array',
                  items: object(
                    {
                      old: { ...STRINGS, description: 'Lines as they stand in the file: context and lines to remove.' },
                      new: { ...STRINGS, description: 'The same lines afterwards.' },
                      line: { type: 'integer', minimum: 1, description: 'Where old starts; a hint that breaks ties.' },
                    },
                    ['old', 'new'],
                  ),
                },
                moveTo: PATH,
              },
              ['path', 'hunks'],
            ),
            object({ path: PATH, add: { type: 'string', description: 'Content of a new file.' } }, ['path', 'add']),
            object({ path: PATH, delete: { const: true } }, ['path', 'delete']),
          ],
        },
      },
      diff: { type: 'string', minLength: 1, description: 'A unified diff of all files; instead of files.' },
    },
    [],
  ),
  if: { required: ['diff'] },
  // eslint-disable-next-line unicorn/no-thenable -- JSON Schema's own keyword
  then: { properties: { files: false } },
  else: { required: ['files'] },
}

export const PATCH_VALUE: JsonSchema = object(
  {
    files: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'kind', 'hunks', 'added', 'removed', 'undoable', 'notes'],
        properties: {
          path: { type: 'string' },
          from: { type: 'string' },
          kind: { enum: ['create', 'modify', 'delete', 'move'] },
          hunks: HUNKS,
          added: COUNT,
          removed: COUNT,
          undoable: UNDOABLE,
          notes: NOTES,
        },
      },
    },
    tag: TAG,
  },
  ['files', 'tag'],
)

export const LIST_INPUT: JsonSchema = object(
  {
    path: { ...PATH, description: 'Directory, default the root.' },
    depth: { type: 'integer', minimum: 1, maximum: 5, description: 'Levels, default 1.' },
    limit: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Most entries, default 500.' },
  },
  [],
)

export const LIST_VALUE: JsonSchema = object(
  {
    path: { type: 'string' },
    entries: {
      type: 'array',
      items: object(
        {
          path: { type: 'string' },
          kind: { enum: ['file', 'directory', 'symlink', 'fifo', 'socket', 'device'] },
          size: COUNT,
          target: { type: 'string' },
          ignored: { const: true },
          raw: { type: 'string' },
        },
        ['path', 'kind'],
      ),
    },
    truncated: { type: 'boolean' },
  },
  ['path', 'entries', 'truncated'],
)

export const MOVE_INPUT: JsonSchema = object(
  { from: PATH, to: PATH, overwrite: { type: 'boolean', description: 'Replace a file that is there. Default false.' } },
  ['from', 'to'],
)

export const MOVE_VALUE: JsonSchema = object(
  { from: { type: 'string' }, to: { type: 'string' }, replaced: { const: true }, undoable: UNDOABLE, tag: TAG, notes: NOTES },
  ['from', 'to', 'undoable', 'tag', 'notes'],
)

export const DELETE_INPUT: JsonSchema = object(
  { path: PATH, recursive: { type: 'boolean', description: 'A directory with all that is in it. Default false.' } },
  ['path'],
)

export const DELETE_VALUE: JsonSchema = object({ path: { type: 'string' }, removed: COUNT, undoable: UNDOABLE, tag: TAG, notes: NOTES }, [
  'path',
  'removed',
  'undoable',
  'tag',
  'notes',
])
