/**
 * `tools/execute` over Tapable's SyncWaterfallHook: taps wrap the dispatcher, the last one is outermost.
 */
import { SyncWaterfallHook } from 'tapable'
import type { Disposer } from '../contracts/disposer.ts'
import type { ToolExecution } from '../contracts/execution.ts'
import type { HookInterceptor, TapOptions, ToolDispatch, ToolWrap } from '../contracts/hooks.ts'
import { TapableLayer } from './tapable-layer.ts'
import type { TapFacts } from './waterfall.ts'

/** Checks what each tap returned and guards the dispatcher at its layer. Throws to stop building. */
export interface WrapRound {
  wrap(inner: ToolDispatch, facts: TapFacts, build: (inner: ToolDispatch) => unknown): ToolDispatch
}

export class WrapLayer implements ToolWrap<ToolDispatch, readonly [execution: ToolExecution]> {
  readonly layer: TapableLayer<SyncWaterfallHook<[ToolDispatch, ToolExecution, WrapRound]>>

  constructor(name: string) {
    this.layer = new TapableLayer(
      name,
      new SyncWaterfallHook<[ToolDispatch, ToolExecution, WrapRound]>(['dispatch', 'execution', 'round'], name),
    )
  }

  get active(): boolean {
    return this.layer.active
  }

  tap(options: string | Omit<TapOptions, 'timeoutMs'>, fn: (dispatch: ToolDispatch, execution: ToolExecution) => ToolDispatch): Disposer {
    return this.layer.add(options, {
      fn,
      timeout: false,
      insert: (read) => {
        const facts: TapFacts = { hook: this.layer.name, tap: read.name }
        const tapable = {
          name: read.name,
          ...(read.stage === undefined ? {} : { stage: read.stage }),
          ...(read.before === undefined ? {} : { before: read.before as string }),
        }
        this.layer.hook.tap(tapable, (dispatch, execution, round) => round.wrap(dispatch, facts, (inner) => fn(inner, execution)))
      },
    })
  }

  intercept(interceptor: HookInterceptor): Disposer {
    return this.layer.intercept(interceptor)
  }

  build(dispatch: ToolDispatch, execution: ToolExecution, round: WrapRound): ToolDispatch {
    return this.layer.hook.call(dispatch, execution, round)
  }
}
