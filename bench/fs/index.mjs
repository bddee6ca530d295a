/**
 * npm run bench -- fs: searches, edits, the walk and windows beside what they are built on, in one run.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { open, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createToolRuntime } from '@toolseam/core-tools'
import { createRootedFileSystem, FileSystem, fs } from '@toolseam/fs'
import { median } from '../lib/measure.mjs'
import { report, table } from '../lib/report.mjs'
import { namesCorpus, searchCorpus } from './corpus.mjs'
import { racedWrites } from './races.mjs'

const root = mkdtempSync(join(tmpdir(), 'bench-fs-'))
const rg = ripgrep()
const rows = []
let calls = 0
const intent = () => ({ rootCallId: `b${(calls += 1)}`, callId: `b${calls}` })

try {
  await searches()
  await globs()
  await largeEdit()
  await smallEdit()
  await walks()
  await windows()
  imports()
} finally {
  rmSync(root, { recursive: true, force: true })
}
write()
process.exit(0)

function ripgrep() {
  const fromFs = createRequire(join(import.meta.dirname, '../../packages/fs/package.json'))
  return fromFs('@vscode/ripgrep').rgPath
}

/** Wall time in ms, subjects in turn. */
async function interleaved(subjects, rounds) {
  const samples = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]))
  const names = Object.keys(subjects)
  for (let round = 0; round < rounds + 1; round += 1) {
    for (let index = 0; index < names.length; index += 1) {
      const name = names[(index + round) % names.length]
      const start = performance.now()
      await subjects[name]()
      // The first round warms up.
      if (round > 0) samples[name].push(performance.now() - start)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(samples[name])]))
}

function row(what, { ours, base, baseName, target }) {
  const ratio = base === undefined ? '' : `${(ours / base).toFixed(2)}x`
  rows.push([what, `${ours.toFixed(2)} ms`, base === undefined ? '' : `${base.toFixed(2)} ms (${baseName})`, ratio, target])
}

function engine(args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(rg, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
    child.stdout.resume()
    child.once('error', reject)
    child.once('close', resolve)
  })
}

async function fileSystemOf(folder, options = {}) {
  const runtime = await createToolRuntime({ plugins: [fs({ root: folder, ...options })] })
  return { runtime, fileSystem: runtime.services.require(FileSystem) }
}

async function grepAll(fileSystem, query) {
  const stream = fileSystem.grep(query)
  let hits = 0
  for await (const _hit of stream) hits += 1
  await stream.summary
  return hits
}

async function searches() {
  const folder = join(root, 'search')
  mkdirSync(folder)
  searchCorpus(folder)
  const fast = await fileSystemOf(folder, { engine: 'ripgrep' })
  const script = await fileSystemOf(folder, { engine: 'js' })
  const hits = await grepAll(fast.fileSystem, { pattern: 'needle', limit: 1000 })
  if (hits !== 500) throw new Error(`500 hits expected, ${hits} found`)
  const ms = await interleaved(
    {
      engine: () => engine(['--no-config', '--hidden', '--line-number', '--column', 'needle', '.'], folder),
      ripgrep: () => grepAll(fast.fileSystem, { pattern: 'needle', limit: 1000 }),
      js: () => grepAll(script.fileSystem, { pattern: 'needle', limit: 1000 }),
      broad: () => grepAll(fast.fileSystem, { pattern: 'common', limit: 200 }),
    },
    15,
  )
  row('grep, 500 hits in 2,000 files', { ours: ms.ripgrep, base: ms.engine, baseName: 'engine, discarded', target: '<= 1.3x' })
  row('grep, the same, fallback engine', { ours: ms.js, base: ms.engine, baseName: 'engine, discarded', target: '<= 3x' })
  row('broad grep stopped at 200 of 20,000 hits', { ours: ms.broad, target: '<= 50 ms' })
  await fast.runtime.dispose()
  await script.runtime.dispose()
}

