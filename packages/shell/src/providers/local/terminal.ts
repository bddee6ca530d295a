/**
 * A child on a pseudo terminal, through the optional peer `@lydell/node-pty` (S-53 `SHELL_TERMINAL_UNAVAILABLE` where it is not installed).
 */
import { constants } from 'node:os'
import type { IPty } from '@lydell/node-pty'
import { ShellError } from '../../definition/errors.ts'
import type { ChildExit, OutputPipe, SpawnSpec } from '../../definition/subprocess.ts'
import type { Started } from './started.ts'

const COLUMNS = 120
const ROWS = 40

export async function spawnTerminal(spec: SpawnSpec, env: Record<string, string>): Promise<Started> {
  const { spawn } = await loadPeer()
  const pty = open(() =>
    spawn(spec.file, [...spec.args], { name: env['TERM'] ?? 'dumb', cols: COLUMNS, rows: ROWS, cwd: spec.cwd, env, encoding: null }),
  )
  const onReaped: (() => void)[] = []
  const exit = new Promise<ChildExit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      for (const run of onReaped) run()
      resolve(signal === undefined || signal === 0 ? { exitCode, signal: null } : { exitCode: null, signal: signalName(signal) })
    })
  })
  return {
    pid: pty.pid,
    marker: spec.marker,
    stdout: terminalOutput(pty, exit),
    input: {
      write: async (data) => pty.write(Buffer.from(data).toString('utf8')),
      // A terminal has no end of its own: the reader is told by ctrl-d.
      close: async () => pty.write('\u0004'),
      destroy: () => pty.kill('SIGHUP'),
    },
    exit,
    onReaped: (run) => onReaped.push(run),
  }

  function open(start: () => IPty): IPty {
    try {
      return start()
    } catch (error) {
      throw new ShellError('SHELL_START_FAILED', { file: spec.file, errno: 'PTY' }, error)
    }
  }
}

async function loadPeer(): Promise<typeof import('@lydell/node-pty')> {
  try {
    return await import('@lydell/node-pty')
  } catch (error) {
    throw new ShellError('SHELL_TERMINAL_UNAVAILABLE', { package: '@lydell/node-pty' }, error)
  }
}

function terminalOutput(pty: IPty, exit: Promise<ChildExit>): OutputPipe {
  let close = (): void => {}
  const closed = new Promise<void>((resolve) => (close = resolve))
  return {
    onData: (listener) => void pty.onData((data) => listener(Buffer.from(data))),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    // The peer reads to the end before it tells the exit.
    ended: Promise.race([closed, exit.then(() => {})]),
    close,
  }
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`
}
