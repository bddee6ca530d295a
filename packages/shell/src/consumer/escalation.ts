/**
 * The model may tighten the sandbox freely; wanting out is put to a human, never ignored (S-51).
 */
import type { Disposer, PreToolDecision, ToolExecution, ToolRuntime } from '@toolseam/core-tools'
import { loosens, type NetworkMode, type SandboxMode } from '../definition/sandbox.ts'

/** Reason of the ask, as people read it. */
export const LEAVE_SANDBOX = 'wants to leave the sandbox'

export function tapEscalation(runtime: ToolRuntime, configured: { sandbox: SandboxMode; network: NetworkMode }): Disposer {
  return runtime.hooks.preExecute.tap('shell-sandbox', (decision, execution) => judge(decision, { execution, configured }))
}

function judge(
  decision: PreToolDecision,
  { execution, configured }: { execution: ToolExecution; configured: { sandbox: SandboxMode; network: NetworkMode } },
): PreToolDecision {
  if (execution.name !== 'bash') return decision
  return loosens(configured, asked(execution.arguments)) ? { kind: 'ask', by: 'shell-sandbox', reason: LEAVE_SANDBOX } : decision
}

function asked(args: ToolExecution['arguments']): { sandbox?: SandboxMode; network?: NetworkMode } {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return {}
  const { sandbox, network } = args
  return {
    ...(sandbox === 'off' || sandbox === 'read-only' || sandbox === 'workspace-write' ? { sandbox } : {}),
    ...(network === 'none' || network === 'full' ? { network } : {}),
  }
}
