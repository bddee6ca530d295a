/**
 * Matching with a pattern that a model wrote: a catastrophic one must not block the loop (S-6), so it runs with a deadline.
 */
import { createContext, Script } from 'node:vm'
import { ShellError } from '../../definition/errors.ts'

const MATCH_MS = 40
/** How often a pattern is tried again when it was the machine that took the time. */
const TRIES = 5

interface Bench {
  readonly context: Record<string, unknown>
  readonly script: Script
}

/** Made with the first pattern: a context costs milliseconds, and most hosts never need one. */
let made: Bench | undefined
function bench(): Bench {
  made ??= {
    context: createContext(Object.create(null) as Record<string, unknown>, { codeGeneration: { strings: false, wasm: false } }),
    script: new Script('new RegExp(source, flags).test(text)'),
  }
  return made
}

export function matchesWithin(pattern: RegExp | string, text: string): boolean {
  if (typeof pattern === 'string') return text.includes(pattern)
  const { context, script } = bench()
  Object.assign(context, { source: pattern.source, flags: pattern.flags.replace(/[gy]/g, ''), text })
  try {
    for (let tries = 1; ; tries += 1) {
      const outcome = attempt({ context, script })
      if (outcome.kind === 'told') return outcome.matched
      if (outcome.kind === 'slow' || tries === TRIES) throw slow(pattern, outcome.error)
    }
  } finally {
    context['text'] = ''
  }
}

type Attempt = { kind: 'told'; matched: boolean } | { kind: 'slow' | 'starved'; error: unknown }

/** The deadline runs by the wall: on a busy machine a harmless pattern may miss it without having had the processor. */
function attempt({ context, script }: Bench): Attempt {
  const before = process.cpuUsage()
  try {
    return { kind: 'told', matched: script.runInContext(context, { timeout: MATCH_MS }) === true }
  } catch (error) {
    const { user, system } = process.cpuUsage(before)
    return { kind: (user + system) / 1000 < MATCH_MS / 2 ? 'starved' : 'slow', error }
  }
}

function slow(pattern: RegExp, error: unknown): ShellError {
  return new ShellError('SHELL_BAD_REQUEST', { field: 'until', reason: 'slow-pattern', pattern: pattern.source.slice(0, 200) }, error)
}
