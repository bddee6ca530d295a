/**
 * The promises of `FileSystem`, as tests. A provider passes when they all hold in a fresh, empty world.
 */
import { afterEach, describe, expect, test } from 'vitest'
import type { FileSystem, WriteIntent } from '../definition/file-system.ts'

/** A provider with the hands of somebody who does not use it. Paths are relative to the first root. */
export interface ContractWorld {
  fileSystem: FileSystem
  put(path: string, content: string | Uint8Array, mode?: number): void
  get(path: string): Promise<Buffer | undefined> | Buffer | undefined
  remove(path: string): void
  /** Every path below the root except the state folder, sorted; directories end with `/`. */
  paths(): Promise<string[]> | string[]
  /** Absent where the world has no links. */
  symlink?(path: string, target: string): void
  close?(): Promise<void> | void
}

let calls = 0

export function intent(more: Partial<WriteIntent> = {}): WriteIntent {
  calls += 1
  return { rootCallId: `root-${calls}`, callId: `call-${calls}`, ...more }
}

export function runFileSystemContract(name: string, makeWorld: () => Promise<ContractWorld> | ContractWorld): void {
  describe(`contract of FileSystem: ${name}`, () => {
    let open: ContractWorld[] = []
    const world = async (files: { [path: string]: string | Uint8Array } = {}): Promise<ContractWorld> => {
      const made = await makeWorld()
      open.push(made)
      for (const [path, content] of Object.entries(files)) made.put(path, content)
      return made
    }
    afterEach(async () => {
      for (const each of open) await each.close?.()
      open = []
    })
    readingTests(world)
    writingTests(world)
    editingTests(world)
    patchTests(world)
    entryTests(world)
  })
}

type MakeWorld = (files?: { [path: string]: string | Uint8Array }) => Promise<ContractWorld>

async function seen({ fileSystem }: ContractWorld, path: string): Promise<Awaited<ReturnType<FileSystem['resolve']>>> {
  const target = await fileSystem.resolve(path)
  await fileSystem.readText(target, {})
  return target
}

async function textOf(world: ContractWorld, path: string): Promise<string | undefined> {
  return (await world.get(path))?.toString('utf8')
}

