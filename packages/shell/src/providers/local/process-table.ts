/**
 * What the system knows about processes, as far as a tree has to be found and ended: a port, and its Linux form over /proc (proc(5)). Elsewhere
 * only the group of a child is known.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { MARKER_NAME } from '../../environment/scrub.ts'

export interface ProcessEntry {
  readonly pid: number
  readonly group: number
  readonly session: number
  /** Clock ticks after boot: with the id it names one process for good. */
  readonly startTime: string
  readonly zombie: boolean
}

export interface ProcessTable {
  /** Undefined: no such process. */
  entry(pid: number): ProcessEntry | undefined
  /** All ids; with `after`, those given out since that id was, where this can be told. */
  pids(after?: number): number[]
  /** The value of the marker in the environment it was started with. */
  marker(pid: number): string | undefined
  argv(pid: number): string
  /** A negative id is a group. 0 asks only. False: nothing there. */
  signal(pid: number, name: NodeJS.Signals | 0): boolean
  /** Whether processes can be looked up at all, not only signalled. */
  readonly searchable: boolean
}

export function systemProcessTable(platform: string = process.platform): ProcessTable {
  return platform === 'linux' ? linuxTable() : { ...signalOnly(), searchable: false }
}

function signalOnly(): ProcessTable {
  return { entry: () => undefined, pids: () => [], marker: () => undefined, argv: () => '', signal, searchable: false }
}

function linuxTable(): ProcessTable {
  return { entry: readEntry, pids: readPids, marker: readMarker, argv: readArgv, signal, searchable: true }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  // -1 and 0 would reach everything or ourselves.
  if (pid === 0 || pid === -1 || pid === 1) return false
  try {
    return process.kill(pid, name)
  } catch (error) {
    // Not ours to signal, but there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Fields of /proc/<pid>/stat behind the name, which is in parentheses and may hold anything. */
function readEntry(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const state = fields[0] ?? 'X'
    return {
      pid,
      group: Number(fields[2]),
      session: Number(fields[3]),
      startTime: fields[19] ?? '',
      zombie: state === 'Z' || state === 'X',
    }
  } catch {
    return undefined
  }
}

function readPids(after?: number): number[] {
  const last = after === undefined ? undefined : lastPid()
  if (after === undefined || last === undefined || last < after) return listProc()
  // A quiet host: the few ids given out since are asked one by one, not the whole table.
  if (last - after <= 64) return Array.from({ length: last - after }, (_, index) => after + 1 + index)
  return listProc().filter((pid) => pid > after && pid <= last)
}

function listProc(): number[] {
  const pids: number[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (Number.isInteger(pid)) pids.push(pid)
  }
  return pids
}

/** The id given out last, the fifth field of /proc/loadavg. */
function lastPid(): number | undefined {
  try {
    const last = Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ')[4])
    return Number.isInteger(last) && last > 0 ? last : undefined
  } catch {
    return undefined
  }
}

const environBuffer = Buffer.allocUnsafeSlow(256 * 1024)
const MARKER_BYTES = Buffer.from(`${MARKER_NAME}=`)

function readMarker(pid: number): string | undefined {
  let fd: number | undefined
  try {
    fd = openSync(`/proc/${pid}/environ`, 'r')
    let length = 0
    for (let read = 1; read > 0 && length < environBuffer.length; length += read) {
      read = readSync(fd, environBuffer, length, environBuffer.length - length, null)
      if (read <= 0) break
    }
    return findMarker(environBuffer.subarray(0, length))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function findMarker(environ: Buffer): string | undefined {
  for (let at = environ.indexOf(MARKER_BYTES); at !== -1; at = environ.indexOf(MARKER_BYTES, at + 1)) {
    if (at !== 0 && environ[at - 1] !== 0) continue
    const start = at + MARKER_BYTES.length
    const end = environ.indexOf(0, start)
    return environ.toString('latin1', start, end === -1 ? environ.length : end)
  }
  return undefined
}

function readArgv(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
