/**
 * Facts of a call for policy, approval and user interfaces (F-70): resolved paths from the walk; the diff only on wish, computed
 * without a lock on what stands there now.
 */
import type { CallKind, CallPath, CallView } from '@toolseam/core-tools'
import { isFsError } from '../definition/errors.ts'
import type { ToolParts } from './parts.ts'
import { shownName } from './render-text.ts'

/** A preview that takes longer is left out. */
const PREVIEW_MS = 200

export interface DescribedPath {
  path: string
  access: 'read' | 'write'
  leaf?: 'follow' | 'keep'
}

export interface CallFacts {
  title: string
  kind: CallKind
  paths: readonly DescribedPath[]
  /** Gives nothing where the call could not succeed anyway. */
  diff?: () => Promise<string | undefined>
}

export interface DescribeOptions {
  agent?: string
  preview: boolean
}

export async function describe(parts: ToolParts, facts: CallFacts, options: DescribeOptions): Promise<CallView> {
  const paths = await Promise.all(facts.paths.map((each) => pathFacts(parts, each, options)))
  const diff = options.preview && facts.diff !== undefined ? await previewOf(facts.diff) : undefined
  return { title: facts.title, kind: facts.kind, paths, ...(diff === undefined ? {} : { diff }) }
}

/** Without `resolved` a path counts as outside: so does one that the walk refuses. */
async function pathFacts(
  parts: ToolParts,
  { path, access, leaf = 'follow' }: DescribedPath,
  { agent }: DescribeOptions,
): Promise<CallPath> {
  try {
    const { absolute } = await parts.fileSystem().resolve(path, { leaf, ...(agent === undefined ? {} : { agent }) })
    const guarded = access === 'write' && parts.isProtected(absolute)
    return { path, resolved: absolute, access, ...(guarded ? { protected: true } : {}) }
  } catch (error) {
    if (!isFsError(error)) throw error
    return { path, access }
  }
}

async function previewOf(diff: () => Promise<string | undefined>): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PREVIEW_MS)
  })
  try {
    return await Promise.race([diff(), late])
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  } finally {
    clearTimeout(timer)
  }
}

export function titled(verb: string, path: string): string {
  return `${verb} ${shownName(path)}`
}