function readingTests(world: MakeWorld): void {
  test('F-8: a missing path is a value for stat and FS_NOT_FOUND for reading', async () => {
    const { fileSystem } = await world()
    const target = await fileSystem.resolve('none/at/all.txt')
    expect((await fileSystem.stat(target)).kind).toBe('missing')
    await expect(fileSystem.readText(target, {})).rejects.toMatchObject({ code: 'FS_NOT_FOUND' })
  })

  test('F-3: paths that leave the root are refused by resolve', async () => {
    const { fileSystem } = await world({ 'a.txt': 'a\n' })
    for (const path of [
      '..',
      '../x',
      'a/../../x',
      '/etc/passwd',
      `${fileSystem.roots[0]}-sibling/x`,
      '/proc/self/root/etc/passwd',
      '/dev/fd/0',
    ]) {
      await expect(fileSystem.resolve(path), path).rejects.toMatchObject({ code: expect.stringMatching(/FS_OUTSIDE_ROOT|FS_NOT_FOUND/) })
    }
  })

  test('F-14: NUL and the empty path are FS_BAD_PATH', async () => {
    const { fileSystem } = await world()
    await expect(fileSystem.resolve('')).rejects.toMatchObject({ code: 'FS_BAD_PATH' })
    await expect(fileSystem.resolve('a\0b')).rejects.toMatchObject({ code: 'FS_BAD_PATH' })
  })

  test('F-16: paths are relative to the root, absolute ones inside are taken', async () => {
    const { fileSystem } = await world({ 'd/a.txt': 'a\n' })
    const [byRelative, byAbsolute] = [await fileSystem.resolve('./d//a.txt'), await fileSystem.resolve(`${fileSystem.roots[0]}/d/a.txt`)]
    expect(byRelative.path).toBe('d/a.txt')
    expect(byAbsolute.key).toBe(byRelative.key)
  })

  test('F-50: a window has its lines, their numbers and whether more follow', async () => {
    const { fileSystem } = await world({ 'n.txt': Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('') })
    const target = await fileSystem.resolve('n.txt')
    const window = await fileSystem.readText(target, { offset: 3, limit: 2 })
    expect(window).toMatchObject({
      text: 'line 3\nline 4',
      startLine: 3,
      endLine: 4,
      totalLines: 10,
      truncated: true,
      eol: 'lf',
      encoding: 'utf-8',
    })
    expect(await fileSystem.readText(target, { tail: 2 })).toMatchObject({ text: 'line 9\nline 10', startLine: 9, endLine: 10 })
    await expect(fileSystem.readText(target, { offset: 11 })).rejects.toMatchObject({ code: 'FS_RANGE', details: { lines: 10 } })
  })

  test('F-50: an empty file is a value', async () => {
    const { fileSystem } = await world({ 'e.txt': '' })
    expect(await fileSystem.readText(await fileSystem.resolve('e.txt'), {})).toMatchObject({ text: '', totalLines: 0, truncated: false })
  })

  test('F-12: a directory is no file', async () => {
    const { fileSystem } = await world({ 'd/a.txt': 'a\n' })
    await expect(fileSystem.readText(await fileSystem.resolve('d'), {})).rejects.toMatchObject({ code: 'FS_IS_DIRECTORY' })
    await expect(fileSystem.write(await fileSystem.resolve('d'), 'x', intent())).rejects.toMatchObject({ code: 'FS_IS_DIRECTORY' })
  })

  test('readBytes gives fewer bytes only at the end', async () => {
    const { fileSystem } = await world({ 'b.bin': Uint8Array.of(1, 2, 3, 4, 5) })
    const target = await fileSystem.resolve('b.bin')
    expect([...(await fileSystem.readBytes(target, { offset: 1, length: 2 }))]).toEqual([2, 3])
    expect([...(await fileSystem.readBytes(target, { offset: 3, length: 100 }))]).toEqual([4, 5])
  })

  test('F-17: the state folder is refused, its spilled output can be read', async () => {
    const { fileSystem } = await world({ '.toolseam/undo/x': 'x\n', '.toolseam/output/o.log': 'spilled\n' })
    await expect(fileSystem.readText(await fileSystem.resolve('.toolseam/undo/x'), {})).rejects.toMatchObject({ code: 'FS_PROTECTED' })
    expect((await fileSystem.readText(await fileSystem.resolve('.toolseam/output/o.log'), {})).text).toBe('spilled')
    await expect(
      fileSystem.write(await fileSystem.resolve('.toolseam/output/o.log'), 'x', intent({ expect: 'any' })),
    ).rejects.toMatchObject({ code: 'FS_PROTECTED' })
  })
}

