/**
 * What the journals of a root hold, by time, and which of their calls nobody knows the end of: begun on record, without a result, by a process
 * that is gone.
 */
import { basename } from 'node:path'
import type { JsonValue } from '@toolseam/core-tools'
import { recoverTools } from '@toolseam/executor-tool'
import { type FolderEntry, journalFiles, openJsonlJournal, readJournalFile } from '@toolseam/journal'

export interface OpenCall {
  file: string
  callId: string
  turnId?: string
  name?: string
  /** `running`: its process is still there. `unknown`: it is not; the work may be done, half done or not begun. */
  state: 'running' | 'unknown'
}

export interface RecordedLog {
  entries: FolderEntry[]
  open: OpenCall[]
  /** Files that could not be read to their end, and why. */
  damaged: { file: string; why: string }[]
}

export async function readLog(folder: string): Promise<RecordedLog> {
  const log: RecordedLog = { entries: [], open: [], damaged: [] }
  for (const path of await journalFiles(folder)) {
    const file = basename(path)
    const entries: FolderEntry[] = []
    try {
      for await (const entry of readJournalFile(path)) entries.push({ ...entry, file })
    } catch (error) {
      log.damaged.push({ file, why: messageOf(error) })
    }
    log.entries.push(...entries)
    log.open.push(...(await openCalls(path, entries)))
  }
  // The order within a file stands, whatever its clock did.
  log.entries.sort((left, right) => left.at - right.at || compare(left.file, right.file) || left.seq - right.seq)
  return log
}

async function openCalls(path: string, entries: readonly FolderEntry[]): Promise<OpenCall[]> {
  const unsettled = new Map<string, Omit<OpenCall, 'file' | 'state'>>()
  for (const { data } of entries) {
    const { kind, callId, turnId, name } = fieldsOf(data)
    if (typeof callId !== 'string') continue
    if (kind === 'tool/result') unsettled.delete(callId)
    if (kind !== 'tool/call') continue
    unsettled.set(callId, {
      callId,
      ...(typeof turnId === 'string' ? { turnId } : {}),
      ...(typeof name === 'string' ? { name } : {}),
    })
  }
  for (const { callId, turnId } of await handedOver(entries)) {
    if (!unsettled.has(callId)) unsettled.set(callId, { callId, turnId })
  }
  if (unsettled.size === 0) return []
  const state = (await hasWriter(path)) ? 'running' : 'unknown'
  return [...unsettled.values()].map((call) => ({ file: basename(path), ...call, state }))
}

/** Calls of a turn that were handed to the domain and have no outcome there; their bodies may have begun just before the end. */
async function handedOver(entries: readonly FolderEntry[]): Promise<{ callId: string; turnId: string }[]> {
  try {
    const { unknown, state } = await recoverTools(entries)
    const { turnId } = state
    if (turnId === undefined) return []
    const ids = new Set(unknown.map(({ dlineTid }) => dlineTid))
    return state.blocks.flatMap(({ dlineTid, callId }) => (ids.has(dlineTid) ? [{ callId, turnId }] : []))
  } catch {
    // A turn that another version recorded does not fold here; the record of its calls still stands.
    return []
  }
}

/** A journal has one writer; where its lock can be taken, that one is gone, and its torn end is mended on the way. */
async function hasWriter(path: string): Promise<boolean> {
  try {
    const journal = await openJsonlJournal({ path, fsync: 'never' })
    await journal.close()
    return false
  } catch (error) {
    return (error as { code?: unknown }).code === 'JOURNAL_LOCKED'
  }
}

/** Whether an entry is about a call or a turn of this id. */
export function isAbout({ data }: FolderEntry, id: string): boolean {
  const { callId, rootCallId, turnId, event } = fieldsOf(data)
  if ([callId, rootCallId, turnId].includes(id)) return true
  return fieldsOf(event ?? null)['turnId'] === id
}

export function fieldsOf(data: JsonValue): { readonly [key: string]: JsonValue } {
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {}
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1
}
