/**
 * A runner whose bodies do what a test tells them: they wait until they are settled, and every call is on record.
 */
import type { BlockTerms, ToolDomainRunner } from '../definition/domain.ts'
import type { BlockContext, HaltOrder, StopScope, ToolRunCommand } from '../definition/vocabulary.ts'

export interface ScriptedBody<R> {
  readonly command: ToolRunCommand
  readonly context: BlockContext
  /** True until it is settled. */
  readonly running: boolean
  resolve(value: R): void
  reject(error: unknown): void
}

export interface ReleaseCall {
  readonly order: HaltOrder
  readonly scope: StopScope & { readonly drained: boolean }
}

export interface ScriptedRunner<R> extends ToolDomainRunner<R> {
  terms(command: ToolRunCommand): BlockTerms | undefined
  interrupt(order: HaltOrder, scope: StopScope): Promise<void>
  release(order: HaltOrder, scope: StopScope & { readonly drained: boolean }): Promise<void>
  /** Bodies in the order they were started. */
  readonly bodies: readonly ScriptedBody<R>[]
  /** The newest body of a command. Throws where it did not start. */
  body(commandId: string): ScriptedBody<R>
  readonly interrupts: readonly { order: HaltOrder; scope: StopScope }[]
  readonly releases: readonly ReleaseCall[]
  /** What a body does in place of waiting; keyed by command id. */
  readonly script: Map<string, (context: BlockContext) => Promise<R> | R>
  /** Terms of a block, by `dlineTid`. */
  readonly admitted: Map<string, BlockTerms>
  /** What interrupt and release do; replaced at will. */
  onInterrupt: (order: HaltOrder, scope: StopScope) => Promise<void> | void
  onRelease: (order: HaltOrder, scope: StopScope & { readonly drained: boolean }) => Promise<void> | void
}

export function scriptedRunner<R>(): ScriptedRunner<R> {
  const bodies: ScriptedBody<R>[] = []
  const interrupts: { order: HaltOrder; scope: StopScope }[] = []
  const releases: ReleaseCall[] = []
  const script = new Map<string, (context: BlockContext) => Promise<R> | R>()
  const admitted = new Map<string, BlockTerms>()

  function waitingBody(command: ToolRunCommand, context: BlockContext): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      let running = true
      bodies.push({
        command,
        context,
        get running() {
          return running
        },
        resolve(value) {
          running = false
          resolve(value)
        },
        reject(error) {
          running = false
          reject(error)
        },
      })
    })
  }

  const runner: ScriptedRunner<R> = {
    bodies,
    interrupts,
    releases,
    script,
    admitted,
    onInterrupt() {},
    onRelease() {},
    body(commandId) {
      const found = bodies.findLast((body) => body.command.commandId === commandId)
      if (found === undefined) throw new Error(`the body of '${commandId}' did not start`)
      return found
    },
    runBlock(command, context) {
      const scripted = script.get(command.commandId)
      return scripted === undefined ? waitingBody(command, context) : scripted(context)
    },
    terms: (command) => admitted.get(command.dlineTid),
    async interrupt(order, scope) {
      interrupts.push({ order, scope })
      await runner.onInterrupt(order, scope)
    },
    async release(order, scope) {
      releases.push({ order, scope })
      await runner.onRelease(order, scope)
    },
  }
  return runner
}
