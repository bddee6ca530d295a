/**
 * `classify`: what a command text would do, from the text alone. It saves prompts; it is no boundary, the sandbox is (section 8 of the rules).
 * Pure: no file, no process, no clock but the budget's.
 */
import type { CommandEffects } from '@toolseam/core-tools'
import { isLoaderName } from '../environment/scrub.ts'
import { BudgetExceeded, Effects } from './effects.ts'
import { walkText } from './walk.ts'

export interface ClassifyOptions {
  /** Absolute; relative paths are resolved against it. Without it they stay as they are written. */
  cwd?: string
  /** Variables of the request (S-19). */
  env?: Readonly<Record<string, string>>
  /** Further paths that are never read-only to write (S-65). */
  protect?: readonly string[]
}

const MAX_BYTES = 64 * 1024

/** Never throws. The verdict is the worst of all parts; what is not understood is `unknown`. */
export function classify(command: string, options: ClassifyOptions = {}): CommandEffects {
  const effects = new Effects(command, { cwd: options.cwd, protect: options.protect ?? [] })
  const whole = { start: 0, end: command.length }
  for (const name of Object.keys(options.env ?? {})) if (steersPrograms(name)) effects.worsen('unknown', 'variable', { start: 0, end: 0 })
  if (command.length > MAX_BYTES || Buffer.byteLength(command) > MAX_BYTES) {
    effects.worsen('unknown', 'size', { start: 0, end: 0 })
    return effects.result()
  }
  try {
    walkText(command, effects)
  } catch (error) {
    // A text that breaks the parser, or the stack, is not understood either.
    effects.worsen('unknown', error instanceof BudgetExceeded ? error.reason : 'parser', whole)
  }
  return effects.result()
}

/** S-19: names with which a request changes what the text means. */
function steersPrograms(name: string): boolean {
  return isLoaderName(name) || ['PATH', 'HOME', 'SHELL', 'IFS'].includes(name)
}
