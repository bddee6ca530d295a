/**
 * Standard output and error with terminal manners: colour only for a terminal, and a reader that leaves early is an end, not a crash.
 */
import pc from 'picocolors'

export type Colors = ReturnType<typeof pc.createColors>

export interface Streams {
  /** The result, and nothing else. */
  out(text: string): Promise<void>
  /** Words for people. */
  err(text: string): Promise<void>
  outColors: Colors
  errColors: Colors
  /** Width of the terminal in columns; 100 where there is none. */
  columns: number
}

export function standardStreams(): Streams {
  return {
    out: writer(process.stdout),
    err: writer(process.stderr),
    outColors: colorsFor(process.stdout),
    errColors: colorsFor(process.stderr),
    columns: process.stdout.columns ?? 100,
  }
}

/** NO_COLOR: https://no-color.org - present and not empty switches colour off. */
function colorsFor(stream: NodeJS.WriteStream): Colors {
  const { NO_COLOR, TERM } = process.env
  return pc.createColors(stream.isTTY === true && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb')
}

/** Resolves when the text was handed on, or when there is nobody left to read it. */
function writer(stream: NodeJS.WriteStream): (text: string) => Promise<void> {
  let open = true
  stream.on('error', (error: NodeJS.ErrnoException) => {
    open = false
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
  })
  return (text) =>
    new Promise((done) => {
      if (!open) return done()
      stream.write(text, () => done())
    })
}
