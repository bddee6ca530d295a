/**
 * The ripgrep engine and its host: how its process is started and ended, what it complains about, what happens without it.
 */
import { spawn } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { createToolRuntime } from '@toolseam/core-tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fs } from '../../src/plugin.ts'
import { createMemoryFileSystem } from '../../src/providers/memory/index.ts'
import { createOverlayFileSystem } from '../../src/providers/overlay/index.ts'
import { createSearch } from '../../src/providers/search/create-search.ts'
import {
  spawnBySubprocess,
  spawnChild,
  type EngineCommand,
  type EngineProcess,
  type SubprocessPort,
} from '../../src/providers/search/spawn.ts'
import { grepAll, plant, testGround, type TestGround } from './ground.ts'

let ground: TestGround
beforeEach(() => {
  ground = testGround()
})
afterEach(() => ground.remove())

const parts = (): { ground: TestGround; roots: string[] } => ({ ground, roots: [ground.root] })

/** A process that says what a test wants it to say. */
function scripted(output: string, { stderr = '', code = 0 }: { stderr?: string; code?: number } = {}): EngineProcess {
  return {
    stdout: (async function* () {
      yield Buffer.from(output, 'latin1')
    })(),
    stderr: Promise.resolve(stderr),
    exit: Promise.resolve(code),
    kill: () => {},
  }
}

test('F-52: the command line of a search', async () => {
  await plant(ground.root, { 'a.txt': 'x\n' })
  const commands: EngineCommand[] = []
  const search = createSearch({
    ...parts(),
    spawn: (command) => {
      commands.push(command)
      return spawnChild(command)
    },
  })
  await grepAll(search, { pattern: '-x', path: '.' })
  const [{ file, args, cwd } = { file: '', args: [], cwd: '' }] = commands
  expect(file).toBe(rgPath)
  for (const flag of ['--no-config', '--hidden', '--no-require-git', '--no-ignore-global', '--null', '--max-columns=500', '--regexp=-x'])
    expect(args).toContain(flag)
  expect(args.slice(-2)).toEqual(['--', './'])
  expect(args).not.toContain('--json')
  expect(cwd).toMatch(new RegExp(`^/proc/${process.pid}/fd/\\d+$`))
})

test('F-53: an engine that fails with hits gives a partial result with a warning, without hits a refusal', async () => {
  await plant(ground.root, { 'a.txt': 'hit\n' })
  const search = (output: string, stderr: string): ReturnType<typeof createSearch> =>
    createSearch({ ...parts(), spawn: () => Promise.resolve(scripted(output, { stderr, code: 2 })) })
  const found = await grepAll(search('./a.txt\x001\x1f1\x1f0\x1fhit\n', 'rg: something broke'), { pattern: 'hit' })
  expect(found).toMatchObject({ total: 1, warnings: ['rg: something broke'] })
  await expect(grepAll(search('', 'rg: something broke'), { pattern: 'hit' })).rejects.toMatchObject({
    code: 'FS_SEARCH_FAILED',
    details: { reason: 'something broke' },
  })
})

test('F-55: files that could not be read are told; one bad directory does not lose the rest', async () => {
  await plant(ground.root, { 'a.txt': 'hit\n' })
  const stderr = 'rg: ./deny: Permission denied (os error 13)\nrg: ./gone: No such file or directory (os error 2)\n'
  const search = createSearch({
    ...parts(),
    spawn: () => Promise.resolve(scripted('./a.txt\x001\x1f1\x1f0\x1fhit\n', { stderr, code: 2 })),
  })
  const found = await grepAll(search, { pattern: 'hit' })
  expect(found).toMatchObject({ total: 1, warnings: [], skipped: { unreadable: ['deny'] } })
  const none = createSearch({ ...parts(), spawn: () => Promise.resolve(scripted('', { stderr, code: 2 })) })
  expect(await grepAll(none, { pattern: 'hit' })).toMatchObject({ total: 0, skipped: { unreadable: ['deny'] } })
})

