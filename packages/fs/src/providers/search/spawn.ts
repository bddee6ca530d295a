/**
 * How the ripgrep engine starts its process: option `spawn`, else the `Subprocess` service when there is one (a structural port of what
 * `@toolseam/shell` provides), else `child_process`.
 */
import { spawn as nodeSpawn } from 'node:child_process'
import { defineService, type ServiceToken } from '@toolseam/core-tools'

export interface EngineCommand {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
}

/** A running engine. */
export interface EngineProcess {
  /** Ends with the output. Ending the iteration early is allowed after `kill`. */
  readonly stdout: AsyncIterable<Uint8Array>
  /** Whole, at most 64 KiB of it. Never rejects. */
  readonly stderr: Promise<string>
  /** Null when a signal ended it. Never rejects. */
  readonly exit: Promise<number | null>
  kill(): void
}

/** @throws when the program cannot be started */
export type EngineSpawn = (command: EngineCommand) => Promise<EngineProcess>

interface PipePort {
  onData(listener: (chunk: Uint8Array) => void): void
  pause(): void
  resume(): void
  readonly ended: Promise<void>
  close(): void
}

/** What is used of the `Subprocess` service. */
export interface SubprocessPort {
  spawn(spec: {
    file: string
    args: readonly string[]
    cwd: string
    env: Readonly<Record<string, string>>
    input: 'none'
    output: 'split'
    marker: string
  }): Promise<{
    readonly stdout: PipePort
    readonly stderr?: PipePort
    kill(options: { graceMs: number }): Promise<unknown>
    readonly exit: Promise<{ exitCode: number | null }>
  }>
}

export const SubprocessService: ServiceToken<SubprocessPort> = defineService<SubprocessPort>('toolseam/subprocess', {
  package: '@toolseam/shell',
})

const MOST_ERROR_BYTES = 64 * 1024

export const spawnChild: EngineSpawn = ({ file, args, cwd, env }) =>
  new Promise((resolve, reject) => {
    const child = nodeSpawn(file, [...args], { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    const exit = new Promise<number | null>((settle) => child.once('close', (code) => settle(code)))
    child.once('error', reject)
    child.once('spawn', () => {
      child.off('error', reject)
      child.on('error', () => {})
      resolve({ stdout: child.stdout, stderr: readText(child.stderr), exit, kill: () => void child.kill('SIGKILL') })
    })
  })

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      if (size < MOST_ERROR_BYTES) chunks.push(chunk)
      size += chunk.length
    }
  } catch {
    // What was read before the pipe broke is all there is.
  }
  return Buffer.concat(chunks).toString('utf8', 0, MOST_ERROR_BYTES)
}

export function spawnBySubprocess(subprocess: SubprocessPort): EngineSpawn {
  return async ({ file, args, cwd, env }) => {
    const child = await subprocess.spawn({ file, args, cwd, env, input: 'none', output: 'split', marker: 'search' })
    const exit = child.exit.then(({ exitCode }) => exitCode)
    return {
      stdout: pipeChunks(child.stdout),
      stderr: child.stderr === undefined ? Promise.resolve('') : readText(pipeChunks(child.stderr)),
      exit,
      kill: () => {
        child.stdout.close()
        child.kill({ graceMs: 0 }).catch(() => {})
      },
    }
  }
}

/** Chunks of a pushing pipe, with the pipe paused while 1 MiB waits. */
function pipeChunks(pipe: PipePort): AsyncIterable<Uint8Array> {
  const most = 1024 * 1024
  const waiting: Uint8Array[] = []
  let size = 0
  let ended = false
  let wake = (): void => {}
  pipe.onData((chunk) => {
    waiting.push(Uint8Array.from(chunk))
    size += chunk.length
    if (size > most) pipe.pause()
    wake()
  })
  void pipe.ended.then(() => {
    ended = true
    wake()
  })
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const chunk = waiting.shift()
        if (chunk === undefined) {
          if (ended) return
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          continue
        }
        size -= chunk.length
        if (size <= most) pipe.resume()
        yield chunk
      }
    },
  }
}
