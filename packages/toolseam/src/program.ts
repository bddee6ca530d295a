/** The command, run: verbs are found, carried out, and what went wrong before or around a call is said. */
import { errorCode } from '@toolseam/core-tools'
import { CommanderError } from 'commander'
import { Exit } from './terminal/exit.ts'
import { standardStreams, type Streams } from './terminal/streams.ts'
import { type Run, toolseamProgram } from './verbs.ts'

/** Runs the command; resolves to its exit status. Never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  const streams = standardStreams()
  const run: Run = { status: Exit.ok, streams }
  const program = toolseamProgram(run)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return run.status
  } catch (error) {
    return explain(error, streams)
  }
}

/** What went wrong before or around a call, said on standard error. */
async function explain(error: unknown, { err, errColors }: Streams): Promise<number> {
  // commander has said it already; help and version are no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? Exit.ok : Exit.usage
  const message = error instanceof Error ? error.message : String(error)
  if (errorCode(error)?.startsWith('TOOLSEAM_') === true) {
    await err(`toolseam: ${errColors.red('error:')} ${message}\n`)
    return Exit.usage
  }
  await err(`toolseam: ${errColors.red('unexpected error:')} ${error instanceof Error ? (error.stack ?? message) : message}\n`)
  return Exit.failed
}
