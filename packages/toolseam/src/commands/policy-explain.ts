/** `toolseam policy explain TOOL JSON`: which rule decides this call, and why every other did not. Nothing runs, nothing is asked. */
import { Policy } from '@toolseam/approval'
import { type ToolRuntime, ToolSeamError } from '@toolseam/core-tools'
import { readArgument } from '../terminal/argument.ts'
import { nearest } from '../terminal/nearest.ts'
import { renderExplanation } from '../terminal/render-policy.ts'
import { type CommandContext, withRuntime } from './context.ts'

export interface ExplainOptions {
  tool: string
  /** JSON, `@FILE` or `-`; absent is `{}`. */
  argument?: string
}

export async function policyExplain(context: CommandContext, { tool, argument }: ExplainOptions): Promise<number> {
  const { streams, options } = context
  const args = parse(await readArgument(argument))
  return withRuntime(context, {
    async run(runtime) {
      await refuseNoCall(runtime, { tool, args })
      const explanation = await runtime.services.require(Policy).explain({ tool, arguments: args })
      await streams.out(options.json === true ? `${JSON.stringify(explanation)}\n` : renderExplanation(explanation, streams.outColors))
      return 0
    },
  })
}

/** A call that can only fail is never put to policy: there is nothing to explain. Throws `TOOLSEAM_USAGE`. */
async function refuseNoCall(runtime: ToolRuntime, { tool, args }: { tool: string; args: unknown }): Promise<void> {
  const { names } = runtime.view()
  if (!names.includes(tool))
    throw new ToolSeamError('TOOLSEAM_USAGE', `there is no tool ${JSON.stringify(tool)}${nearest.hint(tool, names)}`)
  const checked = await runtime.validate({ name: tool, arguments: args })
  if (checked.ok) return
  const issues = checked.issues.map(({ path, message }) => `${path === '' ? '/' : path}: ${message}`).join('; ')
  throw new ToolSeamError('TOOLSEAM_USAGE', `the arguments do not fit ${tool}, and the call would fail before policy: ${issues}`)
}

function parse(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new ToolSeamError('TOOLSEAM_USAGE', `the arguments are not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}
