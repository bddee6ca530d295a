// @ts-check
/**
 * Entry of the child process: the engine behind the process's own channel. It is told where the engine lies, since under Node's
 * permission flags it may not look for it. It ends with its parent.
 */
import { createEngine } from '../quickjs/engine.js'

/** @type {((message: any) => void) | undefined} */
let hear

process.on('disconnect', () => process.exit(0))
process.on('message', (/** @type {any} */ message) => {
  if (hear === undefined) void start(message)
  else hear(message)
})

/** @param {{ engine: string, wasm: Uint8Array, prelude: string }} order */
async function start({ engine, wasm, prelude }) {
  const post = (/** @type {object} */ message) => void process.send?.(message)
  try {
    const { QuickJS } = await import(engine)
    hear = createEngine({ post, QuickJS, wasm, prelude })
    post({ type: 'ready' })
  } catch (error) {
    post({ type: 'broken', message: String(error) })
  }
}
