/** The built command on a pseudo-terminal of its own, as a person sees it. */
import { spawn } from '@lydell/node-pty'
import { command, configFolder } from './cli.ts'

export interface Seat {
  type(keys: string): void
  /** Everything that was on the screen so far, without colours and cursor moves. */
  screen(): string
  /** Resolves when `text` is there after what was seen before. */
  seen(text: string): Promise<void>
  ended: Promise<number>
  kill(): void
}

export function sitDown(args: readonly string[], { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv }): Seat {
  const pty = spawn(process.execPath, [command, ...args], {
    cwd,
    cols: 200,
    rows: 100,
    env: { ...process.env, TOOLSEAM_CONFIG_DIR: configFolder, NO_COLOR: '1', ...env },
  })
  let all = ''
  let from = 0
  let over = false
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const look of waiting) look()
  }
  pty.onData((data) => {
    all += data
    wake()
  })
  const ended = new Promise<number>((done) => {
    pty.onExit(({ exitCode }) => {
      over = true
      done(exitCode)
      wake()
    })
  })
  // eslint-disable-next-line no-control-regex
  const plain = (): string => all.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
  return {
    type: (keys) => pty.write(keys),
    screen: plain,
    seen: (text) =>
      new Promise((found, gone) => {
        const look = (): void => {
          const at = plain().indexOf(text, from)
          if (at >= 0) from = at + text.length
          else if (!over) return
          waiting.delete(look)
          if (at >= 0) found()
          else gone(new Error(`${JSON.stringify(text)} never came; the screen: ${plain()}`))
        }
        waiting.add(look)
        look()
      }),
    ended,
    kill() {
      if (!over) pty.kill('SIGKILL')
    },
  }
}
