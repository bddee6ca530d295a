/** `toolseam policy trust`: the allow rules and the preset of the project's policy file come into force, as the file is now. */
import { distrustProject, isPolicyError, loadPolicy, trustProject } from '@toolseam/approval'
import { ToolSeamError } from '@toolseam/core-tools'
import { userConfigFolder } from '../config/folders.ts'
import { Exit } from '../terminal/exit.ts'
import { renderProblems } from '../terminal/render-policy.ts'
import { printable } from '../terminal/render.ts'
import type { Streams } from '../terminal/streams.ts'
import { type CommandContext, rootOf } from './context.ts'

export async function policyTrust({ streams, options }: CommandContext, { remove = false }: { remove?: boolean }): Promise<number> {
  if (await refusedInsideCall(streams, 'policy trust')) return Exit.denied
  const place = { root: rootOf(options), configDir: userConfigFolder() }
  if (remove) {
    await distrustProject(place)
    await streams.out(options.json === true ? `${JSON.stringify({ trusted: false })}\n` : 'the project file is not trusted any more\n')
    return Exit.ok
  }
  const faults = await faultsOf(place.root)
  if (faults !== undefined) {
    await streams.err(`${faults}toolseam: a policy file that is not valid is not trusted\n`)
    return Exit.usage
  }
  const trusted = await trustProject(place)
  if (trusted === undefined) throw new ToolSeamError('TOOLSEAM_USAGE', `there is no toolseam.policy.json in ${place.root}`)
  const words = `trusted as it is now: ${printable(trusted.file)}\n  ${trusted.hash}\n`
  await streams.out(options.json === true ? `${JSON.stringify({ trusted: true, ...trusted })}\n` : words)
  return Exit.ok
}

/** a command that a tool call started decides nothing on behalf of its user. */
async function refusedInsideCall({ err }: Streams, what: string): Promise<boolean> {
  if (process.env['TOOLSEAM_CALL'] === undefined) return false
  await err(`toolseam: ${what} is refused: it runs inside a tool call (TOOLSEAM_CALL is set), and only a person may decide\n`)
  return true
}

async function faultsOf(root: string): Promise<string | undefined> {
  try {
    await loadPolicy(undefined, { root })
    return undefined
  } catch (error) {
    if (isPolicyError(error)) return renderProblems(error.details.problems)
    throw error
  }
}
