import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  appendFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRootedFileSystem } from '../../src/providers/rooted/index.ts'
import { intent } from '../../src/testing/file-system-contract.ts'
import { buildRooted } from '../built.ts'
import { diskWorld, type DiskWorld } from '../worlds.ts'

let world: DiskWorld
beforeEach(async () => {
  world = await diskWorld()
})
afterEach(() => world.close())

const seen = async (path: string): ReturnType<DiskWorld['fileSystem']['resolve']> => {
  const target = await world.fileSystem.resolve(path)
  await world.fileSystem.readText(target, {})
  return target
}
const modeOf = (path: string): string => (statSync(join(world.root, path)).mode & 0o7777).toString(8)
const canMount =
  spawnSync('bash', ['-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs "$d" && umount "$d" && rmdir "$d"']).status === 0

describe('modes and owners', () => {
  test('F-31: mode bits survive edit and write, set-id bits are dropped and told, new files follow umask', async () => {
    world.put('run.sh', '#!/bin/sh\necho 1\n', 0o755)
    world.put('s.txt', 'secret\n', 0o640)
    world.put('setid', 'x\n')
    chmodSync(join(world.root, 'setid'), 0o4755)
    await world.fileSystem.edit(await seen('run.sh'), [{ old: 'echo 1', new: 'echo 2' }], intent())
    await world.fileSystem.write(await seen('s.txt'), 'new\n', intent())
    const change = await world.fileSystem.write(await seen('setid'), 'y\n', intent())
    const before = process.umask(0o027)
    try {
      await world.fileSystem.write(await world.fileSystem.resolve('fresh'), 'x', intent())
    } finally {
      process.umask(before)
    }
    expect([modeOf('run.sh'), modeOf('s.txt'), modeOf('setid'), modeOf('fresh')]).toEqual(['755', '640', '755', '640'])
    expect(change.notes.join()).toContain('set-id')
  })

  test('F-31: the owner survives where the host permits it', async (context) => {
    if (process.getuid?.() !== 0) return context.skip()
    world.put('a.txt', 'a\n')
    execFileSync('chown', ['1234:4321', join(world.root, 'a.txt')])
    await world.fileSystem.write(await seen('a.txt'), 'b\n', intent())
    expect([statSync(join(world.root, 'a.txt')).uid, statSync(join(world.root, 'a.txt')).gid]).toEqual([1234, 4321])
  })
})

describe('in place', () => {
  test('F-33: a file with hard links is written in place and told; the other name shows it too', async () => {
    world.put('a.txt', 'one\ntwo\n')
    linkSync(join(world.root, 'a.txt'), join(world.root, 'b.txt'))
    const inode = statSync(join(world.root, 'a.txt')).ino
    const change = await world.fileSystem.edit(await seen('a.txt'), [{ old: 'one', new: 'a much longer first line' }], intent())
    expect(change.notes.join()).toContain('in place')
    expect(readFileSync(join(world.root, 'b.txt'), 'utf8')).toBe('a much longer first line\ntwo\n')
    expect(statSync(join(world.root, 'a.txt')).ino).toBe(inode)
    // Aliases share what was seen.
    await world.fileSystem.write(await world.fileSystem.resolve('b.txt'), 'short\n', intent())
    expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('short\n')
    await world.fileSystem.patch([{ kind: 'update', path: 'a.txt', hunks: [{ old: ['short'], new: ['patched'] }] }], intent())
    expect(readFileSync(join(world.root, 'b.txt'), 'utf8')).toBe('patched\n')
  })

  test('F-33: hardLinks refuse', async () => {
    world.put('a.txt', 'one\n')
    linkSync(join(world.root, 'a.txt'), join(world.root, 'b.txt'))
    const strict = await createRootedFileSystem({ root: world.root, persist: false, hardLinks: 'refuse' })
    const target = await strict.resolve('a.txt')
    await strict.readText(target, {})
    await expect(strict.write(target, 'x', intent())).rejects.toMatchObject({ code: 'FS_HARD_LINK', details: { links: 2 } })
    await strict.close()
    expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('one\n')
  })

  test('F-33: a directory that cannot be written while the file can', async (context) => {
    world.put('d/a.txt', 'one\n')
    const locked = spawnSync('chattr', ['+i', join(world.root, 'd')])
    if (locked.status !== 0) return context.skip()
    try {
      const change = await world.fileSystem.edit(await seen('d/a.txt'), [{ old: 'one', new: 'two' }], intent())
      expect(change.notes.join()).toContain('in place')
      await expect(world.fileSystem.write(await world.fileSystem.resolve('d/new.txt'), 'x', intent())).rejects.toMatchObject({
        code: 'FS_PERMISSION',
      })
    } finally {
      spawnSync('chattr', ['-i', join(world.root, 'd')])
    }
    expect([readFileSync(join(world.root, 'd/a.txt'), 'utf8'), readdirSync(join(world.root, 'd'))]).toEqual(['two\n', ['a.txt']])
  })
})

