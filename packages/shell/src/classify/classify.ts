import type { CommandEffects } from '@toolseam/core-tools'
export interface ClassifyOptions {
  cwd?: string
  env?: Record<string, string>
  protect?: readonly string[]
}
export function classify(_command: string, _options: ClassifyOptions = {}): CommandEffects {
  return { verdict: 'unknown', commands: [], paths: [], reasons: [] }
}
