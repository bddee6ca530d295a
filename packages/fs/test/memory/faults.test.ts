/**
 * Fault points of a change, one by one, on the provider in memory: after a refusal everything is as it was, with no litter (F-1, F-32).
 */
import { describe, expect, test } from 'vitest'
import type { PendingChange, ChangeRecorder } from '../../src/definition/change-journal.ts'
import { FsError } from '../../src/definition/errors.ts'
import { createMemoryFileSystem, type FaultPoint, type MemoryFileSystem } from '../../src/providers/memory/index.ts'
import { intent } from '../../src/testing/file-system-contract.ts'

const FILES = { 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n', 'd/c.txt': 'c1\nc2\n' }

async function seenAll(fileSystem: MemoryFileSystem): Promise<void> {
  for (const path of Object.keys(FILES)) await fileSystem.readText(await fileSystem.resolve(path), {})
}

function stateOf({ hands }: MemoryFileSystem): { [path: string]: string | undefined } {
  return Object.fromEntries(hands.paths().map((path) => [path, path.endsWith('/') ? undefined : hands.get(path)?.toString()]))
}

/** A journal that only counts. */
function counting(): { recorder: ChangeRecorder; open: Set<string>; begun: PendingChange[]; fail: { at: number } } {
  const open = new Set<string>()
  const begun: PendingChange[] = []
  const fail = { at: -1 }
  return {
    open,
    begun,
    fail,
    recorder: {
      async begin(change) {
        if (begun.length === fail.at) throw new FsError('FS_DISK_FULL', { path: change.path })
        begun.push(change)
        const id = `${begun.length}`
        open.add(id)
        return { id, undoable: true, settle: async () => void open.delete(id), drop: async () => void open.delete(id) }
      },
    },
  }
}

const POINTS: FaultPoint[] = ['stage', 'write', 'sync', 'verify', 'publish']

describe('every fault point', () => {
  for (const at of POINTS) {
    test(`F-1, F-32: a fault at ${at} of a write, an edit and a creation leaves all as it was`, async () => {
      const journal = counting()
      const fileSystem = createMemoryFileSystem({ files: FILES, recorder: journal.recorder })
      await seenAll(fileSystem)
      const before = stateOf(fileSystem)
      const attempts = [
        async () => fileSystem.write(await fileSystem.resolve('a.txt'), 'new\n', intent()),
        async () => fileSystem.edit(await fileSystem.resolve('a.txt'), [{ old: '2', new: 'two' }], intent()),
        async () => fileSystem.write(await fileSystem.resolve('x/y/z.txt'), 'new\n', intent()),
      ]
      for (const attempt of attempts) {
        fileSystem.inject({ at, code: 'FS_DISK_FULL' })
        await expect(attempt()).rejects.toMatchObject({ code: 'FS_DISK_FULL' })
        expect(stateOf(fileSystem)).toEqual(before)
        expect(journal.open.size).toBe(0)
      }
      // And the observation still holds.
      await fileSystem.edit(await fileSystem.resolve('a.txt'), [{ old: '2', new: 'two' }], intent())
    })
  }

  for (const at of [...POINTS, 'remove'] as FaultPoint[]) {
    for (const after of [0, 1, 2]) {
      test(`F-45: a fault at ${at} number ${after + 1} of a patch rolls all of it back`, async () => {
        const journal = counting()
        const fileSystem = createMemoryFileSystem({ files: FILES, recorder: journal.recorder })
        await seenAll(fileSystem)
        const before = stateOf(fileSystem)
        fileSystem.inject({ at, after, code: 'FS_IO' })
        const patch = fileSystem.patch(
          [
            { kind: 'update', path: 'a.txt', hunks: [{ old: ['2'], new: ['two'] }] },
            { kind: 'add', path: 'n/new.txt', content: 'x\n' },
            { kind: 'update', path: 'd/c.txt', hunks: [{ old: ['c1'], new: ['C1'] }], moveTo: 'e/moved.txt' },
            { kind: 'delete', path: 'b.txt' },
          ],
          intent(),
        )
        if (at === 'remove' && after === 2) {
          await patch
          return
        }
        await expect(patch).rejects.toMatchObject({ code: 'FS_IO' })
        expect(stateOf(fileSystem)).toEqual(before)
        expect(journal.open.size).toBe(0)
      })
    }
  }

  test('F-6, F-32: when the journal is full nothing is changed', async () => {
    for (const at of [0, 1]) {
      const journal = counting()
      journal.fail.at = at
      const fileSystem = createMemoryFileSystem({ files: FILES, recorder: journal.recorder })
      await seenAll(fileSystem)
      const before = stateOf(fileSystem)
      const patch = fileSystem.patch(
        [
          { kind: 'update', path: 'a.txt', hunks: [{ old: ['2'], new: ['two'] }] },
          { kind: 'delete', path: 'b.txt' },
        ],
        intent(),
      )
      await expect(patch).rejects.toMatchObject({ code: 'FS_DISK_FULL' })
      expect(stateOf(fileSystem)).toEqual(before)
      journal.fail.at = journal.begun.length
      await expect(fileSystem.write(await fileSystem.resolve('a.txt'), 'x', intent())).rejects.toMatchObject({ code: 'FS_DISK_FULL' })
      await expect(
        fileSystem.remove(await fileSystem.resolve('d', { leaf: 'keep' }), { ...intent(), recursive: true }),
      ).rejects.toMatchObject({ code: 'FS_DISK_FULL' })
      expect(stateOf(fileSystem)).toEqual(before)
    }
  })

  test('F-1: a full disk in memory, by capacity', async () => {
    const fileSystem = createMemoryFileSystem({ capacity: 100, files: { 'a.txt': 'a\n' } })
    await expect(fileSystem.write(await fileSystem.resolve('b.txt'), 'x'.repeat(200), intent())).rejects.toMatchObject({
      code: 'FS_DISK_FULL',
    })
    expect(fileSystem.hands.paths()).toEqual(['a.txt'])
    await fileSystem.write(await fileSystem.resolve('b.txt'), 'x'.repeat(90), intent())
  })

  test('F-30: made parents go again when a move fails', async () => {
    const fileSystem = createMemoryFileSystem({ files: FILES })
    await seenAll(fileSystem)
    const before = stateOf(fileSystem)
    fileSystem.inject({ at: 'rename', code: 'FS_PERMISSION' })
    const [from, to] = [await fileSystem.resolve('a.txt', { leaf: 'keep' }), await fileSystem.resolve('p/q/r.txt', { leaf: 'keep' })]
    await expect(fileSystem.move(from, to, intent())).rejects.toMatchObject({ code: 'FS_PERMISSION' })
    expect(stateOf(fileSystem)).toEqual(before)
  })
})

describe('between check and rename', () => {
  test('F-22: a change in that moment is seen', async () => {
    const fileSystem = createMemoryFileSystem({ files: FILES })
    await seenAll(fileSystem)
    fileSystem.inject({ at: 'verify', run: () => fileSystem.hands.put('a.txt', 'theirs\n') })
    await expect(fileSystem.edit(await fileSystem.resolve('a.txt'), [{ old: '2', new: 'two' }], intent())).rejects.toMatchObject({
      code: 'FS_STALE_VERSION',
    })
    expect(fileSystem.hands.get('a.txt')?.toString()).toBe('theirs\n')
  })

  test('F-22: a touch in that moment is none', async () => {
    const fileSystem = createMemoryFileSystem({ files: FILES })
    await seenAll(fileSystem)
    fileSystem.inject({ at: 'verify', run: () => fileSystem.hands.touch('a.txt') })
    await fileSystem.edit(await fileSystem.resolve('a.txt'), [{ old: '2', new: 'two' }], intent())
  })

  test('F-21: a file that appears in that moment is not replaced', async () => {
    const fileSystem = createMemoryFileSystem()
    fileSystem.inject({ at: 'publish', run: () => fileSystem.hands.put('new.txt', 'theirs\n') })
    await expect(fileSystem.write(await fileSystem.resolve('new.txt'), 'mine\n', intent())).rejects.toMatchObject({
      code: 'FS_ALREADY_EXISTS',
    })
    expect(fileSystem.hands.get('new.txt')?.toString()).toBe('theirs\n')
  })

  test('F-73: an abort before the rename leaves the file; after it the change is complete', async () => {
    const fileSystem = createMemoryFileSystem({ files: FILES })
    await seenAll(fileSystem)
    const early = new AbortController()
    fileSystem.inject({ at: 'sync', run: () => early.abort() })
    await expect(fileSystem.write(await fileSystem.resolve('a.txt'), 'x\n', intent({ signal: early.signal }))).rejects.toMatchObject({
      code: 'TOOL_ABORTED',
    })
    expect(stateOf(fileSystem)).toEqual({ ...FILES, 'd/': undefined })
    const late = new AbortController()
    fileSystem.inject({ at: 'published', run: () => late.abort() })
    expect(await fileSystem.write(await fileSystem.resolve('a.txt'), 'x\n', intent({ signal: late.signal }))).toMatchObject({
      kind: 'modify',
    })
    expect(fileSystem.hands.get('a.txt')?.toString()).toBe('x\n')
  })

  test('F-74: a mutation that waits for its lock is refused when its signal aborts', async () => {
    const fileSystem = createMemoryFileSystem({ files: FILES })
    await seenAll(fileSystem)
    const halt = new AbortController()
    fileSystem.inject({ at: 'sync', run: () => halt.abort() })
    const target = await fileSystem.resolve('a.txt')
    const [first, second] = await Promise.allSettled([
      fileSystem.edit(target, [{ old: '1', new: 'one' }], intent()),
      fileSystem.edit(target, [{ old: '2', new: 'two' }], intent({ signal: halt.signal })),
    ])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'TOOL_ABORTED' } })
    expect(fileSystem.hands.get('a.txt')?.toString()).toBe('one\n2\n3\n')
  })
})

