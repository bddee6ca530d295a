/**
 * The command line: verbs, options and what is said about wrong ones. Each verb is one file in commands/; this one only knows their words.
 */
import { readFileSync } from 'node:fs'
import { POLICY_PRESETS } from '@toolseam/approval'
import { errorCode } from '@toolseam/core-tools'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { type CommandContext, type CommonOptions } from './commands/context.ts'
import { demo } from './commands/demo.ts'
import { approveModes, exec, type ExecOptions } from './commands/exec.ts'
import { tools } from './commands/tools.ts'
import { given, sandboxModes, toolModes } from './options.ts'
import { Exit } from './terminal/exit.ts'
import { nearest } from './terminal/nearest.ts'
import { standardStreams, type Streams } from './terminal/streams.ts'

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

interface Run {
  status: number
  streams: Streams
}

function toolseamProgram(run: Run): Command {
  const program = new Command('toolseam')
    .description('The guarded tool runtime for TypeScript agents: every tool call takes one path, through policy.')
    .version(version(), '-V, --version')
    .addOption(new Option('--root <dir>', 'the folder the tools work in (default: the current folder)'))
    .addOption(new Option('--config <file>', 'a configuration file (JSON): plugins, preset, mode, sandbox, policy'))
    .addOption(
      new Option('--preset <name>', `the set of rules that a call meets: ${POLICY_PRESETS.join(', ')}`).argParser(word(POLICY_PRESETS)),
    )
    .addOption(new Option('--sandbox <mode>', `confinement of commands: ${sandboxModes.join(', ')}`).argParser(word(sandboxModes)))
    .addOption(new Option('--json', 'the result as JSON, one line'))
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .showHelpAfterError('(--help tells more)')
    .helpCommand(false)

  /** `action` gets the positional arguments and the options of its own verb. */
  const verb = (name: string, description: string, action: (context: CommandContext, command: Command) => Promise<number>): Command => {
    const command = program.command(name).description(description)
    return command.action(async () => {
      const options: CommonOptions = program.opts()
      run.status = await action({ streams: run.streams, options }, command)
    })
  }

  verb('demo', 'the guided first run: real calls on this folder, stage by stage', (context) => demo(context))

  verb('tools', 'the tools as the model sees them', (context, command) => tools(context, command.opts())).addOption(
    new Option('--mode <mode>', `presentation: ${toolModes.join(', ')}`).argParser(word(toolModes)),
  )

  verb('exec', 'one call through the pipeline; the result on standard output', (context, command) => {
    const [tool = '', argument] = command.args
    const { trace, approve } = command.opts<Pick<ExecOptions, 'trace' | 'approve'>>()
    return exec(context, { tool, ...given({ argument, trace, approve }) })
  })
    .argument('<tool>', 'name of the tool')
    .argument('[arguments]', 'JSON, @FILE, or - for standard input (default: {})')
    .option('--trace', 'show each stage on standard error')
    .addOption(new Option('--approve <answer>', `answers an ask beforehand: ${approveModes.join(', ')}`).argParser(word(approveModes)))
    .addHelpText('after', exitHelp)

  return program
}

const exitHelp = '\nExit status: 0 result, 1 the tool failed, 2 wrong usage or configuration, 3 denied or not approved, 130 interrupted'

function word<T extends string>(allowed: readonly T[]): (value: string) => T {
  return (value) => {
    const found = allowed.find((candidate) => candidate === value)
    if (found !== undefined) return found
    throw new InvalidArgumentError(`It is one of ${allowed.join(', ')}${nearest.hint(value, allowed)}.`)
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

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}
