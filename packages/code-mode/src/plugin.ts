/**
 * The wiring: chooses the engine, provides it, and registers the two entries of code mode. Mode and collapse are the runtime's own.
 */
import { type ToolPlugin, type ToolRuntime, type ToolView } from '@toolseam/core-tools'
import { type CatalogueOptions, ViewCatalogue } from './consumer/catalogue.ts'
import { createRunCode } from './consumer/run-code.ts'
import { createSearchTools } from './consumer/search-tools.ts'
import { CodeCatalogue } from './definition/catalogue.ts'
import { CodeRuntime } from './definition/code-runtime.ts'
import { CodeModeError } from './definition/errors.ts'
import { type CodeLimits, resolveLimits } from './definition/limits.ts'
import { createQuickjsRuntime } from './providers/quickjs/quickjs.ts'
import { createQuickjsProcessRuntime } from './providers/quickjs-process/quickjs-process.ts'

export interface CodeModeOptions {
  /**
   * The engine: `quickjs` (default) in worker threads, `quickjs-process` in child processes, `service` for the `CodeRuntime` that another
   * plugin provides, or one of your own. One that is handed in is not disposed with the plugin.
   */
  runtime?: 'quickjs' | 'quickjs-process' | 'service' | CodeRuntime
  limits?: Partial<CodeLimits>
  /** Tools declared in full even where the catalogue is too large to be shown. */
  pinned?: readonly string[]
  /** Most tools that are all declared in full. Default 30. */
  fullTools?: number
  /** Most characters of declarations of all tools. Default 24 000. */
  fullChars?: number
}

/** Throws `CODE_INVALID_OPTION` at once for bad options; applying it fails without a usable engine. */
export function codeMode(options: CodeModeOptions = {}): ToolPlugin {
  const limits = resolveLimits(options.limits)
  const { pinned = [], fullTools = 30, fullChars = 24_000, runtime: choice = 'quickjs' } = options
  return {
    name: 'toolseam/code-mode',
    ...(choice === 'service' ? { requires: [CodeRuntime], provides: [CodeCatalogue] } : { provides: [CodeRuntime, CodeCatalogue] }),
    apply(runtime) {
      const engine = engineOf(choice, runtime)
      const own = choice === 'quickjs' || choice === 'quickjs-process'
      if (choice !== 'service') runtime.services.provide(CodeRuntime, engine)
      const catalogue = catalogues(runtime, { pinned, fullTools, fullChars })
      runtime.services.provide(CodeCatalogue, {
        text: (agent) => catalogue(agent).text(),
        search: (query, agent) => catalogue(agent).search(query),
        describe: (name, agent) => catalogue(agent).describe(name),
      })
      runtime.register(createRunCode({ limits, runtime: () => runtime.services.require(CodeRuntime), catalogue }))
      runtime.register(createSearchTools(catalogue))
      return own ? () => engine.dispose() : undefined
    },
  }
}

function engineOf(choice: NonNullable<CodeModeOptions['runtime']>, runtime: ToolRuntime): CodeRuntime {
  const engine = chosen(choice, runtime)
  // Programs are written against declarations, and there is a printer for this language only.
  if (engine.language !== 'typescript') {
    throw new CodeModeError(
      'CODE_LANGUAGE',
      `code runtime "${engine.id}" runs ${String(engine.language)}, and there are no declarations for it`,
    )
  }
  return engine
}

function chosen(choice: NonNullable<CodeModeOptions['runtime']>, runtime: ToolRuntime): CodeRuntime {
  if (choice === 'quickjs') return createQuickjsRuntime()
  if (choice === 'quickjs-process') return createQuickjsProcessRuntime()
  if (typeof choice === 'object' && choice !== null && typeof choice.run === 'function') return choice
  if (choice !== 'service') throw new CodeModeError('CODE_INVALID_OPTION', `"${String(choice)}" is no code runtime`)
  return runtime.services.require(CodeRuntime)
}

/** One catalogue a view: a view is the same object until something that feeds it changes. */
function catalogues(runtime: ToolRuntime, options: CatalogueOptions): (agent: string | undefined) => ViewCatalogue {
  const known = new WeakMap<ToolView, ViewCatalogue>()
  return (agent) => {
    const view = runtime.view(agent)
    const found = known.get(view) ?? new ViewCatalogue(view, options)
    known.set(view, found)
    return found
  }
}
