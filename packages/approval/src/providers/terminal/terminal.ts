/**
 * The terminal as an answerer: one prompt at a time on the controlling terminal. Where there is none, asks are not for it.
 */
import { closeSync, openSync } from 'node:fs'
import { userInfo } from 'node:os'
import { ReadStream, WriteStream } from 'node:tty'
import type { Answer, Answerer, AskView } from '../../definition/answerer.ts'
import type { Approver } from '../../definition/record.ts'
import { promptFor } from './prompt.ts'
import { openScreen, type TerminalInput, type TerminalOutput } from './screen.ts'

export interface TerminalOptions {
  /** Default: the controlling terminal, `/dev/tty`. Given together. */
  input?: TerminalInput
  output?: TerminalOutput
  /** Who sits there. Default: the user of the process. */
  id?: string
  name?: string
  /** Serves this agent and those below it. */
  agent?: string
}

interface Device {
  input: TerminalInput
  output: TerminalOutput
  release(): void
}

export function terminal(options: TerminalOptions = {}): Answerer {
  const by: Approver = {
    kind: 'terminal',
    id: options.id ?? userName(),
    verified: false,
    ...(options.name === undefined ? {} : { name: options.name }),
  }
  let before: Promise<unknown> = Promise.resolve()
  return {
    name: 'terminal',
    interactive: true,
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    async answer(ask, { signal }) {
      // One at a time: the next prompt appears when this one is answered.
      const own = before.then(async () => (signal.aborted ? undefined : onDevice(options, ask, { signal, by })))
      before = own.catch(() => undefined)
      return own
    },
  }
}

async function onDevice(
  options: TerminalOptions,
  ask: AskView,
  { signal, by }: { signal: AbortSignal; by: Approver },
): Promise<Answer | undefined> {
  const device = openDevice(options)
  if (device === undefined) return undefined
  try {
    const screen = await openScreen(device.input, device.output, signal)
    try {
      const decision = await promptFor(screen, ask, signal)
      return decision === undefined ? undefined : { ...decision, by }
    } finally {
      screen.close()
    }
  } finally {
    device.release()
  }
}

/** Undefined: no terminal is there. */
function openDevice({ input, output }: TerminalOptions): Device | undefined {
  if (input !== undefined && output !== undefined) return { input, output, release: () => undefined }
  const fds: number[] = []
  try {
    for (const mode of ['r', 'w']) fds.push(openSync('/dev/tty', mode))
    const [read = -1, write = -1] = fds
    const own = { input: new ReadStream(read), output: new WriteStream(write) }
    return {
      ...own,
      release() {
        own.input.destroy()
        own.output.destroy()
      },
    }
  } catch {
    for (const fd of fds) closeSync(fd)
    return undefined
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'terminal'
  }
}
