/**
 * The observers' hooks over Tapable's SyncHook. A throw or a rejected promise is logged with the tap's name; nothing is
 * changed or delayed by it.
 */
import { SyncHook } from 'tapable'
import type { Disposer } from '../contracts/disposer.ts'
import type { HookInterceptor, TapOptions, ToolNotify } from '../contracts/hooks.ts'
import type { ToolLogger } from '../contracts/runtime.ts'
import { TapableLayer } from './tapable-layer.ts'
import { isThenable } from './thenable.ts'

export class NotifyLayer<Args extends readonly unknown[]> implements ToolNotify<Args> {
  readonly layer: TapableLayer<SyncHook<unknown[]>>
  readonly #logger: ToolLogger

  constructor(name: string, { args, logger }: { args: readonly string[]; logger: ToolLogger }) {
    this.layer = new TapableLayer(name, new SyncHook<unknown[]>([...args] as never, name))
    this.#logger = logger
  }

  get active(): boolean {
    return this.layer.active
  }

  tap(options: string | Omit<TapOptions, 'timeoutMs'>, fn: (...args: Args) => unknown): Disposer {
    return this.layer.add(options, {
      fn,
      timeout: false,
      insert: (read) => {
        const tapable = {
          name: read.name,
          ...(read.stage === undefined ? {} : { stage: read.stage }),
          ...(read.before === undefined ? {} : { before: read.before as string }),
        }
        this.layer.hook.tap(tapable, (...given: unknown[]) => {
          this.#observe(read.name, () => fn(...(given as unknown as Args)))
        })
      },
    })
  }

  intercept(interceptor: HookInterceptor): Disposer {
    return this.layer.intercept(interceptor)
  }

  emit(...args: Args): void {
    try {
      this.layer.hook.call(...args)
    } catch (error) {
      this.#report('(interceptor)', error)
    }
  }

  #observe(tap: string, run: () => unknown): void {
    try {
      const outcome = run()
      if (isThenable(outcome)) outcome.then(undefined, (error: unknown) => this.#report(tap, error))
    } catch (error) {
      this.#report(tap, error)
    }
  }

  #report(tap: string, error: unknown): void {
    try {
      this.#logger.warn(`${this.layer.name}: observer "${tap}" failed`, { hook: this.layer.name, tap, error })
    } catch {
      // A logger that throws must not reach a call.
    }
  }
}
