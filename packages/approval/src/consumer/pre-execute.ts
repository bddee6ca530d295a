/**
 * The policy as a tap on `tools/pre-execute`, named `toolseam/approval`. The decision carries the deciding rule as `by`.
 */
import type { PreToolDecision, ToolExecution, ToolRuntime } from '@toolseam/core-tools'
import type { RulePolicy } from '../definition/policy.ts'
import { policyCallOf } from './subject.ts'

export function policyTap(
  runtime: ToolRuntime,
  policy: RulePolicy,
): (decision: PreToolDecision, execution: ToolExecution) => Promise<PreToolDecision> {
  return async (decision, execution) => {
    // Nothing lifts a deny, so there is nothing to judge.
    if (decision.kind === 'deny') return decision
    const agents = [...runtime.view(execution.agent).agents]
    const view = await runtime.describe(execution)
    return policy.decide(policyCallOf({ ...execution, tool: execution.name, args: execution.arguments, agents, view }))
  }
}