describe('in place', () => {
  test('F-33: a failure restores what was there', async () => {
    const fileSystem = createMemoryFileSystem({ files: FILES })
    fileSystem.hands.hardLink('link.txt', 'a.txt')
    await seenAll(fileSystem)
    fileSystem.inject({ at: 'overwrite', code: 'FS_IO' })
    await expect(fileSystem.write(await fileSystem.resolve('a.txt'), 'x', intent())).rejects.toMatchObject({ code: 'FS_IO' })
    expect(fileSystem.hands.get('link.txt')?.toString()).toBe(FILES['a.txt'])
  })

  test('F-33: a directory that cannot be written, a file that can; neither', async () => {
    const fileSystem = createMemoryFileSystem({ files: FILES })
    await seenAll(fileSystem)
    fileSystem.hands.chmod('d', 0o555)
    const change = await fileSystem.write(await fileSystem.resolve('d/c.txt'), 'x\n', intent())
    expect(change.notes.join()).toContain('in place')
    fileSystem.hands.chmod('d/c.txt', 0o444)
    await expect(fileSystem.write(await fileSystem.resolve('d/c.txt'), 'y\n', intent())).rejects.toMatchObject({ code: 'FS_PERMISSION' })
    expect(fileSystem.hands.get('d/c.txt')?.toString()).toBe('x\n')
  })
})

