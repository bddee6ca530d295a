import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ended, seen, startCli, temporaryFolder } from './cli.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => (folder = temporaryFolder()))
afterEach(() => folder.remove())

const tail = 'exec tail -f /dev/null'
const call = (command: string): string[] => [
  'exec',
  'bash',
  JSON.stringify({ command }),
  '--trace',
  '--config',
  folder.file('c.json', configText),
]
/** Nothing asks here: what is tested is how a call ends. */
const configText = JSON.stringify({ plugins: ['./started.mjs'], preset: 'full-access' })
const started = `export const plugin = { name: 'started', apply(runtime) {
  runtime.hooks.execute.tap('started', (dispatch) => (options) => { process.stderr.write('STARTED\\n'); return dispatch(options) }) } }`

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('command: %s aborts the running call, ends its processes and exits %i', async (signal, status) => {
  folder.file('started.mjs', started)
  const child = startCli([...call(`echo $$ > pid; ${tail}`), '--json'], { cwd: folder.path })
  child.stdin?.end()
  const end = ended(child)
  await seen(child, { channel: 'stderr', text: 'STARTED' })
  const pid = await pidOf(join(folder.path, 'pid'))
  child.kill(signal)
  const { status: actual, stdout } = await end
  expect(actual).toBe(status)
  expect(JSON.parse(stdout)).toMatchObject({ isError: true, error: { code: 'TOOL_ABORTED' } })
  await expect.poll(() => alive(pid), { timeout: 20_000 }).toBe(false)
})

test('command: a reader that leaves early is an end, not a crash', async () => {
  const child = startCli(['tools'], { cwd: folder.path })
  child.stdin?.end()
  child.stdout?.destroy()
  const { status, stderr } = await ended(child)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

async function pidOf(file: string): Promise<number> {
  let pid = 0
  const read = (): number => {
    try {
      pid = Number(readFileSync(file, 'utf8'))
    } catch {
      pid = 0
    }
    return pid
  }
  await expect.poll(read, { timeout: 20_000 }).toBeGreaterThan(0)
  return pid
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
