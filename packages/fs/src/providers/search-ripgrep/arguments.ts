/**
 * The command line of the ripgrep engine (F-52, F-53).
 */
import type { GrepSpec } from '../../search/query.ts'

/** Between the fields of a matching line, and of a context line: control characters, since paths end at a NUL and numbers hold none. */
export const MATCH_SEPARATOR = 0x1f
export const CONTEXT_SEPARATOR = 0x1e

/** Longer lines are only announced by the engine; their window is read from the file. */
export const LONGEST_LINE = 500

interface Scope {
  includeIgnored: boolean
  /** Path of the generated ignore file. */
  ignoreFile: string | undefined
}

function common({ includeIgnored, ignoreFile }: Scope): string[] {
  return [
    '--no-config',
    '--hidden',
    '--no-require-git',
    '--no-ignore-global',
    // What lies above the searched directory comes in the generated file: above the roots nothing is read.
    '--no-ignore-parent',
    '--null',
    '--color=never',
    // Exclusions alone leave the ignore files in force.
    '--glob=!.git',
    '--glob=!.toolseam',
    ...(includeIgnored ? ['--no-ignore'] : []),
    ...(ignoreFile === undefined ? [] : [`--ignore-file=${ignoreFile}`]),
  ]
}

export function listArguments(scope: Scope): string[] {
  return ['--files', ...common(scope), '--', './']
}

export function findArguments(spec: GrepSpec, { target, ...scope }: Scope & { target: string }): string[] {
  return [
    ...common(scope),
    '--with-filename',
    '--no-heading',
    ...(spec.fixed ? ['--fixed-strings'] : []),
    spec.ignoreCase ? '--ignore-case' : '--case-sensitive',
    ...(spec.multiline ? ['--multiline'] : ['--crlf']),
    ...(spec.mode === 'count' ? ['--count'] : lineArguments(spec)),
    `--regexp=${spec.pattern}`,
    '--',
    target,
  ]
}

function lineArguments({ before, after, mode }: GrepSpec): string[] {
  return [
    '--line-number',
    '--column',
    '--byte-offset',
    `--max-columns=${LONGEST_LINE}`,
    String.raw`--field-match-separator=\x1f`,
    String.raw`--field-context-separator=\x1e`,
    '--no-context-separator',
    ...(before > 0 ? [`--before-context=${before}`] : []),
    ...(after > 0 ? [`--after-context=${after}`] : []),
    ...(mode === 'files' ? ['--max-count=1'] : []),
  ]
}
