/**
 * Matching with a pattern that a model wrote: a catastrophic one must not block the loop (S-6), so it runs with a deadline.
 */
import { createContext, Script } from 'node:vm'
import { ShellError } from '../../definition/errors.ts'

const MATCH_MS = 40
/** How often a pattern is tried again when it was the machine that took the time. */
const TRIES = 5
const context = createContext(Object.create(null) as Record<string, unknown>, { codeGeneration: { strings: false, wasm: false } })
const script = new Script('new RegExp(source, flags).test(text)')

export function matchesWithin(pattern: RegExp | string, text: string): boolean {
  if (typeof pattern === 'string') return text.includes(pattern)
  Object.assign(context, { source: pattern.source, flags: pattern.flags.replace(/[gy]/g, ''), text })
  try {
    for (let tries = 1; ; tries += 1) {
      const outcome = attempt()
      if (outcome.kind === 'told') return outcome.matched
      if (outcome.kind === 'slow' || tries === TRIES) throw slow(pattern, outcome.error)
    }
  } finally {
    context['text'] = ''
  }
}

type Attempt = { kind: 'told'; matched: boolean } | { kind: 'slow' | 'starved'; error: unknown }

/** The deadline runs by the wall: on a busy machine a harmless pattern may miss it without having had the processor. */
function attempt(): Attempt {
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