test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'F-55: the engine itself, as a user who may not read a directory',
  async () => {
    await plant(ground.root, { 'ok/a.txt': 'hit\n', 'deny/b.txt': 'hit\n' })
    const bin = mkdtempSync(join(tmpdir(), 'toolseam-rg-'))
    copyFileSync(rgPath, join(bin, 'rg'))
    for (const path of [bin, join(bin, 'rg'), ground.root, join(ground.root, 'ok')]) chmodSync(path, 0o755)
    chmodSync(join(ground.root, 'deny'), 0)
    try {
      const search = createSearch({
        ...parts(),
        spawn: ({ args }) =>
          new Promise((resolve) => {
            const child = spawn(join(bin, 'rg'), [...args], {
              cwd: ground.root,
              uid: 65_534,
              gid: 65_534,
              stdio: ['ignore', 'pipe', 'pipe'],
            })
            const exit = new Promise<number | null>((settle) => child.once('close', (code) => settle(code)))
            const stderr = (async () => Buffer.concat(await child.stderr.toArray()).toString())()
            resolve({ stdout: child.stdout, stderr, exit, kill: () => void child.kill('SIGKILL') })
          }),
      })
      const found = await grepAll(search, { pattern: 'hit' })
      expect(found.hits.map(({ path }) => path)).toEqual(['ok/a.txt'])
      expect(found.skipped.unreadable).toEqual(['deny'])
    } finally {
      rmSync(bin, { recursive: true })
    }
  },
)

test('F-53: lines that are not in the file as the engine printed them are not given out', async () => {
  await plant(ground.root, { 'a.txt': 'hit\n' })
  const search = createSearch({ ...parts(), spawn: () => Promise.resolve(scripted('./a.txt\x001\x1f1\x1f0\x1fhit SECRET\n')) })
  expect(await grepAll(search, { pattern: 'hit' })).toMatchObject({ hits: [], warnings: ['a.txt: changed during the search'] })
})

test('F-53: a long line is read as a window at the right place behind a byte order mark', async () => {
  const long = `${'x'.repeat(700)}hit${'y'.repeat(900)}`
  await plant(ground.root, {
    'bom.txt': `\uFEFFfirst hit\n${long}\n[Omitted hit\nlast hit`,
    'wide.txt': Buffer.from(`\uFEFFa hit\n${long}\nhit`, 'utf16le'),
  })
  const { hits } = await grepAll(createSearch(parts()), { pattern: 'hit' })
  expect(hits.map(({ path, line, column }) => [path, line, column])).toEqual([
    ['bom.txt', 1, 7],
    ['bom.txt', 2, 701],
    ['bom.txt', 3, 10],
    ['bom.txt', 4, 6],
    ['wide.txt', 1, 3],
    ['wide.txt', 2, 701],
    ['wide.txt', 3, 1],
  ])
  expect(hits.filter(({ line }) => line === 2).map(({ text, cut }) => [/^x{83}hity{164}$/.test(text), cut])).toEqual([
    [true, 'both'],
    [true, 'both'],
  ])
})

test('F-52: nothing is given out of a directory that was moved away, and the place is looked at once a batch', async () => {
  const files = Array.from({ length: 40 }, (_, at) => `d/${String(at).padStart(2, '0')}.txt`)
  await plant(ground.root, Object.fromEntries(files.map((name) => [name, 'hit\n'])))
  let rechecks = 0
  let there = true
  const watched = {
    ...ground,
    walkPlace: async (path: string) => {
      const place = await ground.walkPlace(path)
      return { ...place, recheck: () => ((rechecks += 1), Promise.resolve(there)) }
    },
  }
  const output = files.map((name) => `./${name.slice(2)}\x001\x1f1\x1f0\x1fhit\n`).join('')
  const search = createSearch({ ground: watched, roots: [ground.root], spawn: () => Promise.resolve(scripted(output)) })
  expect((await grepAll(search, { pattern: 'hit', path: 'd' })).hits).toHaveLength(40)
  expect(rechecks).toBe(1)
  there = false
  await expect(grepAll(search, { pattern: 'hit', path: 'd' })).rejects.toMatchObject({ code: 'FS_NOT_FOUND' })
})

