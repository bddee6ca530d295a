/**
 * `createToolseam`: the packages composed into one runtime. Wiring only: a part is one line, with the options that it answers.
 */
import { approval } from '@toolseam/approval'
import { codeMode } from '@toolseam/code-mode'
import { createToolRuntime, ToolSeamError, type ToolPlugin, type ToolRuntime } from '@toolseam/core-tools'
import { toolExecutor } from '@toolseam/executor-tool'
import { fs } from '@toolseam/fs'
import { journal } from '@toolseam/journal'
import { shell } from '@toolseam/shell'
import { type ResolvedOptions, resolveOptions, type ToolseamOptions } from './options.ts'

interface Part {
  /** The options of `createToolseam` that this part answers. */
  answers: readonly string[]
  /** None: the option that it answers turned it off. */
  plugins(options: ResolvedOptions): readonly ToolPlugin[]
}

/** Disposed from the last to the first: the journal closes when everything that writes to it has ended. */
const parts: readonly Part[] = [
  part(['root', 'journal'], ({ root, journal: settings }) => (settings === false ? [] : journal({ ...settings, root }))),
  part(['root', 'preset', 'policy', 'store', 'answerers', 'session', 'secret', 'asks'], approval),
  part(['root', 'sandbox'], shell),
  part(['root'], fs),
  part(['executor'], ({ executor }) => toolExecutor(executor)),
  part(['code'], ({ code }) => codeMode(code)),
]

/**
 * A runtime with the composed tools, working in `root`. Dispose it when done: it ends what still runs.
 *
 * Throws `TOOLSEAM_ROOT_INVALID`, `TOOLSEAM_OPTION_UNAVAILABLE`, and what a plugin throws while it is applied.
 */
export async function createToolseam(options: ToolseamOptions = {}): Promise<ToolRuntime> {
  const { partOptions, runtimeOptions, plugins } = resolveOptions(options)
  refuseUnanswered(partOptions)
  return createToolRuntime({ ...runtimeOptions, plugins: [...parts.flatMap((each) => each.plugins(partOptions)), ...plugins] })
}

/** A plugin factory that gets exactly the options named. */
function part<K extends keyof ResolvedOptions>(
  answers: readonly K[],
  factory: (options: Pick<ResolvedOptions, K>) => ToolPlugin | readonly ToolPlugin[],
): Part {
  const picked = (options: ResolvedOptions): Pick<ResolvedOptions, K> =>
    Object.fromEntries(answers.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]]))) as Pick<ResolvedOptions, K>
  return { answers, plugins: (options) => [factory(picked(options))].flat() }
}

/** An option that nothing answers would be a promise that nobody keeps. */
function refuseUnanswered(options: ResolvedOptions): void {
  const answered = new Set<string>(parts.flatMap((part) => part.answers))
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || answered.has(option)) continue
    const message = `createToolseam: no composed package answers the option "${option}"`
    throw new ToolSeamError('TOOLSEAM_OPTION_UNAVAILABLE', message, { details: { option, answered: [...answered] } })
  }
}
