/**
 * The invariants of the pipeline, watched while it runs: an installable plugin for tests and canaries. It changes nothing
 * and reports what must never happen.
 */
import { EXECUTION_TOKEN, type ToolExecution, type ToolExecutionToken } from '../contracts/execution.ts'
import type { ToolCallRecord, ToolResult } from '../contracts/result.ts'
import type { ToolPlugin } from '../contracts/runtime.ts'

export type InvariantRule =
  | 'stage-order'
  | 'stage-twice'
  | 'second-result'
  | 'missing-result'
  | 'unfrozen'
  | 'body-after-denial'
  | 'parent-outside-root'
  | 'nested-outside-root'

export interface InvariantViolation {
  readonly rule: InvariantRule
  readonly callId: string
  readonly message: string
}

export interface InvariantOptions {
  report(violation: InvariantViolation): void
}

/** The checks alone, to be fed by hand. `toolInvariants` feeds them from the hooks. */
export interface InvariantChecker {
  preExecute(execution: ToolExecution): void
  dispatch(execution: ToolExecution): void
  postExecute(execution: ToolExecution, result: ToolResult): void
  result(execution: ToolExecution, result: ToolResult, record: ToolCallRecord): void
  /** Everything has been drained: what has no result now will never have one. */
  close(): void
}

type Stage = 'pre-execute' | 'execute' | 'post-execute' | 'result'
const ORDER: Record<Stage, number> = { 'pre-execute': 0, execute: 1, 'post-execute': 2, result: 3 }

interface Seen {
  readonly callId: string
  stage: Stage
}

export function createInvariantChecker({ report }: InvariantOptions): InvariantChecker {
  const open = new Map<ToolExecutionToken, Seen>()
  const settled = new WeakSet<ToolExecutionToken>()

  const enter = (execution: ToolExecution, stage: Stage): void => {
    const { token, callId } = execution
    const tell = (rule: InvariantRule, message: string): void => report({ rule, callId, message })
    checkFrozen(execution, { tell, what: 'the execution' })
    checkFrozen(execution.arguments, { tell, what: 'the arguments' })
    if (settled.has(token)) return tell('second-result', `${stage} after the result`)
    const seen = open.get(token)
    if (seen === undefined) {
      open.set(token, { callId, stage })
      checkParent(execution, tell)
      return
    }
    // A rewrite starts pre-execute anew, a retry the dispatch; everything else runs once and forward only.
    if (ORDER[stage] < ORDER[seen.stage]) tell('stage-order', `${stage} after ${seen.stage}`)
    else if (stage === seen.stage && stage === 'post-execute') tell('stage-twice', `${stage} ran twice`)
    seen.stage = stage
  }

  const checkParent = (execution: ToolExecution, tell: (rule: InvariantRule, message: string) => void): void => {
    const { parent, rootCallId } = execution
    if (parent === undefined) return
    const facts = parent[EXECUTION_TOKEN]
    if (facts.rootCallId !== rootCallId) tell('parent-outside-root', `root "${rootCallId}", but its parent's root is "${facts.rootCallId}"`)
    if (facts.settled) tell('nested-outside-root', `began after its parent "${facts.callId}" had settled`)
  }

  return {
    preExecute: (execution) => enter(execution, 'pre-execute'),
    dispatch: (execution) => enter(execution, 'execute'),
    postExecute(execution, result) {
      enter(execution, 'post-execute')
      checkFrozen(result, { tell: (rule, message) => report({ rule, callId: execution.callId, message }), what: 'the result' })
    },
    result(execution, result, record) {
      const { token, callId, parent } = execution
      const tell = (rule: InvariantRule, message: string): void => report({ rule, callId, message })
      enter(execution, 'result')
      checkFrozen(result, { tell, what: 'the result' })
      checkFrozen(record, { tell, what: 'the record' })
      if (record.decision?.kind === 'deny' && record.bodyStarted)
        tell('body-after-denial', `the body ran although ${record.decision.by} denied it`)
      if (parent !== undefined && parent[EXECUTION_TOKEN].settled && record.bodyStarted)
        tell('nested-outside-root', `its result came after its parent "${parent[EXECUTION_TOKEN].callId}" had settled`)
      open.delete(token)
      settled.add(token)
    },
    close() {
      for (const { callId, stage } of open.values()) report({ rule: 'missing-result', callId, message: `no result; last seen in ${stage}` })
      open.clear()
    },
  }
}

/** Watches every call of a runtime. Install it in tests; a report is a defect of the pipeline, not of a tool. */
export function toolInvariants(options: InvariantOptions): ToolPlugin {
  return {
    name: 'toolseam/invariants',
    apply({ hooks }) {
      const checker = createInvariantChecker(options)
      const first = Number.MIN_SAFE_INTEGER
      hooks.preExecute.tap({ name: 'toolseam/invariants', stage: first }, (decision, execution) => {
        checker.preExecute(execution)
        return decision
      })
      hooks.execute.tap({ name: 'toolseam/invariants', stage: first }, (dispatch, execution) => (dispatchOptions) => {
        checker.dispatch(execution)
        return dispatch(dispatchOptions)
      })
      hooks.postExecute.tap({ name: 'toolseam/invariants', stage: first }, (decision, execution, result) => {
        checker.postExecute(execution, result)
        return decision
      })
      hooks.result.tap({ name: 'toolseam/invariants', stage: first }, (execution, result, record) =>
        checker.result(execution, result, record),
      )
      return () => checker.close()
    },
  }
}

function checkFrozen(value: unknown, { tell, what }: { tell(rule: InvariantRule, message: string): void; what: string }): void {
  const path = unfrozenPath(value, '')
  if (path !== undefined) tell('unfrozen', `${what} can be changed${path === '' ? '' : ` at ${path}`}`)
}

/** Plain data only: tokens, signals and typed inputs are not ours to freeze. */
function unfrozenPath(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Object.isFrozen(value)) return path
  for (const [key, item] of Object.entries(value)) {
    if (key === 'input' || key === 'token' || key === 'parent' || key === 'signal') continue
    const found = unfrozenPath(item, `${path}/${key}`)
    if (found !== undefined) return found
  }
  return undefined
}
