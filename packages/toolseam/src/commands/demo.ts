/**
 * `toolseam demo`: the guided first run. Real calls of the `bash` tool on this folder, each shown stage by stage as it happens: one that runs,
 * one that is denied, one that is rewritten, one that is aborted; and the first one again where the model writes programs: refused as a direct
 * call, carried out from inside a program.
 */
import type { ToolPlugin, ToolRuntime } from '@toolseam/core-tools'
import { executeRecorded, jsonLine } from '../calls/recorded.ts'
import { describeDecision, describeOutcome, inline, printable, renderContent } from '../terminal/render.ts'
import { type StageEvent, stageObserver } from '../terminal/stages.ts'
import type { Streams } from '../terminal/streams.ts'
import { type CommandContext, withRuntime } from './context.ts'

interface Scene {
  title: string
  name: 'bash' | 'run_code'
  arguments: { command: string } | { code: string }
  /** Made by the agent of the tour that may only write programs. */
  programs?: true
  /** Stages that this scene is about; one that an earlier scene has shown is left out. */
  shows: readonly StageEvent['stage'][]
  /** Lines of output worth showing, from the end. */
  lines?: number
  /** Aborts the call this long after its body started. */
  abortAfterMs?: number
}

const LISTING = { command: 'ls -la' }

const scenes: readonly Scene[] = [
  { title: 'a real call on this folder', name: 'bash', arguments: LISTING, shows: ['decided', 'dispatch', 'settled'], lines: 1 },
  { title: 'a call that policy denies', name: 'bash', arguments: { command: 'rm -rf ./build' }, shows: ['decided', 'settled'] },
  {
    title: 'a call that policy rewrites',
    name: 'bash',
    arguments: { command: 'echo deploy to production' },
    shows: ['authorize', 'settled'],
    lines: 1,
  },
  {
    title: 'a call that its caller aborts',
    name: 'bash',
    arguments: { command: 'sleep 1000' },
    shows: ['dispatch', 'settled'],
    abortAfterMs: 200,
  },
  { title: 'call 1 where a model writes programs', name: 'bash', arguments: LISTING, programs: true, shows: ['decided', 'settled'] },
  {
    title: 'and from a program',
    name: 'run_code',
    arguments: { code: `(await tools.bash({ command: 'ls -la' })).output` },
    programs: true,
    shows: ['settled'],
    lines: 1,
  },
]

const AGENT = 'programs-only'
const NARROW = 60
const WIDE = 100

export async function demo(context: CommandContext): Promise<number> {
  const { streams, options } = context
  const narrator = createNarrator(streams)
  const plugins = options.json === true ? [demoPolicy] : [demoPolicy, stageObserver((event) => narrator.tell(event))]
  return withRuntime(context, {
    plugins,
    async run(runtime, { signal }) {
      runtime.scope(AGENT).present('code')
      if (options.json !== true) await narrator.opening()
      for (const [at, scene] of scenes.entries()) {
        if (signal.aborted) break
        if (options.json !== true) await narrator.scene(at + 1, scene)
        const call = await play(runtime, { callId: `demo-${at + 1}`, scene, signal })
        await (options.json === true
          ? streams.out(jsonLine(call))
          : narrator.output(call.result.isError ? '' : renderContent(call.result.content)))
      }
      if (options.json !== true && !signal.aborted) await narrator.closing()
      return 0
    },
  })
}

/** The policy of the tour, as a plugin of anybody would be: one tap that may deny and rewrite. */
const demoPolicy: ToolPlugin = {
  name: 'toolseam/demo-policy',
  apply({ hooks }) {
    return hooks.preExecute.tap('demo-policy', (decision, { arguments: args }) => {
      const { command } = args as { command?: unknown }
      if (typeof command !== 'string') return decision
      if (/\brm\b/.test(command)) return { kind: 'deny', by: 'demo:no-delete', reason: 'nothing is deleted on a tour' }
      if (command.includes('production')) {
        return { kind: 'allow', by: 'demo:staging', arguments: { command: command.replace('production', 'staging') } }
      }
      return decision
    })
  },
}