async function globs() {
  const folder = join(root, 'names')
  mkdirSync(folder)
  namesCorpus(folder)
  const { runtime, fileSystem } = await fileSystemOf(folder)
  const found = await fileSystem.glob({ pattern: '**/*.ts', order: 'path', limit: 1000 })
  if (found.total !== 11_000) throw new Error(`11,000 names expected, ${found.total} found`)
  const ms = await interleaved(
    {
      engine: () => engine(['--no-config', '--hidden', '--files'], folder),
      path: () => fileSystem.glob({ pattern: '**/*.ts', order: 'path', limit: 1000 }),
      modified: () => fileSystem.glob({ pattern: '**/*.ts', limit: 1000 }),
    },
    9,
  )
  row('glob, 11,000 of 50,000 files, by path', { ours: ms.path, base: ms.engine, baseName: '`--files`', target: '<= 1.5x' })
  row('glob, the same, newest first', { ours: ms.modified, base: ms.engine, baseName: '`--files`', target: '<= 4x' })
  await runtime.dispose()
}

/** Temp file in the same directory, sync, rename: what an atomic write at least has to do. */
async function bareWrite(path, bytes, { sync }) {
  const temp = join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`)
  if (!sync) {
    await writeFile(temp, bytes)
    return rename(temp, path)
  }
  const file = await open(temp, 'wx', 0o600)
  await file.writeFile(bytes)
  await file.sync()
  await file.close()
  await rename(temp, path)
}

async function largeEdit() {
  const folder = join(root, 'large')
  mkdirSync(folder)
  const path = join(folder, 'big.txt')
  const line = 'a line of a large file that nobody ever reads to its end, number '
  writeFileSync(
    path,
    Array.from({ length: 700_000 }, (_, index) => `${line}${index}\n`)
      .join('')
      .slice(0, 50 * 1024 * 1024),
  )
  const fileSystem = await createRootedFileSystem({ root: folder, persist: false })
  const journalled = await fileSystemOf(folder)
  let turn = 0
  const edit = async (over) => {
    const target = await over.resolve('big.txt')
    turn += 1
    await over.edit(
      target,
      [{ old: `number ${turn % 2 === 1 ? '300000' : 'X300000'}\n`, new: `number ${turn % 2 === 1 ? 'X300000' : '300000'}\n` }],
      { ...intent(), expect: 'any' },
    )
  }
  const ms = await interleaved(
    {
      bare: async () => bareWrite(path, await readFile(path), { sync: true }),
      edit: () => edit(fileSystem),
      journalled: () => edit(journalled.fileSystem),
    },
    6,
  )
  row('edit of a 50 MB file', { ours: ms.edit, base: ms.bare, baseName: 'read + atomic write', target: '<= 1.6x' })
  row('the same with the journal (the pre-image is kept)', {
    ours: ms.journalled,
    base: ms.bare,
    baseName: 'read + atomic write',
    target: '',
  })
  await fileSystem.close()
  await journalled.runtime.dispose()
}

async function smallEdit() {
  const folder = join(root, 'small')
  mkdirSync(folder)
  const path = join(folder, 'a.ts')
  const text = Array.from({ length: 400 }, (_, index) => `const value${index} = compute(${index}) // of fifty bytes\n`)
    .join('')
    .slice(0, 20 * 1024)
  writeFileSync(path, text)
  const { runtime, fileSystem } = await fileSystemOf(folder)
  const target = await fileSystem.resolve('a.ts')
  await fileSystem.readText(target, {})
  let turn = 0
  const ms = await interleaved(
    {
      bare: async () => bareWrite(path.replace('a.ts', 'b.ts'), text, { sync: false }),
      synced: async () => bareWrite(path.replace('a.ts', 'b.ts'), text, { sync: true }),
      edit: async () => {
        turn += 1
        const [old, next] = turn % 2 === 1 ? ['value7 ', 'VALUE7 '] : ['VALUE7 ', 'value7 ']
        await fileSystem.edit(await fileSystem.resolve('a.ts'), [{ old, new: next }], intent())
      },
    },
    200,
  )
  row('edit of 20 KB with guard, journal and fsync', {
    ours: ms.edit,
    base: ms.synced,
    baseName: 'bare temp + fsync + rename',
    target: '<= 3x',
  })
  row('the same', { ours: ms.edit, base: ms.bare, baseName: 'bare temp + rename, no fsync', target: '' })
  await runtime.dispose()
}

