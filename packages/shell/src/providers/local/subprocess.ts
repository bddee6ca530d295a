/**
 * The `local` provider of `Subprocess`: `child_process.spawn` with an own session (S-14), real pipes (S-11), and the whole tree ended on a kill,
 * on dispose and when the host exits.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { accessSync, closeSync, constants, existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { systemClock, type Clock } from '../../definition/clock.ts'
import { ShellError } from '../../definition/errors.ts'
import type { ChildExit, ChildHandle, SpawnSpec, Subprocess } from '../../definition/subprocess.ts'
import { MARKER_NAME } from '../../environment/scrub.ts'
import { fifoPool, type FifoPool, type PipeEnds } from './fifo-pool.ts'
import { childHandle } from './handle.ts'
import { readDescriptor, readStream, writeDescriptor, writeStream } from './pipes.ts'
import { makePrivateDir } from '../private-dir.ts'
import { systemProcessTable, type ProcessTable } from './process-table.ts'
import type { Started } from './started.ts'
import { spawnTerminal } from './terminal.ts'
import { processTree, type ProcessTree } from './tree.ts'

export interface LocalSubprocessOptions {
  clock?: Clock
  table?: ProcessTable
  /** False: Node's own pipes, as on hosts without `mkfifo`. */
  fifos?: boolean
}

