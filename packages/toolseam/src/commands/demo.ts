/**
 * `toolseam demo`: the guided first run. Four real calls of the `bash` tool on this folder, each shown stage by stage as it happens:
 * one that runs, one that is denied, one that is rewritten, one that is aborted.
 */
import type { ToolPlugin, ToolRuntime } from '@toolseam/core-tools'
import { describeDecision, describeOutcome, inline, printable, renderContent } from '../terminal/render.ts'
import { type StageEvent, stageObserver } from '../terminal/stages.ts'
import type { Streams } from '../terminal/streams.ts'
import { type CommandContext, withRuntime } from './context.ts'
import { executeRecorded, jsonLine } from '../calls/recorded.ts'

interface Scene {
  title: string
  command: string
  /** Lines of output worth showing. */
  lines: number
  /** Aborts the call this long after its body started. */
  abortAfterMs?: number
}

const scenes: readonly Scene[] = [
  { title: 'a real call on this folder', command: 'ls -la', lines: 4 },
  { title: 'a call that policy denies', command: 'rm -rf ./build', lines: 0 },
  { title: 'a call that policy rewrites', command: 'echo deploy to production', lines: 1 },
  { title: 'a call that its caller aborts', command: 'sleep 1000', lines: 0, abortAfterMs: 200 },
]

const NARROW = 60
const WIDE = 100

export async function demo(context: CommandContext): Promise<number> {
  const { streams, options } = context
  const narrator = createNarrator(streams)
  const plugins = options.json === true ? [demoPolicy] : [demoPolicy, stageObserver((event) => narrator.tell(event))]
  return withRuntime(context, {
    plugins,
    async run(runtime, { signal }) {
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
    return await executeRecorded(runtime, { callId, name: 'bash', arguments: { command: scene.command }, signal: fused })
  } finally {
    started()
  }
}

/** Says what happens in the order it happens. The time is that since the call was made. */
function createNarrator({ out, outColors: colors, columns }: Streams) {
  const width = Math.max(NARROW, Math.min(WIDE, columns)) - 1
  let started = 0
  let shown = 0

  const line = (name: string, text: string): Promise<void> => {
    const time = `${(performance.now() - started).toFixed(1)} ms`.padStart(10)
    return out(`  ${colors.dim(time)}  ${name.padEnd(11)}${text}\n`)
  }

  return {
    opening: () => out(`${colors.bold('Every tool call takes one path')}: create > validate > authorize > dispatch > post > settle\n`),

    scene(number: number, { title, command, lines }: Scene): Promise<void> {
      shown = lines
      started = performance.now()
      return out(`${colors.bold(`${number} ${title}`)}  ${colors.cyan(`bash ${JSON.stringify({ command })}`)}\n`)
    },

    tell(event: StageEvent): void {
      const told = describeStage(event, colors)
      if (told !== undefined) void line(event.stage === 'decided' ? 'authorize' : event.stage, told)
    },

    async output(text: string): Promise<void> {
      const lines = text.trimEnd().split('\n')
      for (const each of lines.slice(0, shown)) await out(`  ${colors.dim('|')} ${inline(printable(each), width - 4)}\n`)
      if (shown > 0 && lines.length > shown) await out(`  ${colors.dim(`| ... ${lines.length - shown} more lines`)}\n`)
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
    case 'settled': {
      const how = event.record.bodyStarted ? '' : ', and the body never ran'
      return `${describeOutcome(event.result, colors)}${how}: one result, final and frozen`
    }
    case 'returned':
    case 'post':
    case 'progress':
      return undefined
    default:
      return event satisfies never
  }
}
