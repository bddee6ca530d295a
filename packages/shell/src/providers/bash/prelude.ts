/**
 * The prelude (S-13): a file that bash reads through `BASH_ENV` before the command. It takes itself out of the environment and sets a trap that
 * writes, at the shell's exit, `$?`, `$PWD` and PIPESTATUS to a file of this command, NUL-separated.
 */
import { closeSync, constants, fstatSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MARKER_NAME } from '../../environment/scrub.ts'

const MAX_FACT_BYTES = 64 * 1024

export interface ToldAtExit {
  exitCode: number
  cwd: string
  pipeStatus: number[]
}

export interface Prelude {
  /** The value of `BASH_ENV`. */
  readonly path: string
  /** Reads and removes what the command with this marker left. Undefined: nothing, or nothing to be trusted. */
  take(marker: string): ToldAtExit | undefined
}

export function writePrelude(dir: string): Prelude {
  const path = join(dir, 'prelude')
  // One command writes all, so that `$?` and PIPESTATUS are still those of the text; the braces keep `set -x` silent; `>|` is for `set -C`.
  const write = `{ builtin printf '%s\\0' "$?" "$PWD" "\${PIPESTATUS[@]}" >| ${quoted(`${dir}/`)}`
  writeFileSync(path, `unset BASH_ENV\ntrap ${quoted(write)}"$${MARKER_NAME}"${quoted('; } 2>/dev/null')} EXIT\n`, {
    mode: 0o600,
    flag: 'wx',
  })
  return { path, take: (marker) => parseFacts(takeFile(join(dir, marker))) }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The command may have put anything there: only a small plain file of its own is read. */
function takeFile(path: string): Buffer | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    unlinkSync(path)
    const { size } = fstatSync(fd)
    if (!fstatSync(fd).isFile() || size > MAX_FACT_BYTES) return undefined
    const bytes = Buffer.alloc(size)
    return bytes.subarray(0, readSync(fd, bytes, 0, size, 0))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function parseFacts(bytes: Buffer | undefined): ToldAtExit | undefined {
  if (bytes === undefined || bytes.at(-1) !== 0) return undefined
  const [status, cwd, ...stages] = bytes.toString('utf8').slice(0, -1).split('\0')
  if (status === undefined || cwd === undefined || !cwd.startsWith('/')) return undefined
  if (![status, ...stages].every((field) => /^\d{1,3}$/.test(field) && Number(field) <= 255)) return undefined
  return { exitCode: Number(status), cwd, pipeStatus: stages.map(Number) }
}

/**
 * The stages worth telling (S-25): two or more, and those of the pipeline that gave the exit code. After `a | b; exit 3` the last pipeline is
 * not what ended the shell.
 */
export function stagesOf(told: ToldAtExit): number[] | undefined {
  const { exitCode, pipeStatus } = told
  if (pipeStatus.length < 2) return undefined
  const rightmostFailure = pipeStatus.findLast((status) => status !== 0) ?? 0
  return pipeStatus.at(-1) === exitCode || rightmostFailure === exitCode ? pipeStatus : undefined
}
