/**
 * What our facades share over a Tapable hook: adding with checked options, exact removal, interceptors. Tapable itself
 * cannot un-tap; the lists are replaced, never edited, so that a chain already running finishes as it began.
 */
import { createDisposer, type Disposer } from '../contracts/disposer.ts'
import type { HookInterceptor, TapOptions } from '../contracts/hooks.ts'
import { readTapOptions, refuse, type ReadTapOptions } from './tap-options.ts'

interface TapEntry {
  name: string
}

/** The part of a Tapable hook that is touched here. */
export interface TapableHook {
  taps: TapEntry[]
  interceptors: object[]
  intercept(interceptor: object): void
}

export class TapableLayer<Hook extends TapableHook> {
  readonly name: string
  readonly hook: Hook

  constructor(name: string, hook: Hook) {
    this.name = name
    this.hook = hook
  }

  /** True where a call of the hook would do anything at all. */
  get active(): boolean {
    return this.hook.taps.length > 0 || this.hook.interceptors.length > 0
  }

  /** `insert` hands the read options to one of Tapable's own tap methods. */
  add(
    options: string | TapOptions,
    { fn, timeout, insert }: { fn: unknown; timeout: boolean; insert(read: ReadTapOptions): void },
  ): Disposer {
    const read = readTapOptions(this.name, options, { known: this.hook.taps.map((tap) => tap.name), timeout })
    if (typeof fn !== 'function') throw refuse(this.name, `tap "${read.name}" needs a function`)
    const before = this.hook.taps
    this.hook.taps = [...before]
    insert(read)
    const added = this.hook.taps.find((tap) => !before.includes(tap))
    return createDisposer(() => {
      this.hook.taps = this.hook.taps.filter((tap) => tap !== added)
      recompile(this.hook)
    })
  }

  intercept(interceptor: HookInterceptor): Disposer {
    if (typeof interceptor !== 'object' || interceptor === null) throw refuse(this.name, 'an interceptor must be an object')
    this.hook.taps = [...this.hook.taps]
    const own = { ...interceptor }
    const before = this.hook.interceptors
    this.hook.interceptors = [...before]
    this.hook.intercept(own)
    const added = this.hook.interceptors.find((entry) => !before.includes(entry))
    return createDisposer(() => {
      this.hook.interceptors = this.hook.interceptors.filter((entry) => entry !== added)
      recompile(this.hook)
    })
  }
}

/** Tapable compiles its chain on the first call after this. */
function recompile(hook: TapableHook & { _resetCompilation?: () => void }): void {
  hook._resetCompilation?.()
}
