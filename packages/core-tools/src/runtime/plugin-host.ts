/**
 * Plugins of one runtime: applied in order, disposed last to first.
 */
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import type { AsyncDisposer, ToolPlugin, ToolRuntime } from '../contracts/runtime.ts'
import type { ServiceContainer } from '../contracts/services.ts'
import { createAsyncDisposer, disposeBackwards } from '../services/ownership.ts'
import { applyPlugin, orderPlugins } from '../services/plugins.ts'

export class PluginHost {
  readonly #runtime: () => ToolRuntime
  readonly #services: ServiceContainer
  /** In the order in which they were applied. */
  readonly #applied = new Map<string, AsyncDisposer>()
  /** Names being applied right now. */
  readonly #applying = new Set<string>()
  #closed = false

  constructor(runtime: () => ToolRuntime, services: ServiceContainer) {
    this.#runtime = runtime
    this.#services = services
  }

  async applyAll(plugins: readonly ToolPlugin[]): Promise<void> {
    const ordered = orderPlugins(plugins, (token) => this.#services.has(token), {
      taken: (name) => this.#applied.has(name) || this.#applying.has(name),
    })
    for (const plugin of ordered) await this.#apply(plugin)
  }

  async use(plugin: ToolPlugin): Promise<AsyncDisposer> {
    if (this.#closed) throw new ToolSeamError(ErrorCode.INVALID_PLUGIN, 'the runtime is disposed and takes no plugins')
    const [checked] = orderPlugins([plugin], (token) => this.#services.has(token), {
      taken: (name) => this.#applied.has(name) || this.#applying.has(name),
    })
    return this.#apply(checked ?? plugin)
  }

  /** All run even if some fail; failures come as one aggregate. */
  disposeAll(): Promise<void> {
    this.#closed = true
    const disposers = [...this.#applied.values()]
    this.#applied.clear()
    return disposeBackwards(disposers, 'the runtime')
  }

  async #apply(plugin: ToolPlugin): Promise<AsyncDisposer> {
    const { name } = plugin
    this.#applying.add(name)
    const dispose = await applyPlugin(plugin, this.#runtime()).finally(() => this.#applying.delete(name))
    if (this.#closed) {
      // The runtime was disposed meanwhile, and nobody else would take this out again.
      await dispose().catch(() => undefined)
      throw new ToolSeamError(ErrorCode.INVALID_PLUGIN, `the runtime was disposed while plugin "${name}" was applied`, {
        details: { plugin: name },
      })
    }
    const own = createAsyncDisposer(async () => {
      if (this.#applied.get(name) === own) this.#applied.delete(name)
      await dispose()
    })
    this.#applied.set(name, own)
    return own
  }
}