export interface LocalSubprocess extends Subprocess {
  /** How children's pipes are made on this host, for diagnostics (S-11). */
  readonly pipes: 'fifo' | 'socket'
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export function localSubprocess(options: LocalSubprocessOptions = {}): LocalSubprocess {
  const dir = makePrivateDir()
  const pool = fifoPool(dir.path)
  const useFifos = (): boolean => options.fifos !== false && process.platform !== 'win32' && pool.usable
  const ports = { table: options.table ?? systemProcessTable(), clock: options.clock ?? systemClock, yieldLoop: nextTurn }
  const live = new Map<ChildHandle, ProcessTree>()
  let closed = false

  const onHostExit = (): void => {
    for (const tree of live.values()) tree.killNow()
    dir.remove()
  }
  process.once('exit', onHostExit)

  const track = (started: Started): ChildHandle => {
    const reaped = { value: false }
    void started.exit.then(() => (reaped.value = true))
    started.onReaped(() => (reaped.value = true))
    const tree = processTree({ pid: started.pid, marker: started.marker, reaped: () => reaped.value }, ports)
    const handle = childHandle(started, tree)
    live.set(handle, tree)
    void forgetWhenGone(handle, tree)
    return handle
  }
  /** A tree whose pipes are at EOF after its exit is looked at once more; what hides longer is found by its marker at dispose. */
  const forgetWhenGone = async (handle: ChildHandle, tree: ProcessTree): Promise<void> => {
    await Promise.all([handle.exit, handle.stdout.ended, handle.stderr?.ended])
    if ((await tree.members()).length === 0) live.delete(handle)
  }

  return {
    get pipes() {
      return useFifos() ? 'fifo' : 'socket'
    },
    spawn: async (spec) => {
      if (closed) throw new ShellError('SHELL_DISPOSED')
      if (spec.input === 'terminal') return track(await spawnTerminal(spec, childEnv(spec)))
      return track(await startChild(spec, useFifos() ? pool : undefined))
    },
    dispose: async () => {
      closed = true
      await Promise.all([...live.values()].map((tree) => tree.kill({ graceMs: 0 })))
      for (const handle of live.keys()) closePipes(handle)
      live.clear()
      process.removeListener('exit', onHostExit)
      dir.remove()
    },
  }
}

function closePipes(handle: ChildHandle): void {
  handle.stdout.close()
  handle.stderr?.close()
}

/** The marker comes first; a request cannot set it. */
function childEnv(spec: SpawnSpec): Record<string, string> {
  return { ...spec.wrap?.env, ...spec.env, [MARKER_NAME]: spec.marker }
}

async function startChild(spec: SpawnSpec, pool: FifoPool | undefined): Promise<Started> {
  const stdout = await pool?.output()
  const stderr = spec.output === 'split' ? await pool?.output() : undefined
  const stdin = spec.input === 'pipe' ? await pool?.input() : undefined
  const ends = [stdout, stderr, stdin].filter((end) => end !== undefined)
  try {
    if (pool !== undefined && stdout !== undefined) return startOverFifos(spec, { pool, stdout, stderr, stdin })
    return startOverSockets(spec)
  } catch (error) {
    for (const end of ends) closeQuietly(end.readFd)
    for (const end of ends) pool?.discard(end.path)
    throw await startFailure(spec, error)
  } finally {
    // The child has its own copies now.
    closeQuietly(stdout?.writeFd)
    closeQuietly(stderr?.writeFd)
    closeQuietly(stdin?.readFd)
  }
}

interface Fifos {
  pool: FifoPool
  stdout: PipeEnds
  stderr: PipeEnds | undefined
  stdin: PipeEnds | undefined
}

function startOverFifos(spec: SpawnSpec, { pool, stdout, stderr, stdin }: Fifos): Started {
  const child = launch(spec, [stdin?.readFd ?? 'ignore', stdout.writeFd, stderr?.writeFd ?? stdout.writeFd])
  const recycle = (path: string) => (eof: boolean) => (eof ? pool.giveBack(path) : pool.discard(path))
  // The folder entry of an input pipe goes at once: nobody has to find it again.
  if (stdin !== undefined) pool.discard(stdin.path)
  return {
    ...facts(child, spec),
    stdout: readDescriptor(stdout.readFd, recycle(stdout.path)),
    ...(stderr === undefined ? {} : { stderr: readDescriptor(stderr.readFd, recycle(stderr.path)) }),
    input: stdin === undefined ? undefined : writeDescriptor(stdin.writeFd),
  }
}

function startOverSockets(spec: SpawnSpec): Started {
  const split = spec.output === 'split'
  if (!split) requireProgram(spec)
  // Two sockets have no common order: a shell that replaces itself joins them in front.
  const joined = split ? spec : { ...spec, file: '/bin/sh', args: ['-c', 'exec "$@" 2>&1', 'sh', spec.file, ...spec.args] }
  const child = launch(joined, [spec.input === 'pipe' ? 'pipe' : 'ignore', 'pipe', split ? 'pipe' : 'ignore'])
  if (child.stdout === null) throw new Error('no output pipe')
  return {
    ...facts(child, spec),
    stdout: readStream(child.stdout),
    ...(child.stderr === null ? {} : { stderr: readStream(child.stderr) }),
    input: child.stdin === null ? undefined : writeStream(child.stdin),
  }
}

/** What the system would say at once, had the joining shell not stood in front. Throws like `access`. */
function requireProgram({ file, cwd, env }: SpawnSpec): void {
  if (file.includes('/')) return accessSync(resolve(cwd, file), constants.X_OK)
  const folders = (env['PATH'] ?? '/usr/bin:/bin').split(delimiter)
  const found = folders.some((folder) => existsSync(join(folder, file)))
  if (!found) throw Object.assign(new Error(`no such program: ${file}`), { code: 'ENOENT' })
}

/** Throws what the system said. `detached` is setsid: own session, no controlling terminal. */
function launch(spec: SpawnSpec, stdio: StdioOptions): ChildProcess & { readonly pid: number } {
  const child = spawn(spec.wrap?.file ?? spec.file, spec.wrap?.args ?? spec.args, {
    cwd: spec.cwd,
    env: childEnv(spec),
    stdio,
    detached: true,
  })
  if (started(child)) return child
  // Node tells the reason by event only.
  throw new PendingFailure(child)
}

function started(child: ChildProcess): child is ChildProcess & { readonly pid: number } {
  return child.pid !== undefined
}

class PendingFailure extends Error {
  readonly reason: Promise<Error>
  constructor(child: ChildProcess) {
    super('the process could not be started')
    this.reason = new Promise((resolve) => child.once('error', resolve))
  }
}

function facts(child: ChildProcess & { readonly pid: number }, spec: SpawnSpec): Pick<Started, 'pid' | 'marker' | 'exit' | 'onReaped'> {
  const onReaped: (() => void)[] = []
  const exit = new Promise<ChildExit>((resolve) => {
    child.once('exit', (exitCode, signal) => {
      for (const run of onReaped) run()
      resolve({ exitCode, signal })
    })
    // A failed kill or message is told by event too; the exit still comes.
    child.on('error', () => {})
  })
  return { pid: child.pid, marker: spec.marker, exit, onReaped: (run) => onReaped.push(run) }
}

async function startFailure(spec: SpawnSpec, thrown: unknown): Promise<ShellError> {
  const error = thrown instanceof PendingFailure ? await thrown.reason : thrown
  const errno = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN'
  return new ShellError('SHELL_START_FAILED', { file: spec.file, errno }, error)
}

function closeQuietly(fd: number | undefined): void {
  if (fd === undefined) return
  try {
    closeSync(fd)
  } catch {
    // Already closed by whoever took it over.
  }
}
