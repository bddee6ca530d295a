/**
 * Undo (F-60 to F-64) in both worlds: restore, delete, recreate, mode, move-back, merge, conflict, strict, dry run, undo of undo.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { diskWorld, memoryWorld, type World } from './worlds.ts'

const TEN = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join('')

describe.each([
  ['disk', diskWorld],
  ['memory', memoryWorld],
] as const)('%s', (name, makeWorld) => {
  let world: World
  beforeEach(async () => {
    world = await makeWorld()
  })
  afterEach(() => world.close())

  test('F-60: each change is an entry with hashes, identity and time', async () => {
    world.user.put('a.txt', 'one\n')
    await world.write('a.txt', 'two\n')
    const [entry] = await world.journal.entries()
    expect(entry).toMatchObject({
      tag: 'T',
      turnId: 'T',
      agent: 'main',
      rootCallId: 'root-T',
      callId: 'call-1',
      path: 'a.txt',
      kind: 'modify',
      beforeHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      afterHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      beforeMode: expect.any(Number),
      undoable: true,
      settled: true,
      time: expect.any(Number),
    })
    expect(await world.journal.tags()).toEqual([
      { tag: 'T', turnIds: ['T'], paths: ['a.txt'], changes: 1, first: entry?.time, last: entry?.time },
    ])
    expect(await world.journal.diff('T')).toEqual([[expect.objectContaining({ lines: ['-one', '+two'] })]])
  })

  test('F-61: what was modified is restored, what was created deleted, what was deleted recreated with its mode', async () => {
    world.user.put('mod.sh', '#!/bin/sh\r\nold\r\n', 0o755)
    world.user.put('gone.sh', 'keep me', 0o750)
    await world.edit('mod.sh', 'old', 'new')
    await world.edit('mod.sh', 'new', 'newer')
    await world.write('made/deep/new.txt', 'x\n')
    await world.remove('gone.sh')
    const report = await world.journal.revert({ tag: 'T' })
    expect(report).toMatchObject({ applied: true, kept: [], tag: expect.stringMatching(/^undo:T\./) })
    expect(report.files.map(({ path, action }) => [path, action]).toSorted()).toEqual([
      ['gone.sh', 'recreate'],
      ['made/deep/new.txt', 'delete'],
      ['mod.sh', 'restore'],
    ])
    expect(world.user.get('mod.sh')).toBe('#!/bin/sh\r\nold\r\n')
    expect(world.user.mode('mod.sh')).toBe(0o755)
    expect(world.user.get('gone.sh')).toBe('keep me')
    expect(world.user.mode('gone.sh')).toBe(0o750)
    expect(world.user.get('made/deep/new.txt')).toBeUndefined()
    expect(world.user.isDirectory('made')).toBe(false)
  })

  test('F-61: the mode is the one of before where a file was removed and made again', async () => {
    world.user.put('a.sh', 'old\n', 0o755)
    await world.remove('a.sh')
    await world.write('a.sh', 'new\n')
    await world.journal.revert({ tag: 'T' })
    expect(world.user.get('a.sh')).toBe('old\n')
    expect(world.user.mode('a.sh')).toBe(0o755)
  })

  test('F-61: a mode that the user changed meanwhile stays', async () => {
    world.user.put('a.sh', 'old\n', 0o644)
    await world.write('a.sh', 'new\n')
    world.user.put('a.sh', 'new\n', 0o755)
    await world.journal.revert({ tag: 'T' })
    expect(world.user.get('a.sh')).toBe('old\n')
    expect(world.user.mode('a.sh')).toBe(0o755)
  })

  test('F-61: moves go back, what they replaced is there again, and edits on the way are undone', async () => {
    world.user.put('a.txt', TEN)
    world.user.put('b.txt', 'replaced\n')
    await world.edit('a.txt', 'line 3', 'LINE 3')
    await world.move('a.txt', 'b.txt', 'T', true)
    await world.edit('b.txt', 'line 8', 'LINE 8')
    await world.move('b.txt', 'sub/c.txt')
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.kept).toEqual([])
    expect(report.files.map(({ path, action }) => [path, action]).toSorted()).toEqual([
      ['a.txt', 'move-back'],
      ['b.txt', 'recreate'],
    ])
    expect(world.user.get('a.txt')).toBe(TEN)
    expect(world.user.get('b.txt')).toBe('replaced\n')
    expect(world.user.isDirectory('sub')).toBe(false)
  })

  test('F-61: what a move replaced comes back although the moved file still stands in its place', async () => {
    world.user.put('a.txt', 'a\n')
    world.user.put('b.txt', 'replaced\n', 0o640)
    await world.move('a.txt', 'b.txt', 'T', true)
    world.user.put('b.txt', 'a\nuser\n')
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.kept).toEqual([])
    expect(world.user.get('a.txt')).toBe('a\nuser\n')
    expect(world.user.get('b.txt')).toBe('replaced\n')
    const again = await world.journal.revert({ tag: report.tag })
    expect(again.kept).toEqual([])
    expect(world.user.get('a.txt')).toBeUndefined()
    expect(world.user.get('b.txt')).toBe('a\nuser\n')
  })

  test('F-61: where the moved file cannot go back, what it replaced stays in the journal and nothing is overwritten', async () => {
    world.user.put('a.txt', 'a\n')
    world.user.put('b.txt', 'replaced\n')
    await world.move('a.txt', 'b.txt', 'T', true)
    world.user.put('a.txt', 'new of the user\n')
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.kept.map(({ path }) => path).toSorted()).toEqual(['a.txt', 'b.txt'])
    expect(world.user.get('a.txt')).toBe('new of the user\n')
    expect(world.user.get('b.txt')).toBe('a\n')
  })

  test('F-61: a directory moved to where another was removed goes back before the other is made again', async () => {
    world.user.put('old/f.txt', 'old\n')
    world.user.put('new/f.txt', 'new\n')
    await world.remove('old', 'T', true)
    await world.move('new', 'old')
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.kept).toEqual([])
    expect(world.user.get('old/f.txt')).toBe('old\n')
    expect(world.user.get('new/f.txt')).toBe('new\n')
  })

  test('F-61: two files that changed places over a third change back', async () => {
    world.user.put('a', 'A\n')
    world.user.put('b', 'B\n')
    await world.move('a', 't')
    await world.move('b', 'a')
    await world.move('t', 'b')
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.kept).toEqual([])
    expect([world.user.get('a'), world.user.get('b'), world.user.get('t')]).toEqual(['A\n', 'B\n', undefined])
  })

  test('F-61: a moved directory goes back with what was changed in it and what the user put there', async () => {
    world.user.put('d/a.txt', 'A\n')
    await world.move('d', 'e')
    await world.write('e/a.txt', 'AA\n')
    world.user.put('e/user.txt', 'mine\n')
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.kept).toEqual([])
    expect(world.user.get('d/a.txt')).toBe('A\n')
    expect(world.user.get('d/user.txt')).toBe('mine\n')
    expect(world.user.isDirectory('e')).toBe(false)
  })

  test('F-61: later edits of the user stay, in files that are merged', async () => {
    world.user.put('a.txt', TEN)
    await world.edit('a.txt', 'line 2', 'agent 2')
    world.user.put('a.txt', (world.user.get('a.txt') ?? '').replace('line 9', 'user 9'))
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.files).toMatchObject([{ path: 'a.txt', action: 'merge' }])
    expect(report.files[0]?.hunks[0]?.lines).toContain('-agent 2')
    expect(world.user.get('a.txt')).toBe(TEN.replace('line 9', 'user 9'))
  })

  test('F-61: where the user changed the same lines nothing is touched, and it is said', async () => {
    world.user.put('a.txt', TEN)
    world.user.put('b.txt', 'b\n')
    await world.edit('a.txt', 'line 2', 'agent 2')
    await world.write('b.txt', 'bb\n')
    const now = (world.user.get('a.txt') ?? '').replace('agent 2', 'agent and user 2')
    world.user.put('a.txt', now)
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.kept).toEqual([{ path: 'a.txt', why: expect.stringContaining('same lines') }])
    expect(report.reverted).toEqual(['b.txt'])
    expect(report.files.find(({ path }) => path === 'a.txt')).toMatchObject({ action: 'none', conflict: expect.any(String), hunks: [] })
    expect(world.user.get('a.txt')).toBe(now)
    expect(world.user.get('b.txt')).toBe('b\n')
  })

  test.each([
    [
      'created, then changed by the user',
      async (w: World) => (await w.write('x', 'agent\n'), w.user.put('x', 'agent\nuser\n')),
      'agent\nuser\n',
    ],
    [
      'deleted, then made anew by the user',
      async (w: World) => (w.user.put('x', 'old\n'), await w.remove('x'), w.user.put('x', 'new\n')),
      'new\n',
    ],
    [
      'modified, then deleted by the user',
      async (w: World) => (w.user.put('x', 'old\n'), await w.write('x', 'new\n'), w.user.remove('x')),
      undefined,
    ],
    [
      'binary, changed on both sides',
      async (w: World) => (w.user.put('x', 'a\0b\n'), await w.write('x', 'a\0c\n'), w.user.put('x', 'z\0c\n')),
      'z\0c\n',
    ],
  ])('F-61: conflict: %s', async (_title, act, left) => {
    await act(world)
    const report = await world.journal.revert({ tag: 'T' })
    expect(report).toMatchObject({ applied: false, reverted: [], kept: [{ path: 'x', why: expect.any(String) }] })
    expect(world.user.get('x')).toBe(left)
  })

  test('F-61: a change between two of a tag is kept when both are taken back', async () => {
    world.user.put('a.txt', TEN)
    await world.edit('a.txt', 'line 1\n', 'one\n', 'T')
    await world.edit('a.txt', 'line 5\n', 'five\n', 'other')
    await world.edit('a.txt', 'line 9\n', 'nine\n', 'T')
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.kept).toEqual([])
    expect(world.user.get('a.txt')).toBe(TEN.replace('line 5\n', 'five\n'))
  })

  test('F-61: conditions hold together: tag, turn, root calls, paths', async () => {
    for (const path of ['a', 'b', 'd/c']) world.user.put(path, 'old\n')
    await world.write('a', 'new\n', 'T1')
    await world.write('b', 'new\n', 'T2')
    await world.write('d/c', 'new\n', 'T2')
    expect((await world.journal.revert({ turnId: 'T2', rootCallIds: ['root-T1'] })).files).toEqual([])
    expect((await world.journal.revert({ turnId: 'T2', rootCallIds: ['root-T2'], paths: ['d'] })).reverted).toEqual(['d/c'])
    expect([world.user.get('a'), world.user.get('b'), world.user.get('d/c')]).toEqual(['new\n', 'new\n', 'old\n'])
    await expect(world.journal.revert({})).rejects.toMatchObject({ code: 'FS_NOT_FOUND' })
  })

  test('F-62: a dry run reports the same actions and touches nothing', async () => {
    world.user.put('a.txt', TEN)
    await world.edit('a.txt', 'line 2', 'agent 2')
    await world.write('new.txt', 'x\n')
    const entries = await world.journal.entries()
    const dry = await world.journal.revert({ tag: 'T', dryRun: true })
    expect(await world.journal.entries()).toEqual(entries)
    expect(world.user.get('new.txt')).toBe('x\n')
    const real = await world.journal.revert({ tag: 'T' })
    expect({ ...dry, tag: '', applied: true }).toEqual({ ...real, tag: '' })
    expect(dry.applied).toBe(false)
  })

  test('F-62: strict applies nothing where one file is in conflict', async () => {
    world.user.put('a.txt', 'a\n')
    world.user.put('b.txt', 'b\n')
    await world.write('a.txt', 'aa\n')
    await world.write('b.txt', 'bb\n')
    world.user.put('a.txt', 'user\n')
    await expect(world.journal.revert({ tag: 'T', strict: true })).rejects.toMatchObject({
      code: 'FS_UNDO_CONFLICT',
      details: { conflicts: [{ path: 'a.txt', why: expect.any(String) }] },
    })
    expect([world.user.get('a.txt'), world.user.get('b.txt')]).toEqual(['user\n', 'bb\n'])
  })

  test('F-62: directories that the tag made stay where somebody uses them', async () => {
    await world.write('made/a.txt', 'a\n')
    world.user.put('made/mine.txt', 'mine\n')
    await world.journal.revert({ tag: 'T' })
    expect(world.user.get('made/a.txt')).toBeUndefined()
    expect(world.user.get('made/mine.txt')).toBe('mine\n')
  })

  test('F-62: a directory that was there before stays, though it is empty now', async () => {
    world.user.put('there/x', 'x')
    world.user.remove('there/x')
    await world.write('there/a.txt', 'a\n')
    await world.journal.revert({ tag: 'T' })
    expect(world.user.isDirectory('there')).toBe(true)
  })

  test('F-63: the undo can be undone, and that too', async () => {
    world.user.put('a.txt', TEN)
    world.user.put('old.txt', 'old\n', 0o600)
    await world.edit('a.txt', 'line 2', 'agent 2')
    await world.write('n/new.txt', 'x\n')
    await world.remove('old.txt')
    await world.move('a.txt', 'z.txt')
    const after = ['a.txt', 'z.txt', 'n/new.txt', 'old.txt'].map((path) => world.user.get(path))
    const undo = await world.journal.revert({ tag: 'T' })
    expect(world.user.get('a.txt')).toBe(TEN)
    const redo = await world.journal.revert({ tag: undo.tag })
    expect(redo.kept).toEqual([])
    expect(['a.txt', 'z.txt', 'n/new.txt', 'old.txt'].map((path) => world.user.get(path))).toEqual(after)
    const again = await world.journal.revert({ tag: redo.tag })
    expect(again.kept).toEqual([])
    expect(world.user.get('a.txt')).toBe(TEN)
    expect(world.user.get('old.txt')).toBe('old\n')
    expect(world.user.isDirectory('n')).toBe(false)
  })

  test('F-63: a tag that is undone already has nothing to do', async () => {
    world.user.put('a.txt', 'a\n')
    await world.write('a.txt', 'b\n')
    await world.write('c.txt', 'c\n')
    await world.journal.revert({ tag: 'T' })
    const second = await world.journal.revert({ tag: 'T' })
    expect(second).toMatchObject({ applied: false, reverted: [], kept: [] })
    expect(second.files.every(({ action }) => action === 'none')).toBe(true)
    expect(world.user.get('a.txt')).toBe('a\n')
  })

  test('F-63: empty directories and links come back', async () => {
    world.user.put('d/e/f.txt', 'f\n')
    world.user.put('d/empty/x', '')
    world.user.remove('d/empty/x')
    world.user.link('d/link', 'e/f.txt')
    await world.remove('d', 'T', true)
    expect(world.user.isDirectory('d')).toBe(false)
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.kept).toEqual([])
    expect(world.user.get('d/e/f.txt')).toBe('f\n')
    expect(world.user.isDirectory('d/empty')).toBe(true)
    const link = await world.fileSystem.stat(await world.fileSystem.resolve('d/link', { leaf: 'keep' }))
    expect(link.kind).toBe('symlink')
    const redo = await world.journal.revert({ tag: report.tag })
    expect(redo.kept).toEqual([])
    expect(world.user.isDirectory('d')).toBe(false)
  })

  test('F-64: only journalled paths are touched; commands that may have changed something are named', async () => {
    world.user.put('a.txt', 'a\n')
    world.user.put('untracked.txt', 'u\n')
    await world.write('a.txt', 'b\n')
    await world.journal.noteUncovered({ tag: 'T', turnId: 'T', rootCallId: 'root-T', callId: 'c9', text: 'bash: make' })
    await world.journal.noteUncovered({ tag: 'other', turnId: 'other', rootCallId: 'r', callId: 'c10', text: 'bash: rm' })
    const report = await world.journal.revert({ tag: 'T' })
    expect(report.notCovered).toEqual(['bash: make (c9)'])
    expect(world.user.get('untracked.txt')).toBe('u\n')
  })

  test('F-60: a large pre-image is not kept: the change is not undoable, and a revert leaves the file', async () => {
    const small = await makeWorld({ undoBytes: 10 })
    small.user.put('a.txt', 'much longer than ten bytes\n')
    small.user.put('b.txt', 'short\n')
    await small.write('a.txt', 'x\n')
    await small.write('b.txt', 'y\n')
    expect((await small.journal.entries()).map(({ path, undoable }) => [path, undoable])).toEqual([
      ['a.txt', false],
      ['b.txt', true],
    ])
    const report = await small.journal.revert({ tag: 'T' })
    expect(report.kept).toEqual([{ path: 'a.txt', why: expect.stringContaining('not in the journal') }])
    expect([small.user.get('a.txt'), small.user.get('b.txt')]).toEqual(['x\n', 'short\n'])
    await small.close()
  })

  test('F-23: the agent whose changes are taken back goes on without reading again', async () => {
    world.user.put('a.txt', 'a\n')
    await world.write('a.txt', 'b\n')
    await world.journal.revert({ tag: 'T' })
    const target = await world.fileSystem.resolve('a.txt')
    await world.fileSystem.edit(target, [{ old: 'a', new: 'c' }], { agent: 'main', rootCallId: 'r', callId: 'c' })
    expect(world.user.get('a.txt')).toBe('c\n')
  })

  test('F-61: a revert that is stopped leaves the rest and says so', async () => {
    world.user.put('a.txt', 'a\n')
    await world.write('a.txt', 'b\n')
    const report = await world.journal.revert({ tag: 'T', signal: AbortSignal.abort() })
    expect(report.kept).toEqual([{ path: 'a.txt', why: expect.stringContaining('stopped') }])
    expect(world.user.get('a.txt')).toBe('b\n')
    expect(name).toBeTruthy()
  })
})
