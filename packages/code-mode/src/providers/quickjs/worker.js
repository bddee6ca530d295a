// @ts-check
/** Entry of the worker thread: the engine behind a message port. */
import { parentPort, workerData } from 'node:worker_threads'
import { QuickJS } from 'quickjs-wasi'
import { createEngine } from './engine.js'

const port = parentPort
if (port === null) throw new Error('this file is the entry of a worker thread')
const { wasm, prelude } = workerData
const hear = createEngine({ post: (message) => port.postMessage(message), QuickJS, wasm, prelude })
port.on('message', hear)
port.postMessage({ type: 'ready' })
