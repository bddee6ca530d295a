/**
 * The wiring: a journal on disk, everything masked on its way in, and the recorder of every call.
 */
import type { JsonValue, ToolPlugin } from '@toolseam/core-tools'
import { jsonOf } from './checking/json.ts'
import { createRedaction, type Redaction } from './checking/redaction.ts'
import { startRecorder } from './consumer/recorder.ts'
import { JournalError } from './definition/errors.ts'
import { Journal } from './definition/journal.ts'
import { defaultJournalPath } from './providers/jsonl/default-path.ts'
import { openJsonlJournal } from './providers/jsonl/jsonl-journal.ts'
import { lazyJournal } from './providers/jsonl/lazy-journal.ts'
import type { FsyncPolicy } from './providers/jsonl/writer.ts'

export interface JournalOptions {
  /** Default: one file a process in `.toolseam/journal/` of the root, made with the first entry. */
  path?: string
  /** Folder of `.toolseam`. Default: the working directory. */
  root?: string
  /** Default `batch`. */
  fsync?: FsyncPolicy
  /** A journal of your own in place of a file; it is not closed by this plugin. */
  journal?: Journal
  /**
   * Last word on every entry, the recorder's and others', before it is written. What is sensitive is masked already. What it throws, or gives that
   * is no JSON, refuses the entry (`JOURNAL_REDACT`): a call whose entry is refused does not run.
   */
  redact?(entry: JsonValue): JsonValue
}

export function journal(options: JournalOptions = {}): ToolPlugin {
  return {
    name: 'toolseam/journal',
    provides: [Journal],
    async apply(runtime) {
      const redaction = createRedaction()
      const inner = await openJournal(options)
      const guarded = redacting(inner, { redaction, redact: options.redact })
      runtime.services.provide(Journal, guarded)
      const recorder = startRecorder(runtime, { journal: guarded, redaction })
      return async () => {
        await recorder.flush()
        recorder.stop()
        if (options.journal === undefined) await inner.close()
      }
    },
  }
}

/** A path that was named is opened at once, so that a locked or damaged file is told where it was named. */
async function openJournal({ path, root = '.', fsync = 'batch', journal: given }: JournalOptions): Promise<Journal> {
  if (given !== undefined) return given
  if (path !== undefined) return openJsonlJournal({ path, fsync })
  return lazyJournal(async () => openJsonlJournal({ path: await defaultJournalPath(root), fsync }))
}

function redacting(inner: Journal, { redaction, redact }: { redaction: Redaction; redact: JournalOptions['redact'] }): Journal {
  const clean = (entry: JsonValue): JsonValue => {
    const masked = redaction.mask(jsonOf(entry))
    return redact === undefined ? masked : redacted(redact, masked)
  }
  return {
    append: async (entries) => inner.append(entries.map(clean)),
    read: (options) => inner.read(options),
    close: () => inner.close(),
    get recovered() {
      return inner.recovered
    },
  }
}

function redacted(redact: NonNullable<JournalOptions['redact']>, entry: JsonValue): JsonValue {
  try {
    return jsonOf(redact(entry))
  } catch (cause) {
    throw new JournalError('JOURNAL_REDACT', 'the entry was not recorded: redact failed', { cause })
  }
}
