import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRootedFileSystem } from '../../src/providers/rooted/index.ts'
import { intent } from '../../src/testing/file-system-contract.ts'
import { diskWorld, tempFolder, type DiskWorld } from '../worlds.ts'

let world: DiskWorld
let outside: string
beforeEach(async () => {
  world = await diskWorld()
  outside = mkdtempSync(join(tmpdir(), 'toolseam-outside-'))
  writeFileSync(join(outside, 'victim.txt'), 'original')
})
afterEach(async () => {
  await world.close()
  rmSync(outside, { recursive: true, force: true })
})

const link = (path: string, target: string): void => symlinkSync(target, join(world.root, path))
const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  )

describe('outside', () => {
  test('F-3, F-11, F-14: every way out is refused on every verb', async () => {
    const { fileSystem } = world
    link('leaf', join(outside, 'victim.txt'))
    link('dir', outside)
    link('dangling', join(outside, 'new.txt'))
    link('rootlink', '/')
    link('up', '..')
    const ways = [
      'leaf',
      'dir/x.txt',
      'dir',
      'dangling',
      'rootlink/etc/passwd',
      'up/x',
      '../x',
      'a/../../x',
      '/etc/passwd',
      `${world.root}x/y`,
    ]
    const magic = ['/proc/self/root/etc/passwd', '/proc/self/cwd', '/proc/1/fd/0', '/dev/fd/0', '/dev/stdin']
    for (const path of [...ways, ...magic]) expect([path, await codeOf(fileSystem.resolve(path))]).toEqual([path, 'FS_OUTSIDE_ROOT'])
    expect(readdirSync(outside)).toEqual(['victim.txt'])
    expect(readFileSync(join(outside, 'victim.txt'), 'utf8')).toBe('original')
  })

  test('F-14: magic paths are outside under a root of /', async () => {
    const whole = await createRootedFileSystem({ root: '/', persist: false })
    try {
      for (const path of [
        '/proc/self/root/etc/passwd',
        '/proc/self/fd/0',
        '/proc/self/task/1/cwd',
        '/dev/fd/0',
        '/dev/stdin',
        'proc/self/environ/../root',
      ]) {
        expect([path, await codeOf(whole.resolve(path))]).toEqual([path, expect.stringMatching(/FS_OUTSIDE_ROOT|FS_NOT_DIRECTORY/)])
      }
      link('magic', '/proc/self/root')
      expect(await codeOf(whole.resolve(join(world.root, 'magic/etc')))).toBe('FS_OUTSIDE_ROOT')
      expect((await whole.resolve(join(world.root, 'a.txt'))).absolute).toBe(join(world.root, 'a.txt'))
    } finally {
      await whole.close()
    }
  })

  test('F-14, F-16: a path in a second root is allowed, absolute, and read-only where it says so', async () => {
    writeFileSync(join(outside, 'second.txt'), 'second\n')
    const both = await createRootedFileSystem({ root: world.root, roots: [{ path: outside, readOnly: true }], persist: false })
    try {
      const target = await both.resolve(join(outside, 'second.txt'))
      expect(target.path).toBe(join(outside, 'second.txt'))
      expect((await both.readText(target, {})).text).toBe('second')
      expect(await codeOf(both.write(target, 'x', intent()))).toBe('FS_READ_ONLY')
      expect(await codeOf(both.resolve('../second.txt'))).toBe('FS_OUTSIDE_ROOT')
      link('to-second', join(outside, 'second.txt'))
      expect((await both.resolve('to-second')).key).toBe(target.key)
    } finally {
      await both.close()
    }
  })

  test('F-10, F-11: aliases share one key; `..` is taken after links', async () => {
    world.put('d/e/a.txt', 'a')
    link('l', 'd/e')
    const keys = await Promise.all(
      ['d/e/a.txt', './d//e/./a.txt', 'l/a.txt', 'd/e/../e/a.txt', 'l/../e/a.txt', join(world.root, 'l/a.txt')].map(
        async (path) => (await world.fileSystem.resolve(path)).key,
      ),
    )
    expect(new Set(keys).size).toBe(1)
  })

  test('F-11: 40 links are followed, 41 are a loop', async () => {
    world.put('end.txt', 'end\n')
    for (let at = 1; at <= 41; at += 1) link(`l${at}`, at === 1 ? 'end.txt' : `l${at - 1}`)
    expect((await world.fileSystem.resolve('l40')).path).toBe('end.txt')
    expect(await codeOf(world.fileSystem.resolve('l41'))).toBe('FS_LOOP')
  })

  test('F-11: a dangling link that points inside creates its target and stays a link', async () => {
    link('dangling', 'd/new.txt')
    await world.fileSystem.write(await world.fileSystem.resolve('dangling'), 'x', intent())
    expect(readFileSync(join(world.root, 'd/new.txt'), 'utf8')).toBe('x')
    expect(world.paths()).toEqual(['d/', 'd/new.txt', 'dangling'])
  })

  test('F-11: move and delete act on the link itself', async () => {
    world.put('a.txt', 'a\n')
    link('l', 'a.txt')
    const keep = { leaf: 'keep' as const }
    await world.fileSystem.move(await world.fileSystem.resolve('l', keep), await world.fileSystem.resolve('m', keep), intent())
    await world.fileSystem.remove(await world.fileSystem.resolve('m', keep), intent())
    expect(world.paths()).toEqual(['a.txt'])
  })
})