function writingTests(world: MakeWorld): void {
  test('F-30: a new file with its parents, and no litter', async () => {
    const made = await world()
    const change = await made.fileSystem.write(await made.fileSystem.resolve('a/b/c.txt'), 'hello\n', intent())
    expect(change).toMatchObject({ kind: 'create', path: 'a/b/c.txt', bytes: 6, added: 1 })
    expect(await made.paths()).toEqual(['a/', 'a/b/', 'a/b/c.txt'])
    expect(await textOf(made, 'a/b/c.txt')).toBe('hello\n')
  })

  test('F-21: a file that was not seen is not replaced', async () => {
    const made = await world({ 'a.txt': 'old\n' })
    await expect(made.fileSystem.write(await made.fileSystem.resolve('a.txt'), 'new\n', intent())).rejects.toMatchObject({
      code: 'FS_NOT_OBSERVED',
    })
    expect(await textOf(made, 'a.txt')).toBe('old\n')
  })

  test('F-21: windows add up to the whole file', async () => {
    const made = await world({ 'a.txt': '1\n2\n3\n' })
    const target = await made.fileSystem.resolve('a.txt')
    await made.fileSystem.readText(target, { limit: 2 })
    await expect(made.fileSystem.write(target, 'x\n', intent())).rejects.toMatchObject({
      code: 'FS_NOT_OBSERVED',
      details: { seen: { bytes: 4, of: 6 } },
    })
    await made.fileSystem.readText(target, { offset: 3 })
    await made.fileSystem.write(target, 'x\n', intent())
    expect(await textOf(made, 'a.txt')).toBe('x\n')
  })

  test('F-22: a file that somebody else changed is not overwritten', async () => {
    const made = await world({ 'a.txt': 'old\n' })
    const target = await seen(made, 'a.txt')
    made.put('a.txt', 'OLD\n')
    for (const attempt of [
      made.fileSystem.write(target, 'mine\n', intent()),
      made.fileSystem.edit(target, [{ old: 'OLD', new: 'x' }], intent()),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'FS_STALE_VERSION' })
    }
    expect(await textOf(made, 'a.txt')).toBe('OLD\n')
  })

  test('F-23: own changes refresh the observation', async () => {
    const made = await world({ 'a.txt': 'one\n' })
    const target = await seen(made, 'a.txt')
    await made.fileSystem.edit(target, [{ old: 'one', new: 'two' }], intent())
    await made.fileSystem.edit(target, [{ old: 'two', new: 'three' }], intent())
    await made.fileSystem.write(target, 'four\n', intent())
    expect(await textOf(made, 'a.txt')).toBe('four\n')
  })

  test('F-21: another agent has not seen what this one saw', async () => {
    const made = await world({ 'a.txt': 'one\n' })
    await made.fileSystem.readText(await made.fileSystem.resolve('a.txt', { agent: 'a' }), {})
    const order = made.fileSystem.write(await made.fileSystem.resolve('a.txt', { agent: 'b' }), 'x', intent({ agent: 'b' }))
    await expect(order).rejects.toMatchObject({ code: 'FS_NOT_OBSERVED' })
  })

  test('F-21: expect absent refuses what is there', async () => {
    const made = await world({ 'a.txt': 'one\n' })
    const target = await seen(made, 'a.txt')
    await expect(made.fileSystem.write(target, 'x', intent({ expect: 'absent' }))).rejects.toMatchObject({ code: 'FS_ALREADY_EXISTS' })
  })

  test('F-22: a given version is compared', async () => {
    const made = await world({ 'a.txt': 'one\n' })
    const { version } = await made.fileSystem.readText(await made.fileSystem.resolve('a.txt'), {})
    const target = await made.fileSystem.resolve('a.txt')
    await made.fileSystem.write(target, 'two\n', intent({ expect: version }))
    await expect(made.fileSystem.write(target, 'three\n', intent({ expect: version }))).rejects.toMatchObject({ code: 'FS_STALE_VERSION' })
  })

  test('F-24: of many creations of one file one wins, the others say why', async () => {
    const made = await world()
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, async (_, index) =>
        made.fileSystem.write(await made.fileSystem.resolve('n.txt'), `${index}\n`, intent({ expect: 'absent' })),
      ),
    )
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'FS_ALREADY_EXISTS' })
  })

  test('F-34, F-35: BOM and CRLF of the old file are kept', async () => {
    const made = await world({ 'a.txt': '\uFEFFone\r\ntwo\r\n' })
    const change = await made.fileSystem.write(await seen(made, 'a.txt'), 'uno\ndos\n', intent())
    expect(await textOf(made, 'a.txt')).toBe('\uFEFFuno\r\ndos\r\n')
    expect(change.notes.join()).toContain('CRLF')
  })

  test('F-36: too much content is refused before anything happens', async () => {
    const made = await world()
    await expect(
      made.fileSystem.write(await made.fileSystem.resolve('big'), Buffer.alloc(16 * 1024 * 1024 + 1), intent()),
    ).rejects.toMatchObject({ code: 'FS_TOO_LARGE' })
    expect(await made.paths()).toEqual([])
  })

  test('F-74: a mutation whose signal is aborted is refused', async () => {
    const made = await world({ 'a.txt': 'one\n' })
    const target = await seen(made, 'a.txt')
    const signal = AbortSignal.abort()
    await expect(made.fileSystem.write(target, 'x', intent({ signal }))).rejects.toMatchObject({ code: 'TOOL_ABORTED' })
    expect(await textOf(made, 'a.txt')).toBe('one\n')
  })
}

