/**
 * Calls whose effects the journal does not see: commands. Each that may have changed something is noted under its tag, so that a revert
 * can name it (F-64). An observer: it changes and delays nothing.
 */
import type { CallView, Disposer, ToolExecution, ToolHooks } from '@toolseam/core-tools'
import type { UncoveredNote } from '../../journal/records.ts'

export interface UncoveredTapOptions {
  /** Of the runtime. */
  hooks: Pick<ToolHooks, 'result'>
  /** Of the runtime: facts of the call, with the verdict on its command. */
  describe(execution: ToolExecution): Promise<CallView>
  note(note: UncoveredNote): Promise<void>
  /** Default `bash`. */
  tools?: readonly string[]
  diagnose?(message: string, details: { [fact: string]: string }): void
}

export interface UncoveredTap {
  readonly dispose: Disposer
  /** What is being noted is written. */
  settled(): Promise<void>
}

export function createUncoveredTap({ hooks, describe, note, tools = ['bash'], diagnose }: UncoveredTapOptions): UncoveredTap {
  const working = new Set<Promise<void>>()
  const dispose = hooks.result.tap('fs-uncovered', (execution, _result, record) => {
    if (!tools.includes(execution.name) || !record.bodyStarted) return
    const work = noteCall(execution, { describe, note })
      .catch((error: unknown) => diagnose?.('a command could not be noted in the change journal', { error: String(error) }))
      .finally(() => working.delete(work))
    working.add(work)
  })
  return {
    dispose,
    async settled() {
      await Promise.all(working)
    },
  }
}

async function noteCall(execution: ToolExecution, { describe, note }: Pick<UncoveredTapOptions, 'describe' | 'note'>): Promise<void> {
  const view = await describe(execution).catch(() => undefined)
  if (view?.effects?.verdict === 'read-only') return
  const { name, callId, rootCallId, turnId } = execution
  const text = view?.command === undefined ? name : `${name}: ${view.command.slice(0, 500)}`
  await note({ tag: turnId ?? rootCallId, ...(turnId === undefined ? {} : { turnId }), rootCallId, callId, text })
}