async function play(runtime: ToolRuntime, { callId, scene, signal }: { callId: string; scene: Scene; signal: AbortSignal }) {
  const caller = new AbortController()
  const started = runtime.hooks.execute.tap('toolseam/demo-abort', (dispatch, execution) => (options) => {
    if (execution.callId === callId && scene.abortAfterMs !== undefined) setTimeout(() => caller.abort(), scene.abortAfterMs).unref()
    return dispatch(options)
  })
  try {
    const fused = AbortSignal.any([signal, caller.signal])
    const agent = scene.programs === true ? { agent: AGENT } : {}
    return await executeRecorded(runtime, { callId, name: scene.name, arguments: scene.arguments, ...agent, signal: fused })
  } finally {
    started()
  }
}

/** Says what happens in the order it happens. The time is that since the call was made. */
function createNarrator({ out, outColors: colors, columns }: Streams) {
  const width = Math.max(NARROW, Math.min(WIDE, columns)) - 1
  let started = 0
  let scene: Scene | undefined

  const line = (name: string, text: string): Promise<void> => {
    const time = `${(performance.now() - started).toFixed(1)} ms`.padStart(10)
    return out(`  ${colors.dim(time)}  ${name.padEnd(11)}${text}\n`)
  }

  return {
    opening: () => out(`${colors.bold('Every tool call takes one path')}: create > validate > authorize > dispatch > post > settle\n`),

    scene(number: number, next: Scene): Promise<void> {
      scene = next
      started = performance.now()
      return out(`${colors.bold(`${number} ${next.title}`)}  ${colors.cyan(`${next.name} ${JSON.stringify(next.arguments)}`)}\n`)
    },

    tell(event: StageEvent): void {
      if (scene?.shows.includes(event.stage) !== true) return
      const told = describeStage(event, colors)
      if (told !== undefined) void line(event.stage === 'decided' ? 'authorize' : event.stage, told)
    },

    async output(text: string): Promise<void> {
      const { lines: wanted = 0 } = scene ?? {}
      const lines = text.trimEnd().split('\n')
      const shown = wanted === 0 ? [] : lines.slice(-wanted)
      const before = lines.length - shown.length
      const note = wanted > 0 && before > 0 ? `  (and ${before} more)` : ''
      for (const [at, each] of shown.entries()) {
        const more = at === 0 ? note : ''
        await out(`  ${colors.dim('|')} ${inline(printable(each), width - 4 - more.length)}${colors.dim(more)}\n`)
      }
    },

    closing: () => out(`${colors.bold('Next')}  toolseam tools · toolseam exec bash '{"command":"pwd"}' --trace · toolseam --help\n`),
  }
}

/** What a newcomer should learn of a stage; stages without news are passed over. */
function describeStage(event: StageEvent, colors: Streams['outColors']): string | undefined {
  switch (event.stage) {
    case 'authorize':
      return event.round === 1 ? undefined : `rewritten to ${colors.cyan(inline(event.execution.arguments))} and judged anew`
    case 'decided':
      return describeDecision(event.decision, colors)
    case 'dispatch':
      return 'the body runs, under a signal'
    case 'settled':
      return describeSettled(event, colors)
    case 'returned':
    case 'post':
    case 'progress':
      return undefined
    default:
      return event satisfies never
  }
}

function describeSettled({ execution, record, result }: Extract<StageEvent, { stage: 'settled' }>, colors: Streams['outColors']): string {
  const { decision, bodyStarted } = record
  if (execution.parent !== undefined) {
    const decided = decision === undefined ? '' : `${describeDecision(decision, colors)}, `
    return `its call of ${execution.name}: ${decided}${describeOutcome(result, colors)}`
  }
  const how = bodyStarted ? '' : decision === undefined ? ' before policy saw it' : ', and the body never ran'
  return `${describeOutcome(result, colors)}${how}: one result, final and frozen`
}
