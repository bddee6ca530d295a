/** The words of the command line: verbs and their options. Each verb is one file in commands/; this one only knows how they are called. */
import { readFileSync } from 'node:fs'
import { POLICY_PRESETS } from '@toolseam/approval'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { approveModes } from './calls/answerers.ts'
import { changes } from './commands/changes.ts'
import type { CommandContext, CommonOptions } from './commands/context.ts'
import { demo } from './commands/demo.ts'
import { exec, type ExecOptions } from './commands/exec.ts'
import { log, type LogOptions } from './commands/log.ts'
import { policyCheck } from './commands/policy-check.ts'
import { policyExplain } from './commands/policy-explain.ts'
import { importSources, policyImport } from './commands/policy-import.ts'
import { policyTrust } from './commands/policy-trust.ts'
import { run as runProgram, type RunOptions } from './commands/run.ts'
import { tools } from './commands/tools.ts'
import { revertModes, turn, turnModes, type TurnOptions } from './commands/turn.ts'
import { undo, type UndoOptions } from './commands/undo.ts'
import { given, sandboxModes, toolModes } from './options.ts'
import { nearest } from './terminal/nearest.ts'
import type { Streams } from './terminal/streams.ts'

export interface Run {
  status: number
  streams: Streams
}

export function toolseamProgram(run: Run): Command {
  const program = commonOptions(new Command('toolseam'))
  const verb = declaring(run, program)
  callVerbs(verb)
  policyVerbs(verb, program)
  changeVerbs(verb)
  return program
}

function commonOptions(program: Command): Command {
  return program
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
}

/** `action` gets the common options and its command, whose `args` and `opts()` are its own. */
type Action = (context: CommandContext, command: Command) => Promise<number>
type Declare = (name: string, description: string, action: Action, parent?: Command) => Command

function declaring(run: Run, program: Command): Declare {
  return (name, description, action, parent = program) => {
    const command = parent.command(name).description(description)
    return command.action(async () => {
      const options: CommonOptions = program.opts()
      run.status = await action({ streams: run.streams, options }, command)
    })
  }
}

function callVerbs(verb: Declare): void {
  verb('demo', 'the guided first run: real calls on this folder, stage by stage', (context) => demo(context))

  verb('tools', 'the tools as the model sees them', (context, command) => tools(context, command.opts())).addOption(modeOption())

  const execVerb = verb('exec', 'one call through the pipeline; the result on standard output', (context, command) => {
    const [tool = '', argument] = command.args
    const { trace, approve } = command.opts<Pick<ExecOptions, 'trace' | 'approve'>>()
    return exec(context, { tool, ...given({ argument, trace, approve }) })
  })
  execVerb.argument('<tool>', 'name of the tool').argument('[arguments]', 'JSON, @FILE, or - for standard input (default: {})')
  callOptions(execVerb)

  const turnVerb = verb('turn', 'the calls of one model message, together; Ctrl-C is a bounded stop with a receipt', (context, command) => {
    const [source] = command.args
    return turn(context, { ...given({ source }), ...command.opts<TurnOptions>() })
  })
  turnVerb
    .argument('[file]', 'JSON array of {callId?, name, arguments}; - or nothing for standard input')
    .addOption(new Option('--mode <mode>', `how calls run beside each other: ${turnModes.join(', ')}`).argParser(word(turnModes)))
    .addOption(new Option('--revert <what>', `what a stop undoes: ${revertModes.join(', ')}`).argParser(word(revertModes)))
  callOptions(turnVerb)

  const runVerb = verb('run', 'a program through run_code; each of its calls is guarded', (context, command) => {
    const [source] = command.args
    return runProgram(context, { ...given({ source }), ...command.opts<RunOptions>() })
  })
  runVerb
    .argument('[file]', 'the program, TypeScript or JavaScript; - or nothing for standard input')
    .addOption(modeOption())
    .addOption(new Option('--limits <json>', 'limits of the run, as in {"busyMs":1000}'))
  callOptions(runVerb)
}

function policyVerbs(verb: Declare, program: Command): void {
  const policy = program.command('policy').description('the rules that calls meet: checked, explained, trusted, imported')
  verb('check', 'the policy files, with every problem, and their tests', (context) => policyCheck(context), policy)
  verb(
    'explain',
    'which rule decides this call, and why; nothing runs',
    (context, command) => {
      const [tool = '', argument] = command.args
      return policyExplain(context, { tool, ...given({ argument }) })
    },
    policy,
  )
    .argument('<tool>', 'name of the tool')
    .argument('[arguments]', 'JSON, @FILE, or - for standard input (default: {})')
  verb(
    'trust',
    "the project's policy file comes into force, as it is now",
    (context, command) => policyTrust(context, command.opts()),
    policy,
  ).option('--remove', 'take the trust back')
  verb(
    'import',
    'permissions of another product as a policy file',
    (context, command) => policyImport(context, { file: command.args[1] ?? '-' }),
    policy,
  )
    .addArgument(new Argument('<product>', importSources.join(', ')).argParser(word(importSources)))
    .argument('<file>', 'its settings; - for standard input')
}

function changeVerbs(verb: Declare): void {
  verb('changes', 'what the tools changed', (context, command) => {
    const [tag] = command.args
    return changes(context, given({ tag }))
  }).argument('[tag]', 'only of this turn or call, with the changed lines')

  verb('undo', 'takes back what was changed under a tag; your own edits stay', (context, command) => {
    const [tag] = command.args
    return undo(context, { ...given({ tag }), ...command.opts<UndoOptions>() })
  })
    .argument('[tag]', 'a turn or a call; without it, what there is')
    .option('--dry-run', 'say what would be done')
    .option('--strict', 'one conflict, and nothing is done')

  verb('log', 'what the journals recorded, and which calls have no known end', (context, command) => {
    const [id] = command.args
    return log(context, { ...given({ id }), ...command.opts<LogOptions>() })
  })
    .argument('[id]', 'of a call or a turn: told in full')
    .option('--follow', 'go on with what comes')
}

/** What every verb that makes calls takes. */
function callOptions(command: Command): void {
  command
    .option('--trace', 'show each stage on standard error')
    .addOption(new Option('--approve <answer>', `answers an ask beforehand: ${approveModes.join(', ')}`).argParser(word(approveModes)))
    .addHelpText('after', exitHelp)
}

function modeOption(): Option {
  return new Option('--mode <mode>', `presentation: ${toolModes.join(', ')}`).argParser(word(toolModes))
}

const exitHelp = '\nExit status: 0 result, 1 the tool failed, 2 wrong usage or configuration, 3 denied or not approved, 130 interrupted'

function word<T extends string>(allowed: readonly T[]): (value: string) => T {
  return (value) => {
    const found = allowed.find((candidate) => candidate === value)
    if (found !== undefined) return found
    throw new InvalidArgumentError(`It is one of ${allowed.join(', ')}${nearest.hint(value, allowed)}.`)
  }
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}
