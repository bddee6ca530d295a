/**
 * `quickjs`, the default: QuickJS as WebAssembly in pooled worker threads. A fresh machine for each run, whose memory is its own; the
 * thread is the hard stop.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { GuestPool } from '../../bridge/pool.ts'
import type { GuestPeer, PeerEvents } from '../../bridge/peer.ts'
import type { CodeRuntime } from '../../definition/code-runtime.ts'
import { PRELUDE } from '../../guest/prelude.ts'
import { wasmFile } from './engine-files.ts'

export interface QuickjsOptions {
  /** Worker threads at most. Default: as many as cores. */
  workers?: number
  /** Runs that may wait. Default 64. */
  queueLength?: number
}

// The thread holds messages, not the guest's memory: that is the machine's own.
const WORKER_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 }

export function createQuickjsRuntime({ workers, queueLength }: QuickjsOptions = {}): CodeRuntime {
  let compiled: object | undefined
  const start = (events: PeerEvents): GuestPeer => {
    compiled ??= compile(readFileSync(wasmFile()))
    return startWorker(compiled, events)
  }
  const pool = new GuestPool({
    start,
    size: workers ?? availableParallelism(),
    ...(queueLength === undefined ? {} : { queueLength }),
  })
  return {
    id: 'quickjs',
    language: 'typescript',
    isolation: { boundary: 'wasm', preemptible: true, memory: 'hard', snapshot: false },
    run: (request) => pool.run(request),
    dispose: () => pool.dispose(),
  }
}

/** Once for all workers; a compiled module may be sent to a thread. */
function compile(bytes: Uint8Array): object {
  // The types of Node name WebAssembly without its values.
  const assembly: { Module: new (bytes: Uint8Array) => object } = Reflect.get(globalThis, 'WebAssembly')
  return new assembly.Module(bytes)
}

function startWorker(wasm: object, events: PeerEvents): GuestPeer {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    name: 'toolseam-code',
    workerData: { wasm, prelude: PRELUDE },
    // Nothing of the host is handed on: no environment, no loader hooks, no output.
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: WORKER_LIMITS,
  })
  worker.on('message', events.message)
  worker.on('error', (error) => events.exit(error.message))
  worker.on('exit', (code) => events.exit(`the worker thread ended with ${code}`))
  return {
    post: (message) => worker.postMessage(message),
    kill: async () => void (await worker.terminate()),
    hold: (on) => (on ? worker.ref() : worker.unref()),
  }
}