describe('versions', () => {
  test('F-20: same size and mtime with other bytes is stale', async () => {
    world.put('a.txt', 'line\n')
    const target = await seen('a.txt')
    const { atime, mtime } = statSync(join(world.root, 'a.txt'))
    writeFileSync(join(world.root, 'a.txt'), 'LINE\n')
    utimesSync(join(world.root, 'a.txt'), atime, mtime)
    await expect(world.fileSystem.write(target, 'x\n', intent())).rejects.toMatchObject({ code: 'FS_STALE_VERSION' })
  })

  test('F-20: a touch is not a change, nor is the same content in another inode', async () => {
    world.put('a.txt', 'line\n')
    const target = await seen('a.txt')
    utimesSync(join(world.root, 'a.txt'), 1, 1)
    await world.fileSystem.edit(target, [{ old: 'line', new: 'two' }], intent())
    world.remove('a.txt')
    world.put('a.txt', 'two\n')
    await world.fileSystem.edit(target, [{ old: 'two', new: 'three' }], intent())
    expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('three\n')
  })

  test('F-22: deleted and recreated with other content meanwhile is stale', async () => {
    world.put('a.txt', 'line\n')
    const target = await seen('a.txt')
    world.remove('a.txt')
    world.put('a.txt', 'other\n')
    await expect(world.fileSystem.write(target, 'x\n', intent())).rejects.toMatchObject({ code: 'FS_STALE_VERSION' })
  })

  test('F-20: a large file is told by its stamp', async () => {
    world.put('big.txt', Buffer.alloc(9 * 1024 * 1024, 'abcdefg\n'))
    const target = await seen('big.txt')
    const change = await world.fileSystem.edit(target, [{ old: 'x', new: 'y' }], intent()).catch((error: { code: string }) => error)
    expect(change).toMatchObject({ code: 'FS_NO_MATCH' })
    appendFileSync(join(world.root, 'big.txt'), 'x\n')
    await expect(world.fileSystem.edit(target, [{ old: 'x', new: 'y' }], intent())).rejects.toMatchObject({ code: 'FS_STALE_VERSION' })
  })

  test('F-25: observations persist to a second process; damage is forgotten', async () => {
    world.put('a.txt', 'line\n')
    const first = await createRootedFileSystem({ root: world.root })
    await first.readText(await first.resolve('a.txt', { agent: 'main/1' }), {})
    await first.close()
    const built = buildRooted()
    try {
      const script = `
        const { createRootedFileSystem } = await import(${JSON.stringify(built.url)})
        const fs = await createRootedFileSystem({ root: ${JSON.stringify(world.root)} })
        await fs.write(await fs.resolve('a.txt', { agent: 'main/1' }), 'by another process\\n', { agent: 'main/1', rootCallId: 'r', callId: 'c' })
        await fs.close()`
      execFileSync(process.execPath, ['--input-type=module', '-e', script])
    } finally {
      built.remove()
    }
    expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('by another process\n')
    const second = await createRootedFileSystem({ root: world.root })
    await second.write(await second.resolve('a.txt', { agent: 'main/1' }), 'two\n', intent({ agent: 'main/1' }))
    await expect(second.write(await second.resolve('a.txt'), 'x\n', intent({ agent: 'other' }))).rejects.toMatchObject({
      code: 'FS_NOT_OBSERVED',
    })
    await second.close()
    for (const name of readdirSync(join(world.root, '.toolseam/observations')))
      writeFileSync(join(world.root, '.toolseam/observations', name), '{"format":1,"records":[[1')
    const third = await createRootedFileSystem({ root: world.root })
    await expect(third.write(await third.resolve('a.txt'), 'x\n', intent({ agent: 'main/1' }))).rejects.toMatchObject({
      code: 'FS_NOT_OBSERVED',
    })
    await third.close()
  })
})

