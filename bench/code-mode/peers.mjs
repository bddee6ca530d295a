/**
 * The same work elsewhere: the engine without us, a worker thread without an engine, and the peer where it loads.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { QuickJS } from 'quickjs-wasi'

const wasm = await WebAssembly.compile(readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')))

async function timed(times, run) {
  const samples = []
  for (let index = 0; index < times; index += 1) {
    const start = performance.now()
    await run()
    samples.push(performance.now() - start)
  }
  return samples
}

/** No limits, no bridge, no thread. */
export function rawMachine(times) {
  return timed(times, async () => {
    const vm = await QuickJS.create({ wasm })
    vm.evalCode('(async () => 1)()').dispose()
    vm.executePendingJobs()
    vm.dispose()
  })
}

export function freshWorker(times) {
  return timed(times, async () => {
    const worker = new Worker('require("node:worker_threads").parentPort.postMessage(1)', { eval: true, env: {} })
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
    await worker.terminate()
  })
}

/** Its service in a context of its own. It needs a newer Node than some machines have: then the reason. */
export async function peerRuntime(times) {
  try {
    const { Context } = await import('@deepseek-ai/cordis')
    const { WorkerThreadCodeRuntime } = await import('@deepseek-ai/dsh-code-runtime-worker-thread')
    const runtime = new WorkerThreadCodeRuntime(new Context(), WorkerThreadCodeRuntime.Config({}))
    const run = async () => {
      const result = await runtime.run({ code: 'return 1', program: 'return 1', bindings: [], signal: new AbortController().signal })
      if (result.error !== undefined) throw new Error(JSON.stringify(result.error))
    }
    await run()
    return { samples: await timed(times, run) }
  } catch (error) {
    return { reason: String(error instanceof Error ? error.message : error).split('\n')[0] }
  }
}