async function walks() {
  const folder = join(root, 'walk')
  const deep = join(folder, 'a/b/c/d/e')
  mkdirSync(deep, { recursive: true })
  writeFileSync(join(deep, 'f.txt'), 'x')
  const fileSystem = await createRootedFileSystem({ root: folder, persist: false })
  const repeat = (times, run) => async () => {
    for (let index = 0; index < times; index += 1) await run()
  }
  const check = async () => {
    const real = await realpath(join(deep, 'f.txt'))
    if (!real.startsWith(folder)) throw new Error('outside')
    const file = await open(real, 'r')
    await file.stat()
    await file.close()
  }
  const walk = async () => {
    await fileSystem.readBytes(await fileSystem.resolve('a/b/c/d/e/f.txt'), { offset: 0, length: 1 })
  }
  const one = async () => {
    const place = await fileSystem.ground.walkPlace('a/b/c/d/e/f.txt')
    place.close()
  }
  const ms = await interleaved(
    {
      check: repeat(500, check),
      only: repeat(500, async () => realpath(join(deep, 'f.txt'))),
      one: repeat(500, one),
      walk: repeat(500, walk),
    },
    9,
  )
  row('walk at depth 6, file held open (one of 500)', {
    ours: ms.one / 500,
    base: ms.check / 500,
    baseName: 'realpath, prefix check, open, stat',
    target: '<= 1.5x',
  })
  row('resolve + read of a byte: two walks (one of 500)', {
    ours: ms.walk / 500,
    base: ms.check / 500,
    baseName: 'realpath, prefix check, open, stat',
    target: '',
  })
  row('walk (one of 500)', { ours: ms.one / 500, base: ms.only / 500, baseName: 'realpath alone', target: '' })
  await fileSystem.close()
  const raced = await racedWrites(join(root, 'raced'), 20_000)
  rows.push([
    `${raced.attempts.toLocaleString('en-US')} writes against a swapped directory (${raced.landed.toLocaleString('en-US')} landed inside, ${raced.swaps.toLocaleString('en-US')} swaps)`,
    `${raced.escaped} escaped`,
    '',
    '',
    '0',
  ])
}

async function windows() {
  const path = join(root, 'window.log')
  writeFileSync(path, Array.from({ length: 5000 }, (_, index) => `first ${index}\n`).join(''))
  truncateSync(path, 600 * 1024 * 1024)
  appendFileSync(path, `\n${Array.from({ length: 200 }, (_, index) => `last ${index}\n`).join('')}`)
  const fileSystem = await createRootedFileSystem({ root, persist: false })
  const target = await fileSystem.resolve('window.log')
  const before = process.memoryUsage().rss
  const ms = await interleaved({ head: () => fileSystem.readText(target, {}), tail: () => fileSystem.readText(target, { tail: 100 }) }, 9)
  const grown = Math.max(0, process.memoryUsage().rss - before) / 2 ** 20
  row('first window of 600 MB', { ours: ms.head, target: '<= 100 ms' })
  row('last 100 lines of 600 MB', { ours: ms.tail, target: '<= 100 ms' })
  rows.push(['memory growth over both, 9 times', `${grown.toFixed(1)} MiB`, '', '', '<= 32 MiB'])
  await fileSystem.close()
}

function imports() {
  const took = (before) =>
    median(
      Array.from({ length: 7 }, () => {
        const script = `${before}; const s = performance.now(); await import('@toolseam/fs'); console.log(performance.now() - s)`
        return Number(
          spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname, encoding: 'utf8' }).stdout,
        )
      }),
    )
  row('import of @toolseam/fs, where core-tools is there already', {
    ours: took("await import('@toolseam/core-tools')"),
    target: '<= 40 ms',
  })
  row('the same with core-tools', { ours: took(''), target: '' })
}

function write() {
  report('fs', {
    title: '@toolseam/fs beside what it is built on',
    command: 'npm run bench -- fs',
    packages: ['@toolseam/fs', '@toolseam/core-tools'],
    body: table(['what', 'ours (median)', 'beside it', 'ratio', 'target'], rows),
    notes: [
      'All subjects of a line run in one process, in turn; wall time.',
      'The engine is the ripgrep binary of `@vscode/ripgrep`, started with plain options and its output thrown away.',
      'A ratio against a write without fsync compares durability with none: both are shown.',
    ],
  })
}