describe('kinds and names', () => {
  test('F-12: FIFO, socket and device are refused at once, and a waiting writer keeps waiting', async () => {
    execFileSync('mkfifo', [join(world.root, 'p')])
    link('device', '/dev/null')
    const server = createServer().listen(join(world.root, 's'))
    await once(server, 'listening')
    const writer = spawn('sh', ['-c', `echo x > "${join(world.root, 'p')}"`])
    for (const [path, kind] of [
      ['p', 'fifo'],
      ['s', 'socket'],
    ] as const) {
      const target = await world.fileSystem.resolve(path)
      const start = performance.now()
      await expect(world.fileSystem.readText(target, {})).rejects.toMatchObject({ code: 'FS_NOT_REGULAR', details: { kind } })
      await expect(world.fileSystem.write(target, 'x', intent())).rejects.toMatchObject({ code: 'FS_NOT_REGULAR', details: { kind } })
      await expect(world.fileSystem.edit(target, [{ old: 'a', new: 'b' }], intent())).rejects.toMatchObject({ code: 'FS_NOT_REGULAR' })
      expect(performance.now() - start).toBeLessThan(1000)
    }
    expect(await codeOf(world.fileSystem.resolve('device'))).toBe('FS_OUTSIDE_ROOT')
    expect(writer.exitCode).toBe(null)
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    server.close()
    await once(server, 'close')
  })

  test('F-12: a device inside a root is no file', async () => {
    const dev = await createRootedFileSystem({ root: '/dev', persist: false })
    await expect(dev.readText(await dev.resolve('null'), {})).rejects.toMatchObject({ code: 'FS_NOT_REGULAR', details: { kind: 'device' } })
    await dev.close()
  })

  test('F-12: a file where a directory is meant, and the reverse', async () => {
    world.put('f', 'x')
    world.put('d/x', 'x')
    expect(await codeOf(world.fileSystem.resolve('f/below'))).toBe('FS_NOT_DIRECTORY')
    expect(await codeOf(world.fileSystem.list(await world.fileSystem.resolve('f')))).toBe('FS_NOT_DIRECTORY')
    expect(await codeOf(world.fileSystem.readText(await world.fileSystem.resolve('d'), {}))).toBe('FS_IS_DIRECTORY')
  })

  test('F-16: dash, newline, bracket, no-break space are names like others; those that are not UTF-8 are listed with their bytes', async () => {
    const names = ['-n', 'a\nb', '[id].txt', 'a\u00a0b', '~', ' lead']
    for (const name of names) {
      await world.fileSystem.write(await world.fileSystem.resolve(name), `${name}\n`, intent())
      expect((await world.fileSystem.readText(await world.fileSystem.resolve(name), {})).size).toBe(Buffer.byteLength(`${name}\n`))
    }
    writeFileSync(Buffer.concat([Buffer.from(`${world.root}/bad-`), Buffer.from([0xff, 0xfe])]), 'x')
    const { entries } = await world.fileSystem.list(await world.fileSystem.resolve('.'))
    expect(
      entries.filter((entry) => entry.raw !== undefined).map(({ raw }) => Buffer.from(raw ?? '', 'base64').toString('latin1')),
    ).toEqual(['bad-\xff\xfe'])
    expect(entries.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
  })

  test('F-15: two twins are refused for both, the exact name always wins', async () => {
    world.put('cafe\u0301.txt', 'decomposed\n')
    world.put('caf\u00e9.txt', 'composed\n')
    expect((await world.fileSystem.readText(await world.fileSystem.resolve('caf\u00e9.txt'), {})).text).toBe('composed')
    world.put('\u212bngstrom.txt', 'sign\n')
    world.put('A\u030angstrom.txt', 'combined\n')
    const target = await world.fileSystem.resolve('\u00c5ngstrom.txt')
    await expect(world.fileSystem.readText(target, {})).rejects.toMatchObject({
      code: 'FS_NOT_FOUND',
      details: { candidates: expect.arrayContaining(['A\u030angstrom.txt', '\u212bngstrom.txt']) },
    })
  })

  test('F-17: the state folder is 0700 with a .gitignore, also when a link stands in its place nothing is written there', async () => {
    const kept = await createRootedFileSystem({ root: world.root })
    world.put('a.txt', 'a\n')
    await kept.readText(await kept.resolve('a.txt'), {})
    await kept.close()
    expect(execFileSync('stat', ['-c', '%a', join(world.root, '.toolseam')], { encoding: 'utf8' }).trim()).toBe('700')
    expect(readFileSync(join(world.root, '.toolseam/.gitignore'), 'utf8')).toBe('*\n')
    rmSync(join(world.root, '.toolseam'), { recursive: true })
    symlinkSync(outside, join(world.root, '.toolseam'))
    const linked = await createRootedFileSystem({ root: world.root })
    await linked.readText(await linked.resolve('a.txt'), {})
    await linked.close()
    expect(readdirSync(outside)).toEqual(['victim.txt'])
  })
})

describe('races', () => {
  /** Swaps a directory against a link to the outside, as fast as it can. */
  const SWAPPER = `
    const { parentPort, workerData } = require('node:worker_threads')
    const fs = require('node:fs')
    const { dir, aside, outside } = workerData
    let stop = false
    let swaps = 0
    parentPort.on('message', () => { stop = true })
    function turn() {
      for (let round = 0; round < 50; round += 1) {
        // A write may make the directory anew meanwhile, as it may: it goes again.
        const make = (step) => { for (;;) { try { step(); return } catch {} try { fs.rmSync(dir, { recursive: true, force: true }) } catch {} } }
        fs.renameSync(dir, aside)
        make(() => fs.symlinkSync(outside, dir))
        try { fs.unlinkSync(dir) } catch {}
        make(() => fs.renameSync(aside, dir))
        swaps += 1
      }
      if (stop) { parentPort.postMessage(swaps); parentPort.close() } else setImmediate(turn)
    }
    turn()`

  test(
    'F-3: writes, reads and looks against a swapped directory: none lands outside (20,000 writes: bench/fs)',
    { timeout: 120_000 },
    async () => {
      const { fileSystem } = world
      const dir = join(world.root, 'a/b')
      mkdirSync(dir, { recursive: true })
      writeFileSync(join(dir, 'secret.txt'), 'inside\n')
      writeFileSync(join(outside, 'secret.txt'), 'outside\n')
      const swapper = new Worker(SWAPPER, { eval: true, workerData: { dir, aside: join(world.root, 'a/aside'), outside } })
      const outcomes = new Map<string, number>()
      const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      const attempt = async (index: number): Promise<void> => {
        try {
          if (index % 10 === 0) {
            const { text } = await fileSystem.readText(await fileSystem.resolve('a/b/secret.txt'), {})
            count(text)
            return
          }
          const target = await fileSystem.resolve(`a/b/f${index % 7}.txt`)
          if (index % 2 === 1) count((await fileSystem.write(target, `${index}\n`, intent({ expect: 'any' }))).kind)
          else count((await fileSystem.stat(target)).kind)
        } catch (error) {
          count(String((error as { code?: string }).code))
        }
      }
      for (let from = 0; from < 3000; from += 20) await Promise.all(Array.from({ length: 20 }, (_, index) => attempt(from + index)))
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
      swapper.postMessage('stop')
      // Rejects when the swapper failed.
      const [swaps] = (await once(swapper, 'message')) as [number]
      await once(swapper, 'exit')
      expect(swaps).toBeGreaterThan(0)
      expect(outcomes.has('outside')).toBe(false)
      expect(readdirSync(outside).sort()).toEqual(['secret.txt', 'victim.txt'])
      const strange = [...outcomes.keys()].filter(
        (outcome) =>
          !/^(inside|create|modify|file|missing|FS_OUTSIDE_ROOT|FS_NOT_FOUND|FS_NOT_DIRECTORY|FS_ALREADY_EXISTS|FS_LOOP|FS_STALE_VERSION)$/.test(
            outcome,
          ),
      )
      expect(strange).toEqual([])
      expect((outcomes.get('modify') ?? 0) + (outcomes.get('create') ?? 0)).toBeGreaterThan(0)
    },
  )

  test('F-3: a directory that was moved out of the root while a write was on its way is not written into', async () => {
    world.put('d/a.txt', 'a\n')
    const moved = tempFolder('moved')
    const target = await world.fileSystem.resolve('d/b.txt')
    // The move happens between the walk and the rename: the signal is looked at right before it.
    const signal = {
      get aborted() {
        if (existsSync(join(world.root, 'd'))) renameSync(join(world.root, 'd'), join(moved, 'd'))
        return false
      },
    } as AbortSignal
    await expect(world.fileSystem.write(target, 'x', intent({ signal, expect: 'any' }))).rejects.toMatchObject({
      code: expect.stringMatching(/^FS_/),
    })
    expect(existsSync(join(moved, 'd/b.txt'))).toBe(false)
    rmSync(moved, { recursive: true })
  })
})

test('F-13: the path walk says that it is not race-free and refuses links out as the descriptor walk does', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'toolseam-out-'))
  const root = mkdtempSync(join(tmpdir(), 'toolseam-in-'))
  writeFileSync(join(outside, 'secret'), 'secret')
  symlinkSync(outside, join(root, 'out'))
  const fileSystem = await createRootedFileSystem({ root, persist: false, walk: 'path' })
  try {
    expect(fileSystem.raceFree).toBe(false)
    await expect(fileSystem.resolve('out/secret')).rejects.toMatchObject({ code: 'FS_OUTSIDE_ROOT' })
    expect(existsSync(join(outside, 'secret'))).toBe(true)
  } finally {
    await fileSystem.close()
    for (const folder of [outside, root]) rmSync(folder, { recursive: true, force: true })
  }
})