describe('agents', () => {
  test('F-21: a child inherits what its parent saw, a sibling does not', async () => {
    const lineage = (agent: string): readonly string[] => (agent === 'child' ? ['parent', 'child'] : [agent])
    const fileSystem = createMemoryFileSystem({ files: FILES, lineage })
    await fileSystem.readText(await fileSystem.resolve('a.txt', { agent: 'parent' }), {})
    await expect(fileSystem.write(await fileSystem.resolve('a.txt'), 'x', intent({ agent: 'sibling' }))).rejects.toMatchObject({
      code: 'FS_NOT_OBSERVED',
    })
    await fileSystem.write(await fileSystem.resolve('a.txt'), 'child\n', intent({ agent: 'child' }))
    await expect(fileSystem.write(await fileSystem.resolve('a.txt'), 'x', intent({ agent: 'parent' }))).rejects.toMatchObject({
      code: 'FS_STALE_VERSION',
    })
  })

  test('F-21: observe off needs no observation, staleness of a given version still counts', async () => {
    const fileSystem = createMemoryFileSystem({ files: FILES, observe: 'off' })
    const target = await fileSystem.resolve('a.txt')
    const { version } = await fileSystem.readText(target, {})
    await fileSystem.write(target, 'x\n', intent())
    await expect(fileSystem.write(target, 'y\n', intent({ expect: version }))).rejects.toMatchObject({ code: 'FS_STALE_VERSION' })
  })

  test('F-6, F-60: what is recorded carries identity, pre-image, mode and hashes', async () => {
    const journal = counting()
    const fileSystem = createMemoryFileSystem({ files: FILES, recorder: journal.recorder })
    await seenAll(fileSystem)
    await fileSystem.write(await fileSystem.resolve('a.txt'), 'x\n', intent({ turnId: 't1', rootCallId: 'r1', callId: 'c1' }))
    const [entry] = journal.begun
    expect(entry).toMatchObject({
      tag: 't1',
      turnId: 't1',
      rootCallId: 'r1',
      callId: 'c1',
      path: 'a.txt',
      kind: 'modify',
      beforeMode: 0o644,
    })
    expect(Buffer.from(entry?.before ?? []).toString()).toBe(FILES['a.txt'])
    expect(entry?.beforeHash).toMatch(/^[0-9a-f]{64}$/)
  })
})
