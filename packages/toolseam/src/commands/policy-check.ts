/** `toolseam policy check`: the policy files with every problem at once, and their examples and tests. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isPolicyError, loadPolicy, type PolicyProblem, policyRuntime, type PolicySource } from '@toolseam/approval'
import type { ToolRuntime } from '@toolseam/core-tools'
import { given } from '../options.ts'
import { Exit } from '../terminal/exit.ts'
import { renderLayers, renderProblems } from '../terminal/render-policy.ts'
import { type CommandContext, configOf, rootOf, withRuntime } from './context.ts'

/** The tools are needed, the policy is not: one that does not load must not keep its own check from running. */
const NO_RULES: PolicySource = { managed: { version: 1 }, user: { version: 1 }, project: { version: 1 }, session: { version: 1 } }

export async function policyCheck(context: CommandContext): Promise<number> {
  const { streams, options } = context
  return withRuntime(context, {
    overrides: { policy: NO_RULES },
    async run(runtime) {
      const { problems, summary, notices } = await check(context, runtime)
      const ok = problems.length === 0
      for (const notice of notices) await streams.err(`toolseam: ${notice}\n`)
      if (options.json === true) await streams.out(`${JSON.stringify({ ok, problems })}\n`)
      else if (ok) await streams.out(summary)
      else await streams.err(renderProblems(problems))
      return ok ? Exit.ok : Exit.usage
    },
  })
}

interface Checked {
  problems: readonly PolicyProblem[]
  summary: string
  notices: readonly string[]
}

/** A project file is checked whole, whether it is trusted or not: somebody wants to know before they trust it. */
async function check({ options }: CommandContext, runtime: ToolRuntime): Promise<Checked> {
  const root = rootOf(options)
  const config = configOf(options)
  const settings = { root, runtime: policyRuntime(runtime), ...given({ preset: options.preset ?? config?.preset }) }
  const found = join(root, 'toolseam.policy.json')
  const asTrusted = existsSync(found) ? { project: found } : {}
  const problems: PolicyProblem[] = []
  const whole = await collecting(problems, () => loadPolicy({ ...config?.policy, ...asTrusted }, settings))
  if (whole === undefined) return { problems, summary: '', notices: [] }
  await collecting(problems, async () => whole.checkTools(runtime.view().names))
  const tests = await collecting(problems, () => whole.runTests())
  const { layers, preset, notices } = await loadPolicy(config?.policy, settings)
  return { problems, summary: renderLayers(layers, { preset, passed: tests?.passed ?? 0 }), notices }
}

/** What the step gives; undefined where it found problems, which are kept. */
async function collecting<T>(problems: PolicyProblem[], step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step()
  } catch (error) {
    if (!isPolicyError(error)) throw error
    problems.push(...error.details.problems)
    return undefined
  }
}