describe('faults of the host', () => {
  test.skipIf(!canMount)(
    `F-32, F-36: a full disk leaves old files whole and no litter, on write, edit and patch${canMount ? '' : ' (skipped: mounting is not permitted here)'}`,
    async () => {
      mkdirSync(join(world.root, 't'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', join(world.root, 't')])
      try {
        world.put('t/a.txt', 'a\n'.repeat(1000))
        world.put('t/b.txt', 'b\n')
        const big = 'z'.repeat(400_000)
        const [a] = [await seen('t/a.txt'), await seen('t/b.txt')]
        await expect(world.fileSystem.write(a, big, intent())).rejects.toMatchObject({ code: 'FS_DISK_FULL' })
        await expect(world.fileSystem.write(await world.fileSystem.resolve('t/n/e/w.txt'), big, intent())).rejects.toMatchObject({
          code: 'FS_DISK_FULL',
        })
        await expect(
          world.fileSystem.edit(await world.fileSystem.resolve('t/b.txt'), [{ old: 'b', new: big }], intent()),
        ).rejects.toMatchObject({ code: 'FS_DISK_FULL' })
        const patch = world.fileSystem.patch(
          [
            { kind: 'update', path: 't/b.txt', hunks: [{ old: ['b'], new: ['B'] }] },
            { kind: 'add', path: 't/c.txt', content: big },
          ],
          intent(),
        )
        await expect(patch).rejects.toMatchObject({ code: 'FS_DISK_FULL' })
        expect(readdirSync(join(world.root, 't')).sort()).toEqual(['a.txt', 'b.txt'])
        expect([statSync(join(world.root, 't/a.txt')).size, readFileSync(join(world.root, 't/b.txt'), 'utf8')]).toEqual([2000, 'b\n'])
      } finally {
        execFileSync('umount', [join(world.root, 't')])
      }
    },
  )

  test.skipIf(!canMount)(
    `F-32: a read-only file system is told${canMount ? '' : ' (skipped: mounting is not permitted here)'}`,
    async () => {
      mkdirSync(join(world.root, 't'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', join(world.root, 't')])
      try {
        world.put('t/a.txt', 'a\n')
        execFileSync('mount', ['-o', 'remount,ro', join(world.root, 't')])
        await expect(world.fileSystem.write(await seen('t/a.txt'), 'x', intent())).rejects.toMatchObject({ code: 'FS_READ_ONLY' })
        await expect(world.fileSystem.write(await world.fileSystem.resolve('t/n.txt'), 'x', intent())).rejects.toMatchObject({
          code: 'FS_READ_ONLY',
        })
      } finally {
        execFileSync('umount', [join(world.root, 't')])
      }
    },
  )

  test.skipIf(!canMount)(
    `F-1: a move between file systems copies whole, then removes${canMount ? '' : ' (skipped: mounting is not permitted here)'}`,
    async () => {
      mkdirSync(join(world.root, 't'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', join(world.root, 't')])
      try {
        world.put('a.txt', 'a\n', 0o640)
        await seen('a.txt')
        const keep = { leaf: 'keep' as const }
        await world.fileSystem.move(
          await world.fileSystem.resolve('a.txt', keep),
          await world.fileSystem.resolve('t/a.txt', keep),
          intent(),
        )
        expect([world.paths(), modeOf('t/a.txt')]).toEqual([['t/', 't/a.txt'], '640'])
      } finally {
        execFileSync('umount', [join(world.root, 't')])
      }
    },
  )

  test('F-2: kill -9 in mid-write: the old or the new file, whole', { timeout: 60_000 }, async () => {
    const content = 'x'.repeat(200_000)
    world.put('a.txt', `${content}0\n`)
    const built = buildRooted()
    for (let round = 0; round < 4; round += 1) {
      const child = spawn(
        process.execPath,
        ['--input-type=module', '-e', killable(built.url, { root: world.root, length: content.length })],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      await once(child.stdout, 'data')
      await new Promise((resolve) => setTimeout(resolve, 5 + round * 13))
      child.kill('SIGKILL')
      await once(child, 'exit')
      const now = readFileSync(join(world.root, 'a.txt'), 'utf8')
      expect(now).toMatch(/^x{200000}\d+\n$/)
    }
    built.remove()
  })
})

/** Writes the file over and over until it is killed. */
function killable(url: string, { root, length }: { root: string; length: number }): string {
  return `
    import { createRootedFileSystem } from ${JSON.stringify(url)}
    const fs = await createRootedFileSystem({ root: ${JSON.stringify(root)}, persist: false })
    const content = 'x'.repeat(${length})
    for (let round = 1; ; round += 1) {
      await fs.write(await fs.resolve('a.txt'), content + round + '\\n', { rootCallId: 'r', callId: 'c', expect: 'any' })
      if (round === 1) console.log('started')
    }`
}

describe('large and growing files', () => {
  test('F-50: 600 MB, sparse: the first window and the tail come at once, memory stays', async () => {
    const path = join(world.root, 'big.log')
    writeFileSync(path, Array.from({ length: 3000 }, (_, index) => `first ${index}\n`).join(''))
    truncateSync(path, 600 * 1024 * 1024)
    appendFileSync(path, `\n${Array.from({ length: 100 }, (_, index) => `last ${index}\n`).join('')}`)
    const target = await world.fileSystem.resolve('big.log')
    const rss = process.memoryUsage().rss
    const start = performance.now()
    const head = await world.fileSystem.readText(target, {})
    expect(head).toMatchObject({ startLine: 1, endLine: 2000, totalLines: null, truncated: true })
    const tail = await world.fileSystem.readText(target, { tail: 3 })
    expect(tail).toMatchObject({ text: 'last 97\nlast 98\nlast 99', startLine: -3, endLine: -1, totalLines: null })
    // Ten times the target: a slow, busy machine is no failure; reading it all would take far longer.
    expect(performance.now() - start).toBeLessThan(2000)
    expect(process.memoryUsage().rss - rss).toBeLessThan(96 * 1024 * 1024)
    await expect(world.fileSystem.edit(target, [{ old: 'first 1\n', new: 'x\n' }], intent())).rejects.toMatchObject({
      code: 'FS_TOO_LARGE',
    })
  })

  test('F-22: a file that grows while it is read is stale afterwards', async () => {
    world.put('grow.txt', 'line\n'.repeat(1000))
    let stop = false
    const grower = (async () => {
      while (!stop) {
        appendFileSync(join(world.root, 'grow.txt'), 'more\n')
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    const target = await world.fileSystem.resolve('grow.txt')
    const { text } = await world.fileSystem.readText(target, {})
    appendFileSync(join(world.root, 'grow.txt'), 'more\n')
    stop = true
    await grower
    expect(text.startsWith('line\n')).toBe(true)
    await expect(world.fileSystem.write(target, 'x\n', intent())).rejects.toMatchObject({
      code: expect.stringMatching(/FS_STALE_VERSION|FS_NOT_OBSERVED/),
    })
  })
})

test('F-30: a name of 255 bytes can be written', async () => {
  const name = 'é'.repeat(127)
  await world.fileSystem.write(await world.fileSystem.resolve(name), 'x', intent())
  await world.fileSystem.write(await seen(name), 'y', intent())
  expect(lstatSync(join(world.root, name)).size).toBe(1)
  expect(world.paths()).toEqual([name])
})
