/** `toolseam undo [TAG]`: takes back what the tools changed under a tag; without one it lists the tags (F-66). */
import { ToolSeamError } from '@toolseam/core-tools'
import { ChangeJournal, type RevertReport } from '@toolseam/fs'
import { Exit } from '../terminal/exit.ts'
import { nearest } from '../terminal/nearest.ts'
import { inline } from '../terminal/render.ts'
import { renderRevert, renderTags } from '../terminal/render-changes.ts'
import { type CommandContext, withRuntime } from './context.ts'

export interface UndoOptions {
  tag?: string
  /** Says what would be done, touches nothing. */
  dryRun?: boolean
  /** One conflict, and nothing is done. */
  strict?: boolean
}

export async function undo(context: CommandContext, { tag, dryRun = false, strict = false }: UndoOptions): Promise<number> {
  const { streams, options } = context
  return withRuntime(context, {
    async run(runtime, { signal }) {
      const journal = runtime.services.require(ChangeJournal)
      const tags = await journal.tags()
      if (tag === undefined) {
        await streams.out(options.json === true ? `${JSON.stringify(tags)}\n` : renderTags(tags, streams.outColors))
        return Exit.ok
      }
      knownTag(tag, tags)
      const report = await reverted(() => journal.revert({ tag, dryRun, strict, signal }))
      if ('refused' in report) {
        await streams.err(report.refused)
        return Exit.failed
      }
      await streams.out(options.json === true ? `${JSON.stringify(report)}\n` : renderRevert(report, dryRun))
      return report.kept.length === 0 ? Exit.ok : Exit.failed
    },
  })
}

/** Throws `TOOLSEAM_USAGE` naming the nearest tag. */
export function knownTag(tag: string, tags: readonly { tag: string }[]): void {
  const names = tags.map((each) => each.tag)
  if (names.includes(tag)) return
  throw new ToolSeamError('TOOLSEAM_USAGE', `nothing was changed under the tag ${JSON.stringify(tag)}${nearest.hint(tag, names)}`)
}

/** What cannot be undone as it was asked is an outcome, told with its facts. */
async function reverted(revert: () => Promise<RevertReport>): Promise<RevertReport | { refused: string }> {
  try {
    return await revert()
  } catch (error) {
    const { code, details } = error as { code?: unknown; details?: unknown }
    if (!(error instanceof Error) || typeof code !== 'string') throw error
    return { refused: `toolseam: ${code}${details === undefined ? '' : ` ${inline(details, 2000)}`}\n` }
  }
}
