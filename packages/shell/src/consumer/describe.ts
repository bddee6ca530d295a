/**
 * The facts of a `bash` call for policy, approval and user interfaces (S-50). Policy reads `effects` and never parses text.
 */
import type { AgentId, CallView } from '@toolseam/core-tools'
import { resolvePath } from '../classify/paths.ts'
import type { Shell } from '../definition/shell.ts'
import { isSecretVariable } from '../environment/scrub.ts'
import type { BashInput } from './values.ts'

export function describeBash(shell: Shell, input: BashInput, agent: AgentId | undefined): CallView {
  const cwd = resolvePath(shell.cwdOf(agent), input.cwd ?? '.')
  const effects = shell.classify(input.command, { cwd, ...(input.env === undefined ? {} : { env: input.env }) })
  const sensitive = sensitivePointers(input.env ?? {})
  return {
    kind: 'execute',
    title: titleOf(input),
    command: input.command,
    cwd,
    effects,
    paths: effects.paths,
    ...(sensitive.length === 0 ? {} : { sensitive }),
  }
}

function titleOf({ description, command }: BashInput): string {
  const title = description?.trim() || command.trim().split('\n', 1)[0] || 'bash'
  return title.length > 200 ? `${title.slice(0, 199)}…` : title
}

/** JSON Pointers (RFC 6901) to variables that look like secrets. */
function sensitivePointers(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => isSecretVariable(name, value))
    .map(([name]) => `/env/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}