test('F-53: the fallback goes on with its worker, and with another one after a pattern that had no end', { timeout: 60_000 }, async () => {
  await plant(ground.root, { 'a.txt': 'hit\n', 'slow.txt': `${'a'.repeat(40)}!\n` })
  const search = createSearch({ ...parts(), engine: 'js' })
  const once = async (): Promise<string[]> => (await grepAll(search, { pattern: 'hit' })).hits.map(({ path }) => path)
  expect(await once()).toEqual(['a.txt'])
  expect(await once()).toEqual(['a.txt'])
  const caller = new AbortController()
  const endless = grepAll(search, { pattern: '(a+)+$', signal: caller.signal })
  setTimeout(() => caller.abort(), 100)
  await expect(endless).rejects.toMatchObject({ code: 'TOOL_ABORTED' })
  expect(await once()).toEqual(['a.txt'])
})

test('F-52: the Subprocess service is taken when there is one, looked up when first used', async () => {
  await plant(ground.root, { 'a.txt': 'hit\n' })
  let started = 0
  const runtime = await createToolRuntime({ plugins: [fs({ root: ground.root })] })
  runtime.services.provide(
    { id: 'toolseam/subprocess' },
    subprocess(() => (started += 1)),
  )
  const result = await runtime.execute({ callId: '1', name: 'grep', arguments: { pattern: 'hit' } })
  expect(result).toMatchObject({ isError: false, value: { total: 1, engine: 'ripgrep' } })
  expect(started).toBe(1)
  await runtime.dispose()
})

test('F-53: a search over the Subprocess port that stops at its limit ends the process', async () => {
  await plant(ground.root, Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}.txt`, 'hit\n'.repeat(2000)])))
  let ended = 0
  const search = createSearch({
    ...parts(),
    spawn: spawnBySubprocess(
      subprocess(
        () => {},
        () => (ended += 1),
      ),
    ),
  })
  expect(await grepAll(search, { pattern: 'hit', limit: 5 })).toMatchObject({ total: 5, truncated: true })
  expect(ended).toBe(1)
})

/** The port of `@toolseam/shell`, over child_process. */
function subprocess(started: () => void, ended: () => void = () => {}): SubprocessPort {
  return {
    spawn({ file, args, cwd, env }) {
      started()
      const child = spawn(file, [...args], { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
      const pipe = (stream: NodeJS.ReadableStream & { destroy(): void }): Parameters<typeof Promise.resolve>[0] & object => ({
        onData: (listener: (chunk: Uint8Array) => void) => void stream.on('data', listener),
        pause: () => void stream.pause(),
        resume: () => void stream.resume(),
        ended: new Promise<void>((resolve) => stream.once('close', resolve)),
        close: () => stream.destroy(),
      })
      const exit = new Promise<{ exitCode: number | null }>((resolve) => child.once('close', (exitCode) => resolve({ exitCode })))
      return Promise.resolve({
        stdout: pipe(child.stdout),
        stderr: pipe(child.stderr),
        exit,
        async kill() {
          ended()
          child.kill('SIGKILL')
          await exit
        },
      } as Awaited<ReturnType<SubprocessPort['spawn']>>)
    },
  }
}

test('F-53: an engine that cannot be started is a refusal with a code', async () => {
  const search = createSearch({ ...parts(), spawn: () => Promise.reject(new Error('no')) })
  await expect(grepAll(search, { pattern: 'x' })).rejects.toMatchObject({ code: 'FS_SEARCH_FAILED' })
  await expect(search.glob({ pattern: '*' })).rejects.toMatchObject({ code: 'FS_SEARCH_FAILED' })
})

test('F-8: memory and overlay are searched by the same engine without a host', async () => {
  const lower = createMemoryFileSystem({ files: { 'a.txt': 'hit\n', '.gitignore': 'dist/\n', 'dist/b.txt': 'hit\n' } })
  expect(await grepAll(lower, { pattern: 'hit' })).toMatchObject({ total: 1, engine: 'js' })
  const overlay = createOverlayFileSystem({ lower })
  await overlay.write(await overlay.resolve('new.txt'), 'hit\n', { rootCallId: 'r', callId: 'c' })
  expect((await grepAll(overlay, { pattern: 'hit' })).hits.map(({ path }) => path)).toEqual(['a.txt', 'new.txt'])
  expect((await overlay.glob({ pattern: '**', order: 'path' })).paths).toEqual(['.gitignore', 'a.txt', 'new.txt'])
})
