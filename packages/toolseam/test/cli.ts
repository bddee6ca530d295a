/** The built command as a real child process. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const command: string = join(import.meta.dirname, '../dist/cli.js')
if (!existsSync(command)) throw new Error('the command is not built: run `npm test`, or `pnpm build` first')

/** The user's configuration folder of the children: not that of whoever runs the tests. */
export const configFolder: string = mkdtempSync(join(tmpdir(), 'toolseam-config-'))
process.on('exit', () => rmSync(configFolder, { recursive: true, force: true }))

export interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

export interface CliOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  input?: string
}

export function startCli(args: readonly string[], { cwd, env = {} }: CliOptions = {}): ChildProcess {
  // In a session of its own: no controlling terminal, whoever runs the tests, so that nothing is put to a human.
  const { NO_COLOR: _noColor, FORCE_COLOR: _forceColor, ...inherited } = process.env
  return spawn(process.execPath, [command, ...args], {
    cwd,
    env: { ...inherited, TOOLSEAM_CONFIG_DIR: configFolder, ...env },
    stdio: 'pipe',
    detached: true,
  })
}

export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const child = startCli(args, options)
  // A command that never reads its input may be gone before it is written.
  child.stdin?.on('error', () => {})
  child.stdin?.end(options.input ?? '')
  return ended(child)
}

export async function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const status = await new Promise<number | null>((done) => child.on('close', done))
  return { status, stdout, stderr }
}

/** Resolves once `text` has appeared on the stream; the stream keeps flowing. */
export async function seen(child: ChildProcess, { channel, text }: { channel: 'stdout' | 'stderr'; text: string }): Promise<void> {
  let all = ''
  await new Promise<void>((found, gone) => {
    child[channel]?.on('data', (chunk: Buffer) => {
      all += chunk.toString()
      if (all.includes(text)) found()
    })
    child.on('close', () => gone(new Error(`${text} never came; there was: ${all}`)))
  })
}

/** A folder of its own, by its real path, gone after the test. */
export function temporaryFolder(): { path: string; file(name: string, text: string): string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'toolseam-cli-')))
  return {
    path,
    file(name, text) {
      writeFileSync(join(path, name), text)
      return join(path, name)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
