/** `toolseam log [ID]`: what the journals recorded, by time, and which calls nobody knows the end of. Only reads; no tool is loaded. */
import { ToolSeamError } from '@toolseam/core-tools'
import { type FolderEntry, journalFiles, readJournalFile } from '@toolseam/journal'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isAbout, readLog } from '../calls/recorded-log.ts'
import { journalFolder } from '../config/folders.ts'
import { Exit } from '../terminal/exit.ts'
import { interruptible, type Interruption } from '../terminal/interrupt.ts'
import { renderLogEntry, renderOpenCall } from '../terminal/render-log.ts'
import { type CommandContext, rootOf } from './context.ts'

export interface LogOptions {
  /** A call or a turn. */
  id?: string
  follow?: boolean
}

/** How often new journals are looked for, in ms. */
const LOOK_MS = 250

export async function log(context: CommandContext, { id, follow = false }: LogOptions): Promise<number> {
  const folder = journalFolder(rootOf(context.options))
  return interruptible(async (interruption) => {
    const tell = teller(context, id)
    const { entries, open, damaged } = await readLog(folder)
    const shown = entries.filter((entry) => id === undefined || isAbout(entry, id))
    const unsettled = open.filter(({ callId, turnId }) => id === undefined || callId === id || turnId === id)
    if (id !== undefined && shown.length === 0 && !follow)
      throw new ToolSeamError('TOOLSEAM_USAGE', `nothing is on record for ${JSON.stringify(id)}`)
    for (const entry of shown) await tell.entry(entry)
    for (const { file, why } of damaged) await context.streams.err(`toolseam: ${file}: ${why}\n`)
    if (follow) await followAll(folder, { entries, tell: tell.entry, id, interruption })
    else for (const call of unsettled) await tell.open(call)
    return interruption.status ?? (damaged.length === 0 ? Exit.ok : Exit.failed)
  })
}

interface Teller {
  entry(entry: FolderEntry): Promise<void>
  open(call: Parameters<typeof renderOpenCall>[0]): Promise<void>
}

function teller({ streams, options }: CommandContext, id: string | undefined): Teller {
  const colors = streams.outColors
  if (options.json === true) {
    return {
      entry: ({ file, seq, at, data }) => streams.out(`${JSON.stringify({ file, seq, at, data })}\n`),
      open: ({ file, ...call }) => streams.out(`${JSON.stringify({ file, open: call })}\n`),
    }
  }
  return {
    entry: async (entry) => {
      const line = renderLogEntry(entry, { colors, full: id !== undefined })
      if (line !== undefined) await streams.out(line)
    },
    open: (call) => streams.out(renderOpenCall(call, colors)),
  }
}

/** What comes after `entries`, in these journals and in new ones, until a signal comes. */
async function followAll(
  folder: string,
  {
    entries,
    tell,
    id,
    interruption,
  }: { entries: readonly FolderEntry[]; tell: Teller['entry']; id: string | undefined; interruption: Interruption },
): Promise<void> {
  const { signal } = interruption
  const last = new Map<string, number>()
  for (const { file, seq } of entries) last.set(file, Math.max(last.get(file) ?? 0, seq))
  const followed = new Map<string, Promise<void>>()
  const follow = async (path: string): Promise<void> => {
    const file = basename(path)
    for await (const entry of readJournalFile(path, { from: (last.get(file) ?? 0) + 1, follow: true, signal })) {
      const told = { ...entry, file }
      if (id === undefined || isAbout(told, id)) await tell(told)
    }
  }
  while (!signal.aborted) {
    for (const path of await journalFiles(folder)) {
      if (!followed.has(path))
        followed.set(
          path,
          follow(path).catch(() => {}),
        )
    }
    await pause(LOOK_MS, undefined, { signal }).catch(() => {})
  }
  await Promise.all(followed.values())
}
