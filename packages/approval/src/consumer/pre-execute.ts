/**
 * The policy as a tap on `tools/pre-execute`, named `toolseam/approval`. The decision carries the deciding rule as `by`.
 */
import { errorCode, type PreToolDecision, type ToolExecution, type ToolRuntime } from '@toolseam/core-tools'
import type { RulePolicy } from '../definition/policy.ts'
import { messageOf } from './consult.ts'
import { POLICY_TAP } from './parts.ts'
import { policyCallOf } from './subject.ts'

export function policyTap(
  runtime: ToolRuntime,
  policy: RulePolicy,
): (decision: PreToolDecision, execution: ToolExecution) => Promise<PreToolDecision> {
  let checked = false
  return async (decision, execution) => {
    // Nothing lifts a deny, so there is nothing to judge.
    if (decision.kind === 'deny') return decision
    if (!checked) {
      const problem = await registryProblem(runtime, policy)
      if (problem !== undefined) return problem
      checked = true
    }
    const agents = [...runtime.view(execution.agent).agents]
    const view = await runtime.describe(execution)
    return policy.decide(policyCallOf({ ...execution, tool: execution.name, args: execution.arguments, agents, view }))
  }
}

/**
 * By the first call the registry is complete: a rule that names no tool guards nothing, and a policy that fails its own tests is not the one
 * that was meant. Nothing runs under it.
 */
async function registryProblem(runtime: ToolRuntime, policy: RulePolicy): Promise<PreToolDecision | undefined> {
  try {
    policy.checkTools(runtime.view().names)
    await policy.runTests()
    return undefined
  } catch (error) {
    if (errorCode(error) !== 'POLICY_INVALID') throw error
    return { kind: 'deny', by: POLICY_TAP, code: 'POLICY_INVALID', reason: `the policy does not fit this runtime: ${messageOf(error)}` }
  }
}
