/**
 * `quickjs-process`: the engine of `quickjs` in child processes of their own, with an empty environment and, where Node has them, its
 * permission flags. A fault of the engine itself then meets a process that may do nothing; it is ended with SIGKILL.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { GuestPool } from '../../bridge/pool.ts'
import type { GuestPeer, PeerEvents } from '../../bridge/peer.ts'
import type { CodeRuntime } from '../../definition/code-runtime.ts'
import { PRELUDE } from '../../guest/prelude.ts'
import { engineFile, wasmFile } from '../quickjs/engine-files.ts'

export interface QuickjsProcessOptions {
  /** Child processes at most. Default: as many as cores. */
  processes?: number
  /** Runs that may wait. Default 64. */
  queueLength?: number
}

export function createQuickjsProcessRuntime({ processes, queueLength }: QuickjsProcessOptions = {}): CodeRuntime {
  const pool = new GuestPool({
    start: startChild,
    size: processes ?? availableParallelism(),
    ...(queueLength === undefined ? {} : { queueLength }),
  })
  return {
    id: 'quickjs-process',
    language: 'typescript',
    isolation: { boundary: 'process', preemptible: true, memory: 'hard', snapshot: false },
    run: (request) => pool.run(request),
    dispose: () => pool.dispose(),
  }
}

function startChild(events: PeerEvents): GuestPeer {
  const entry = realpathSync(fileURLToPath(new URL('./child.js', import.meta.url)))
  const child = fork(entry, [], {
    env: {},
    execArgv: permissionFlags(entry),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    cwd: dirname(entry),
  })
  let gone = false
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  child.on('message', events.message)
  child.on('error', (error) => events.exit(error.message))
  child.on('exit', (code, signal) => {
    gone = true
    events.exit(`the process ended with ${signal ?? code}`)
  })
  child.send({ engine: pathToFileURL(engineFile()).href, wasm: readFileSync(wasmFile()), prelude: PRELUDE }, ignore)
  return {
    post: (message) => void child.send(message, ignore),
    kill: async () => {
      if (!gone) child.kill('SIGKILL')
      await exited
    },
    hold: (on) => hold(child, on),
  }
}

function hold(child: ChildProcess, on: boolean): void {
  if (on) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}

// A child that died while we wrote to it tells so by its exit.
function ignore(): void {
  return undefined
}

/** It may read its own code and nothing else: no writing, no processes, no threads, no addons. */
function permissionFlags(entry: string): string[] {
  const flag = ['--permission', '--experimental-permission'].find((name) => process.allowedNodeEnvironmentFlags.has(name))
  if (flag === undefined) return []
  const entries = dirname(entry)
  // In the sources the engine's half of the protocol lies in the folder beside.
  const readable = [entries, join(dirname(entries), 'quickjs'), dirname(engineFile())].map((folder) => join(folder, '*'))
  return [flag, ...readable.map((pattern) => `--allow-fs-read=${pattern}`)]
}