function editingTests(world: MakeWorld): void {
  test('F-4: only the addressed bytes change', async () => {
    const made = await world({ 'a.txt': 'a\r\nb\nc\r\n\td  \nlast' })
    const change = await made.fileSystem.edit(await seen(made, 'a.txt'), [{ old: 'b', new: '$& \\1' }], intent())
    expect(await textOf(made, 'a.txt')).toBe('a\r\n$& \\1\nc\r\n\td  \nlast')
    expect(change.matches).toEqual([{ how: 'exact', count: 1, lines: [2] }])
  })

  test('F-24: twenty edits at once all land, and a reader never sees a half file', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index} .\n`)
    const made = await world({ 'a.txt': lines.join('') })
    const target = await seen(made, 'a.txt')
    let done = false
    const counts = new Set<number | null>()
    const reader = (async () => {
      while (!done) {
        counts.add((await made.fileSystem.readText(await made.fileSystem.resolve('a.txt', { agent: 'reader' }), {})).totalLines)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        made.fileSystem.edit(target, [{ old: `line ${index} .`, new: `LINE ${index} !` }], intent()),
      ),
    )
    done = true
    await reader
    expect([...counts]).toEqual([100])
    expect((await textOf(made, 'a.txt'))?.match(/LINE \d+ !/g)).toHaveLength(20)
  })

  test('F-42: what cannot be edited says why and changes nothing', async () => {
    const made = await world({ 'a.txt': 'x = 1\ny = 2\nx = 1\n' })
    const target = await seen(made, 'a.txt')
    const attempt = (old: string, replacement: string): Promise<unknown> =>
      made.fileSystem.edit(target, [{ old, new: replacement }], intent())
    await expect(attempt('', 'a')).rejects.toMatchObject({ code: 'FS_EMPTY_MATCH' })
    await expect(attempt('y', 'y')).rejects.toMatchObject({ code: 'FS_NO_CHANGE' })
    await expect(attempt('x = 1', 'z')).rejects.toMatchObject({ code: 'FS_AMBIGUOUS_MATCH', details: { count: 2, lines: [1, 3] } })
    await expect(attempt('y = 3', 'z')).rejects.toMatchObject({ code: 'FS_NO_MATCH', details: { nearest: { line: 2 } } })
    expect(await textOf(made, 'a.txt')).toBe('x = 1\ny = 2\nx = 1\n')
  })

  test('F-34: binary and undecodable files are not edited', async () => {
    const made = await world({ 'l1.txt': Buffer.from('caf\xe9\n', 'latin1'), 'nul.bin': 'a\0b' })
    const latin = await seen(made, 'l1.txt')
    await expect(made.fileSystem.edit(latin, [{ old: 'caf', new: 'x' }], intent())).rejects.toMatchObject({ code: 'FS_ENCODING' })
    const binary = await made.fileSystem.resolve('nul.bin')
    await expect(made.fileSystem.edit(binary, [{ old: 'a', new: 'x' }], intent({ expect: 'any' }))).rejects.toMatchObject({
      code: 'FS_BINARY',
    })
  })
}

function patchTests(world: MakeWorld): void {
  test('F-45: add, change, move and delete together', async () => {
    const made = await world({ 'a.txt': '1\n2\n3\n', 'b.txt': 'b\n', 'c.txt': 'c1\nc2\n' })
    for (const path of ['a.txt', 'b.txt', 'c.txt']) await seen(made, path)
    const changes = await made.fileSystem.patch(
      [
        { kind: 'update', path: 'a.txt', hunks: [{ old: ['1', '2'], new: ['1', 'two'] }] },
        { kind: 'add', path: 'n/new.txt', content: 'new\n' },
        { kind: 'delete', path: 'b.txt' },
        { kind: 'update', path: 'c.txt', hunks: [{ old: ['c2'], new: ['C2'] }], moveTo: 'd.txt' },
      ],
      intent(),
    )
    expect(changes.map(({ kind, path }) => [kind, path])).toEqual([
      ['modify', 'a.txt'],
      ['create', 'n/new.txt'],
      ['delete', 'b.txt'],
      ['move', 'd.txt'],
    ])
    expect(await made.paths()).toEqual(['a.txt', 'd.txt', 'n/', 'n/new.txt'])
    expect([await textOf(made, 'a.txt'), await textOf(made, 'd.txt')]).toEqual(['1\ntwo\n3\n', 'c1\nC2\n'])
  })

  test('F-45: one hunk that does not fit leaves every file as it was', async () => {
    const made = await world({ 'a.txt': '1\n', 'b.txt': 'b\n' })
    for (const path of ['a.txt', 'b.txt']) await seen(made, path)
    const order = made.fileSystem.patch(
      [
        { kind: 'add', path: 'new/x.txt', content: 'x' },
        { kind: 'update', path: 'a.txt', hunks: [{ old: ['1'], new: ['one'] }] },
        { kind: 'update', path: 'b.txt', hunks: [{ old: ['zzz'], new: ['y'] }] },
      ],
      intent(),
    )
    await expect(order).rejects.toMatchObject({ code: 'FS_PATCH_REJECTED', details: { path: 'b.txt', hunk: 1 } })
    expect(await made.paths()).toEqual(['a.txt', 'b.txt'])
    expect(await textOf(made, 'a.txt')).toBe('1\n')
  })
}

function entryTests(world: MakeWorld): void {
  test('F-21: move and delete need a name that was seen', async () => {
    const made = await world({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' })
    const keep = { leaf: 'keep' as const }
    const from = await made.fileSystem.resolve('a.txt', keep)
    const to = await made.fileSystem.resolve('x/y.txt', keep)
    await expect(made.fileSystem.move(from, to, intent())).rejects.toMatchObject({ code: 'FS_NOT_OBSERVED' })
    await expect(made.fileSystem.remove(from, intent())).rejects.toMatchObject({ code: 'FS_NOT_OBSERVED' })
    await made.fileSystem.list(await made.fileSystem.resolve('.'))
    expect(await made.fileSystem.move(from, to, intent())).toMatchObject({ kind: 'move', from: 'a.txt', path: 'x/y.txt' })
    await made.fileSystem.remove(await made.fileSystem.resolve('x/y.txt', keep), intent())
    expect(await made.paths()).toEqual(['d/', 'd/b.txt', 'x/'])
  })

  test('F-5: a move replaces only with overwrite, and only what was seen', async () => {
    const made = await world({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    await seen(made, 'a.txt')
    const [from, to] = [await made.fileSystem.resolve('a.txt', { leaf: 'keep' }), await made.fileSystem.resolve('b.txt', { leaf: 'keep' })]
    await expect(made.fileSystem.move(from, to, intent())).rejects.toMatchObject({ code: 'FS_ALREADY_EXISTS' })
    await expect(made.fileSystem.move(from, to, intent({}))).rejects.toMatchObject({ code: 'FS_ALREADY_EXISTS' })
    await expect(made.fileSystem.move(from, to, { ...intent(), overwrite: true })).rejects.toMatchObject({ code: 'FS_NOT_OBSERVED' })
    await seen(made, 'b.txt')
    expect(await made.fileSystem.move(from, to, { ...intent(), overwrite: true })).toMatchObject({ replaced: true })
    expect([await made.paths(), await textOf(made, 'b.txt')]).toEqual([['b.txt'], 'a\n'])
  })

  test('a full directory is removed only with recursive, a root never', async () => {
    const made = await world({ 'd/e/a.txt': 'a\n' })
    const directory = await made.fileSystem.resolve('d', { leaf: 'keep' })
    await expect(made.fileSystem.remove(directory, intent())).rejects.toMatchObject({ code: 'FS_NOT_EMPTY' })
    await made.fileSystem.remove(directory, { ...intent(), recursive: true })
    expect(await made.paths()).toEqual([])
    const root = await made.fileSystem.resolve('.', { leaf: 'keep' })
    await expect(made.fileSystem.remove(root, { ...intent(), recursive: true })).rejects.toMatchObject({ code: 'FS_PROTECTED' })
  })

  test('list: kinds, depth, limit, and no state folder', async () => {
    const made = await world({ 'a.txt': 'abc', 'd/b.txt': 'b', 'd/e/c.txt': 'c', '.toolseam/undo/x': 'x' })
    const root = await made.fileSystem.resolve('.')
    const flat = await made.fileSystem.list(root)
    expect(flat.entries.map(({ path, kind, size }) => [path, kind, size])).toEqual([
      ['a.txt', 'file', 3],
      ['d', 'directory', undefined],
    ])
    expect((await made.fileSystem.list(root, { depth: 3 })).entries.map(({ path }) => path)).toEqual([
      'a.txt',
      'd',
      'd/b.txt',
      'd/e',
      'd/e/c.txt',
    ])
    expect(await made.fileSystem.list(root, { depth: 3, limit: 2 })).toMatchObject({
      truncated: true,
      entries: [{ path: 'a.txt' }, { path: 'd' }],
    })
    await expect(made.fileSystem.list(await made.fileSystem.resolve('a.txt'))).rejects.toMatchObject({ code: 'FS_NOT_DIRECTORY' })
  })

  test('F-15: a normalisation twin is read with a note, and never written beside', async () => {
    const made = await world({ 'cafe\u0301.txt': 'accent\n' })
    const target = await made.fileSystem.resolve('caf\u00e9.txt')
    expect(target.notes).toHaveLength(1)
    expect((await made.fileSystem.readText(target, {})).text).toBe('accent')
    await expect(made.fileSystem.write(target, 'x', intent())).rejects.toMatchObject({ code: 'FS_AMBIGUOUS_NAME' })
    expect(await made.paths()).toEqual(['cafe\u0301.txt'])
  })

  test('F-15: near names are proposed, not used', async () => {
    const made = await world({ 'Readme.md': 'x\n', 'settings.json': '{}\n' })
    const reading = made.fileSystem.readText(await made.fileSystem.resolve('readme.md'), {})
    await expect(reading).rejects.toMatchObject({ code: 'FS_NOT_FOUND', details: { candidates: ['Readme.md'] } })
  })

  test('F-11: a link inside is followed and stays a link; one that leads outside is refused', async (context) => {
    const made = await world({ 'd/a.txt': 'a\n' })
    if (made.symlink === undefined) return context.skip()
    made.symlink('l', 'd/a.txt')
    made.symlink('out', '/etc')
    made.symlink('loop', 'loop')
    const target = await seen(made, 'l')
    expect(target.path).toBe('d/a.txt')
    expect(target.key).toBe((await made.fileSystem.resolve('d/a.txt')).key)
    await made.fileSystem.write(target, 'b\n', intent())
    expect(await textOf(made, 'd/a.txt')).toBe('b\n')
    await expect(made.fileSystem.resolve('out/passwd')).rejects.toMatchObject({ code: 'FS_OUTSIDE_ROOT' })
    await expect(made.fileSystem.resolve('loop')).rejects.toMatchObject({ code: 'FS_LOOP' })
    await made.fileSystem.remove(await made.fileSystem.resolve('l', { leaf: 'keep' }), intent())
    expect(await made.paths()).toEqual(['d/', 'd/a.txt', 'loop', 'out'])
  })
}
