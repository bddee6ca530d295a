/**
 * Writes into a directory that a worker swaps, as fast as it can, against a link to the outside.
 */
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createRootedFileSystem } from '@toolseam/fs'

const SWAPPER = `
  const { parentPort, workerData: { dir, aside, outside } } = require('node:worker_threads')
  const fs = require('node:fs')
  let stop = false
  let swaps = 0
  parentPort.on('message', () => { stop = true })
  // A write may make the directory anew meanwhile, as it may: it goes again.
  const make = (step) => { for (;;) { try { step(); return } catch {} try { fs.rmSync(dir, { recursive: true, force: true }) } catch {} } }
  function turn() {
    for (let round = 0; round < 50; round += 1) {
      fs.renameSync(dir, aside)
      make(() => fs.symlinkSync(outside, dir))
      try { fs.unlinkSync(dir) } catch {}
      make(() => fs.renameSync(aside, dir))
      swaps += 1
    }
    if (stop) { parentPort.postMessage(swaps); parentPort.close() } else setImmediate(turn)
  }
  turn()`

export async function racedWrites(folder, attempts) {
  const root = join(folder, 'root')
  const outside = join(folder, 'outside')
  const dir = join(root, 'a/b')
  for (const each of [dir, outside]) mkdirSync(each, { recursive: true })
  const fileSystem = await createRootedFileSystem({ root, persist: false })
  const swapper = new Worker(SWAPPER, { eval: true, workerData: { dir, aside: join(root, 'a/aside'), outside } })
  let landed = 0
  const write = async (index) => {
    try {
      const target = await fileSystem.resolve(`a/b/f${index % 17}.txt`)
      await fileSystem.write(target, `${index}\n`, { rootCallId: 'r', callId: `${index}`, expect: 'any' })
      landed += 1
    } catch {
      // Refused, as it should be when the directory is not there or leads outside.
    }
  }
  for (let from = 0; from < attempts; from += 16)
    await Promise.all(Array.from({ length: Math.min(16, attempts - from) }, (_, index) => write(from + index)))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
  swapper.postMessage('stop')
  const [swaps] = await once(swapper, 'message')
  await fileSystem.close()
  return { attempts, landed, swaps, escaped: readdirSync(outside).length }
}
