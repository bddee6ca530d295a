/**
 * The host's ends of a child's pipes: reading into one buffer that is used again and again, and writing with back-pressure.
 */
import { Socket, type OnReadOpts, type SocketConstructorOpts } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { ShellError } from '../../definition/errors.ts'
import type { OutputPipe } from '../../definition/subprocess.ts'

const READ_BUFFER_BYTES = 64 * 1024
/** One buffer serves all pipes: listeners copy what they keep before they return. */
const sharedBuffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES)

/** Takes the descriptor over. `onEnd(true)` = read to EOF, so no writer is left. */
export function readDescriptor(fd: number, onEnd: (eof: boolean) => void): OutputPipe {
  const early: Uint8Array[] = []
  let listener = (chunk: Uint8Array): void => void early.push(Uint8Array.from(chunk))
  // Node takes `onread` here as it does in `connect`; its types name it only there.
  const options: SocketConstructorOpts & { onread: OnReadOpts } = {
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer: sharedBuffer,
      callback: (length: number, buffer: Uint8Array) => {
        listener(buffer.subarray(0, length))
        return true
      },
    },
  }
  const socket = new Socket(options)
  const listen = (next: (chunk: Uint8Array) => void): void => {
    for (const chunk of early.splice(0)) next(chunk)
    listener = next
  }
  return settle(socket, { listen, onEnd })
}

/** The same over a stream that Node made (sockets, where there is no `mkfifo`). */
export function readStream(stream: Readable): OutputPipe {
  return settle(stream, { listen: (next) => stream.on('data', next), onEnd: () => {} })
}

function settle(stream: Readable, parts: { listen(next: (chunk: Uint8Array) => void): void; onEnd(eof: boolean): void }): OutputPipe {
  let eof = false
  const ended = new Promise<void>((resolve) => {
    stream.once('end', () => (eof = true))
    // A read error ends the pipe like EOF does; what came before it is kept.
    stream.on('error', () => {})
    stream.once('close', () => {
      parts.onEnd(eof)
      resolve()
    })
  })
  let listening = false
  return {
    onData: (next) => {
      parts.listen(next)
      if (!listening) stream.resume()
      listening = true
    },
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    ended,
    close: () => void stream.destroy(),
  }
}

export interface InputPipe {
  write(data: Uint8Array): Promise<void>
  close(): Promise<void>
  destroy(): void
}

/** Takes the descriptor over. */
export function writeDescriptor(fd: number): InputPipe {
  return writeStream(new Socket({ fd, readable: false, writable: true }))
}

export function writeStream(stream: Writable): InputPipe {
  let open = true
  stream.on('error', () => (open = false))
  stream.once('close', () => (open = false))
  return {
    write: (data) =>
      new Promise((resolve, reject) => {
        if (!open) return reject(new ShellError('SHELL_INPUT_CLOSED'))
        // The bytes are taken once they are queued; a reader that never reads must not hold its writer.
        const taken = stream.write(data, (error) => {
          if (error) reject(new ShellError('SHELL_INPUT_CLOSED', {}, error))
          else resolve()
        })
        if (!taken) resolve()
      }),
    close: () =>
      new Promise((resolve) => {
        if (!open) return resolve()
        open = false
        stream.end(() => resolve())
        stream.once('close', () => resolve())
      }),
    destroy: () => stream.destroy(),
  }
}
