/** `toolseam policy import claude FILE`: foreign permissions as a policy file, on standard output; what was done to each rule, on standard error. */
import { importClaude } from '@toolseam/approval'
import { ToolSeamError } from '@toolseam/core-tools'
import { readSource } from '../terminal/argument.ts'
import { Exit } from '../terminal/exit.ts'
import { renderImport } from '../terminal/render-policy.ts'
import type { CommandContext } from './context.ts'

export const importSources: readonly ['claude'] = ['claude']

export async function policyImport({ streams, options }: CommandContext, { file }: { file: string }): Promise<number> {
  const report = importClaude(parse(await readSource(file), file))
  if (options.json === true) {
    await streams.out(`${JSON.stringify(report)}\n`)
    return report.ok ? Exit.ok : Exit.usage
  }
  await streams.err(renderImport(report, streams.errColors))
  // A policy that lacks a rule looks like one that does not need it: it is given out whole or not at all.
  if (report.ok) await streams.out(`${JSON.stringify(report.policy, null, 2)}\n`)
  return report.ok ? Exit.ok : Exit.usage
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new ToolSeamError('TOOLSEAM_USAGE', `${file} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
