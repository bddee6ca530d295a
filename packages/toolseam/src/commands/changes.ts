/** `toolseam changes [TAG]`: what the tools changed. */
import { ChangeJournal } from '@toolseam/fs'
import { renderChange, renderHunks, renderTags } from '../terminal/render-changes.ts'
import { type CommandContext, withRuntime } from './context.ts'
import { knownTag } from './undo.ts'

export async function changes(context: CommandContext, { tag }: { tag?: string }): Promise<number> {
  const { streams, options } = context
  return withRuntime(context, {
    async run(runtime) {
      const journal = runtime.services.require(ChangeJournal)
      const tags = await journal.tags()
      if (tag !== undefined) knownTag(tag, tags)
      const entries = await journal.entries(tag === undefined ? {} : { tag })
      if (options.json === true) {
        await streams.out(`${JSON.stringify(entries)}\n`)
        return 0
      }
      if (tag === undefined) await streams.out(renderTags(tags, streams.outColors))
      for (const entry of entries) await streams.out(renderChange(entry, streams.outColors))
      if (tag !== undefined) await streams.out(renderHunks(await journal.diff(tag)))
      return 0
    },
  })
}
