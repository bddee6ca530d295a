/**
 * The handle of one child: its pipes, its input, and its tree, ended once whoever asks.
 */
import { ShellError } from '../../definition/errors.ts'
import type { ChildHandle, KillOptions, KillReport } from '../../definition/subprocess.ts'
import type { Started } from './started.ts'
import type { ProcessTree } from './tree.ts'

/** A process that is just ending is not a survivor: it is looked for a second time. */
const SECOND_LOOK_MS = 15

export function childHandle(started: Started, tree: ProcessTree): ChildHandle {
  let ending: { report: Promise<KillReport>; hurry: AbortController } | undefined

  /** Joins a running kill; less grace, or a deadline, shortens it. */
  const kill = ({ graceMs, deadline }: KillOptions): Promise<KillReport> => {
    if (ending === undefined) {
      const hurry = new AbortController()
      const report = tree.kill({ graceMs, deadline: hurry.signal }).finally(() => (ending = undefined))
      ending = { report, hurry }
    }
    const { report, hurry } = ending
    if (graceMs === 0 || deadline?.aborted === true) hurry.abort()
    else deadline?.addEventListener('abort', () => hurry.abort(), { once: true })
    return report
  }

  return {
    pid: started.pid,
    stdout: started.stdout,
    ...(started.stderr === undefined ? {} : { stderr: started.stderr }),
    write: (data) => started.input?.write(data) ?? Promise.reject(new ShellError('SHELL_INPUT_CLOSED')),
    closeInput: () => started.input?.close() ?? Promise.resolve(),
    signal: (name) => tree.signalGroup(name),
    kill,
    survivors: async () => {
      if ((await tree.survivors()).length === 0) return []
      await new Promise((resolve) => setTimeout(resolve, SECOND_LOOK_MS))
      return tree.survivors()
    },
    exit: started.exit,
  }
}
