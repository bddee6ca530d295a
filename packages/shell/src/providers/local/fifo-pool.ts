/**
 * A pool of FIFOs (S-11). Node's own pipes are sockets, which a child cannot open by name (`tee /dev/stderr`); FIFOs are real pipes. Sixteen are
 * made by one `mkfifo` process at a time. One that was read to EOF has no writer and is used again; one that is still held is unlinked.
 */
import { execFile } from 'node:child_process'
import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const BATCH = 16
const REFILL_BELOW = 4
const run = promisify(execFile)

/** Two ends of one pipe, as descriptors of this process. */
export interface PipeEnds {
  readonly readFd: number
  readonly writeFd: number
  /** Where the FIFO lies, to give it back or take it away. */
  readonly path: string
}

export interface FifoPool {
  /** A pipe for a child's output: our end does not block, the child's does. Undefined: no FIFOs on this host. */
  output(): Promise<PipeEnds | undefined>
  /** A pipe for a child's input: the child's end blocks, ours does not. */
  input(): Promise<PipeEnds | undefined>
  /** No writer is left: another command may have it. */
  giveBack(path: string): void
  /** Somebody may still hold it. */
  discard(path: string): void
  readonly usable: boolean
}

export function fifoPool(dir: string): FifoPool {
  const idle: string[] = []
  let made = 0
  let filling: Promise<void> | undefined
  let usable = true

  const fill = async (): Promise<void> => {
    const paths = Array.from({ length: BATCH }, () => join(dir, `pipe-${(made += 1)}`))
    try {
      await run('mkfifo', ['-m', '600', '--', ...paths], { env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' } })
      idle.push(...paths)
    } catch {
      usable = false
    } finally {
      filling = undefined
    }
  }
  const take = async (): Promise<string | undefined> => {
    while (usable) {
      const path = idle.pop()
      if (idle.length < REFILL_BELOW) filling ??= fill()
      if (path !== undefined) return path
      await filling
    }
    return undefined
  }
  const withPath = async (open: (path: string) => Omit<PipeEnds, 'path'>): Promise<PipeEnds | undefined> => {
    const path = await take()
    return path === undefined ? undefined : { ...open(path), path }
  }
  return {
    output: () => withPath(openForOutput),
    input: () => withPath(openForInput),
    giveBack: (path) => {
      if (idle.length < BATCH) idle.push(path)
      else unlinkQuietly(path)
    },
    discard: unlinkQuietly,
    get usable() {
      return usable
    },
  }
}

function openForOutput(path: string): { readFd: number; writeFd: number } {
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { readFd, writeFd: openSync(path, constants.O_WRONLY) }
  } catch (error) {
    closeSync(readFd)
    throw error
  }
}

function openForInput(path: string): { readFd: number; writeFd: number } {
  // The first open lets the other two succeed at once: a FIFO's ends wait for each other.
  const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  try {
    const readFd = openSync(path, constants.O_RDONLY)
    try {
      return { readFd, writeFd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) }
    } catch (error) {
      closeSync(readFd)
      throw error
    }
  } finally {
    closeSync(both)
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Gone already: what was wanted.
  }
}
