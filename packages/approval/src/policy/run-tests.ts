/**
 * `examples` and `tests` of the policy files: a policy that does not do what its file says does not start.
 */
import type { PolicyProblem } from '../definition/policy-errors.ts'
import type { PolicyTestCall, RuleExample } from '../definition/policy-file.ts'
import type { PolicyCall, PolicyJudgement } from '../definition/policy.ts'
import { type Assembly, type CompiledLayer, toProblem } from './assemble.ts'
import { renderFailedExample, renderFailedTest } from './render-policy.ts'
import type { CompiledRule } from './rule.ts'

export interface TestRunner {
  judge(call: PolicyCall): Promise<PolicyJudgement>
  matches(rule: CompiledRule, call: PolicyCall): Promise<boolean>
  /** Whether the facts of a call of this tool can be had. */
  canDescribe(tool: string): boolean
}

export interface TestReport {
  passed: number
  /** Calls whose facts could not be had: no view given, and no such tool in a runtime. */
  skipped: number
  problems: PolicyProblem[]
}

/** What an untrusted layer says of itself is not tested: its allow rules are inert. */
export async function runTests(assembly: Assembly, runner: TestRunner): Promise<TestReport> {
  const report: TestReport = { passed: 0, skipped: 0, problems: [] }
  for (const layer of assembly.layers) {
    if (!layer.loaded.trusted) continue
    for (const rule of layer.rules) await runExamples(rule, { layer, runner, report })
    await runCalls({ layer, runner, report })
  }
  return report
}

interface Run {
  layer: CompiledLayer
  runner: TestRunner
  report: TestReport
}

async function runExamples(rule: CompiledRule, { layer, runner, report }: Run): Promise<void> {
  for (const wanted of ['match', 'notMatch'] as const) {
    for (const [index, example] of rule.examples[wanted].entries()) {
      const call = exampleCall(example, rule)
      if (call === undefined || !isRunnable(call, runner)) {
        report.skipped++
        continue
      }
      if ((await runner.matches(rule, call)) === (wanted === 'match')) report.passed++
      else fail({ layer, report }, `${rule.pointer}/examples/${wanted}/${index}`, renderFailedExample(rule.label, wanted))
    }
  }
}

async function runCalls({ layer, runner, report }: Run): Promise<void> {
  for (const [index, { call, decision }] of (layer.file.tests ?? []).entries()) {
    const policyCall = toCall(call)
    if (!isRunnable(policyCall, runner)) {
      report.skipped++
      continue
    }
    const judgement = await runner.judge(policyCall)
    if (judgement.decision === decision) report.passed++
    else fail({ layer, report }, `/tests/${index}`, renderFailedTest(decision, judgement))
  }
}

function fail({ layer, report }: Pick<Run, 'layer' | 'report'>, pointer: string, message: string): void {
  report.problems.push(toProblem({ code: 'POLICY_EXAMPLE_FAILED', pointer, message }, layer.label, layer.places))
}

function isRunnable(call: PolicyCall, runner: TestRunner): boolean {
  return call.view !== undefined || runner.canDescribe(call.tool)
}

/** A text is the command of a command rule, the path of a path rule. Undefined for other rules: they need a whole call. */
function exampleCall(example: RuleExample, rule: CompiledRule): PolicyCall | undefined {
  if (typeof example !== 'string') return toCall(example)
  const { tool } = rule
  const [named] = tool.kind === 'family' ? tool.tools : tool.kind === 'name' ? [tool.name] : []
  const name = named ?? (rule.command === undefined ? undefined : 'bash')
  if (name === undefined) return undefined
  if (name === 'bash') return { tool: name, arguments: { command: example } }
  if (name === 'write') return { tool: name, arguments: { path: example, content: '' } }
  if (['read', 'list', 'delete'].includes(name)) return { tool: name, arguments: { path: example } }
  return undefined
}

function toCall({ tool, arguments: args = {}, agent, caller, view }: PolicyTestCall): PolicyCall {
  return {
    tool,
    arguments: args,
    ...(agent === undefined ? {} : { agent }),
    ...(caller === undefined ? {} : { caller }),
    ...(view === undefined ? {} : { view }),
  }
}
