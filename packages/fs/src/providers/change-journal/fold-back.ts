/**
 * One net change taken back in thought: from what is there now, step by step, to what should be there afterwards.
 */
import type { ConflictReason } from '../../journal/describe-conflict.ts'
import { mergeBack } from '../../journal/merge.ts'
import type { Content, NetChange, Step } from '../../journal/net-change.ts'
import type { Contents } from './contents.ts'
import { isContent, type Current } from './current.ts'
import { sha256 } from './recorder.ts'

export type Folded =
  /** Nothing has to be done about the content. */
  | { kind: 'same' }
  | { kind: 'absent' }
  | { kind: 'file'; bytes: Buffer; merged: boolean; mode: number | undefined }
  | { kind: 'directory'; mode: number | undefined }
  | { kind: 'symlink'; target: string }
  | { kind: 'conflict'; reason: ConflictReason }

export async function foldBack(net: NetChange, start: Current, contents: Contents): Promise<Folded> {
  let current = start
  let merged = false
  for (const step of net.steps.toReversed()) {
    if (await isContent(current, step.after)) {
      const before = await contentNow(step.before, contents)
      if (before === undefined) return conflict('not-kept')
      current = before
    } else if (!(await isContent(current, step.before))) {
      const outcome = await mergeStep(current, step, contents)
      if (typeof outcome === 'string') return conflict(outcome)
      current = outcome
      merged = true
    }
  }
  return current === start ? { kind: 'same' } : resultOf(current, { net, merged })
}

function conflict(reason: ConflictReason): Folded {
  return { kind: 'conflict', reason }
}

async function resultOf(current: Current, { net, merged }: { net: NetChange; merged: boolean }): Promise<Folded> {
  const first = net.steps[0]?.before
  const mode = first?.kind === 'present' ? first.mode : undefined
  if (current.kind === 'absent') return { kind: 'absent' }
  if (current.kind === 'directory') return { kind: 'directory', mode }
  if (current.kind === 'symlink') return { kind: 'symlink', target: current.target }
  const read = current.kind === 'file' ? await current.read() : undefined
  return read === undefined ? conflict('too-large') : { kind: 'file', bytes: read.bytes, merged, mode }
}

/** A known content in the form of something that is there. */
async function contentNow(content: Content, contents: Contents): Promise<Current | undefined> {
  if (content.kind === 'absent') return { kind: 'absent' }
  if (content.entryKind === 'directory') return { kind: 'directory', version: undefined }
  const bytes = await contents.bytes(content)
  if (bytes === undefined) return undefined
  return content.entryKind === 'symlink' ? { kind: 'symlink', target: bytes.toString('utf8'), version: undefined } : fileOf(bytes)
}

function fileOf(bytes: Buffer): Current {
  return { kind: 'file', version: undefined, read: () => Promise.resolve({ bytes, hash: sha256(bytes) }) }
}

/** Neither what the change left behind nor what was there before: somebody was there since. */
async function mergeStep(current: Current, step: Step, contents: Contents): Promise<Current | ConflictReason> {
  if (current.kind === 'absent') return 'deleted-since'
  if (step.after.kind === 'absent') return 'made-since'
  if (step.before.kind === 'absent') return current.kind === step.after.entryKind ? 'changed-since-created' : 'kind-changed'
  if (current.kind !== 'file' || step.after.entryKind !== 'file')
    return current.kind === step.after.entryKind ? 'made-since' : 'kind-changed'
  const target = await contents.bytes(step.before)
  if (target === undefined) return 'not-kept'
  const base = await contents.bytes(step.after)
  if (base === undefined) return 'unknown-after'
  const read = await current.read()
  if (read === undefined) return 'too-large'
  const outcome = mergeBack({ base, target, current: read.bytes })
  return outcome.kind === 'conflict' ? outcome.reason : fileOf(outcome.bytes)
}
