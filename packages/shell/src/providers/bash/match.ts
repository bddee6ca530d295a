/**
 * Matching with a pattern that a model wrote: a catastrophic one must not block the loop (S-6), so it runs with a deadline.
 */
import { createContext, Script } from 'node:vm'
import { ShellError } from '../../definition/errors.ts'

const MATCH_MS = 40
const context = createContext(Object.create(null) as Record<string, unknown>, { codeGeneration: { strings: false, wasm: false } })
const script = new Script('new RegExp(source, flags).test(text)')

export function matchesWithin(pattern: RegExp | string, text: string): boolean {
  if (typeof pattern === 'string') return text.includes(pattern)
  Object.assign(context, { source: pattern.source, flags: pattern.flags.replace(/[gy]/g, ''), text })
  try {
    return script.runInContext(context, { timeout: MATCH_MS }) === true
  } catch (error) {
    throw new ShellError('SHELL_BAD_REQUEST', { field: 'until', reason: 'slow-pattern', pattern: pattern.source.slice(0, 200) }, error)
  } finally {
    context['text'] = ''
  }
}
