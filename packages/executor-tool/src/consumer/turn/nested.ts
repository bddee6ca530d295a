/**
 * Nested calls under the domain: each body is a command of a child domain of its parent's block, so that a stop of the block reaches it (E-35).
 */
import {
  deniedSurface,
  type Dispatched,
  type DispatchOptions,
  type GivenUp,
  type PreparedDispatch,
  type ToolDomainSurface,
  type ToolExecution,
  type ToolResult,
} from '@toolseam/core-tools'
import { createAdmissions } from '../../admission/admissions.ts'
import { createToolDomainRunner } from '../../admission/runner.ts'
import type { AdmissionStore } from '../../definition/admissions.ts'
import type { ToolExecutionDomain } from '../../definition/domain.ts'
import type { ToolDomainEvent } from '../../definition/events.ts'
import { stopOf } from '../../definition/block-stop.ts'
import type { BlockContext } from '../../definition/vocabulary.ts'

/** What a body gets of its block: signal, surface, the way to keep the block alive, and its nested calls. */
export type BlockDispatch = Required<Pick<DispatchOptions, 'signal' | 'surface' | 'outlived' | 'call'>>

export interface NestingParts {
  readonly surfaceOf: (execution: ToolExecution) => ToolDomainSurface
  /** Where the progress of a call goes while its block runs. */
  readonly watch: (execution: ToolExecution, context: BlockContext) => () => void
}

interface NestedDomain {
  readonly domain: ToolExecutionDomain<ToolResult>
  readonly admissions: AdmissionStore<ToolResult>
  /** By command id; settled by the ids an event names (E-42). */
  readonly waiters: Map<string, (answer: Dispatched | GivenUp) => void>
  readonly dispatched: Map<string, Dispatched>
}

/** The processes and changes of nested calls are the turn's own: its stop releases them. */
const nothingOwned = { revertDiff: async (): Promise<void> => {}, cancelCommand: async (): Promise<void> => {} }

export interface BlockOfCall {
  readonly domain: ToolExecutionDomain<ToolResult>
  readonly context: BlockContext
  readonly execution: ToolExecution
  /** The block of the outermost call; detached bodies hold it, so that no parent waits for one of its children to settle. */
  readonly root: BlockContext
}

export function dispatchOptionsOf(parts: NestingParts, { domain, context, execution, root }: BlockOfCall): BlockDispatch {
  let nested: NestedDomain | undefined
  return {
    signal: stopOf(context),
    surface: context.surface,
    outlived: (work) => root.outlived(work),
    call(prepared, dispatch) {
      try {
        nested ??= openNested(domain, context, parts.surfaceOf(execution))
      } catch {
        return Promise.resolve(givenUp('TOOL_ABORTED_BEFORE_DISPATCH', 'halted'))
      }
      return runNested(parts, nested, { prepared, dispatch, root })
    },
  }
}

function openNested(domain: ToolExecutionDomain<ToolResult>, context: BlockContext, surface: ToolDomainSurface): NestedDomain {
  const admissions = createAdmissions<ToolResult>()
  const child = domain.openChild<ToolResult>({ surface, runner: createToolDomainRunner({ resources: nothingOwned, admissions }) })
  const nested: NestedDomain = { domain: child, admissions, waiters: new Map(), dispatched: new Map() }
  child.subscribe((event) => answer(nested, event))
  context.scope.defer(() => child.dispose())
  return nested
}

interface NestedCall {
  readonly prepared: PreparedDispatch
  readonly dispatch: (options?: DispatchOptions) => Promise<Dispatched>
  readonly root: BlockContext
}

function runNested(parts: NestingParts, nested: NestedDomain, { prepared, dispatch, root }: NestedCall): Promise<Dispatched | GivenUp> {
  const { execution } = prepared
  const { callId, turnId } = execution
  const commandId = `${callId}/1`
  nested.admissions.put(callId, {
    callId,
    ...(turnId === undefined ? {} : { turnId }),
    async run(context) {
      const unwatch = parts.watch(execution, context)
      try {
        const dispatched = await dispatch(dispatchOptionsOf(parts, { domain: nested.domain, context, execution, root }))
        nested.dispatched.set(commandId, dispatched)
        return dispatched.result
      } finally {
        unwatch()
      }
    },
  })
  return new Promise((resolve) => {
    nested.waiters.set(commandId, resolve)
    nested.domain.handle({ commandId, dlineTid: callId, ...(turnId === undefined ? {} : { turnId }) })
  })
}

function answer(nested: NestedDomain, event: ToolDomainEvent<ToolResult>): void {
  switch (event.kind) {
    case 'tool.block_result':
    case 'tool.block_failed':
      settle(nested, event.commandId, nested.dispatched.get(event.commandId) ?? givenUp('TOOL_ABORTED', failureReason(event)))
      return
    case 'tool.rejected':
      settle(nested, event.commandId, givenUp('TOOL_ABORTED_BEFORE_DISPATCH', event.reason))
      return
    case 'tool.halted':
      for (const { commandId } of event.discarded) settle(nested, commandId, givenUp('TOOL_ABORTED', event.reason))
      return
    case 'tool.halt_failed':
      for (const { commandId } of [...event.discarded, ...event.abandoned]) settle(nested, commandId, givenUp('TOOL_ABORTED', event.reason))
      return
    default:
      event satisfies never
  }
}

function failureReason(event: ToolDomainEvent<ToolResult>): string {
  return event.kind === 'tool.block_failed' ? event.failure.code : 'no result'
}

function settle(nested: NestedDomain, commandId: string, outcome: Dispatched | GivenUp): void {
  const waiter = nested.waiters.get(commandId)
  nested.waiters.delete(commandId)
  nested.dispatched.delete(commandId)
  nested.admissions.discard(commandId.slice(0, -2))
  waiter?.(outcome)
}

function givenUp(code: GivenUp['aborted']['code'], reason: string): GivenUp {
  return { aborted: { code, reason } }
}

/** A program has no user of its own. */
export function deniedNested(execution: ToolExecution): ToolDomainSurface {
  return deniedSurface(execution.name === 'run_code' ? 'code_mode' : 'nested_call')
}
