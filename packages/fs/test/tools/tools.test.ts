import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { TOOL_RUNTIME_SCHEDULER, type UserFacingSurface } from '@toolseam/core-tools'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ChangeJournal, FileSystem } from '../../src/index.ts'
import { tempFolder } from '../worlds.ts'
import { codeOf, textOf, toolWorld, valueOf, type ToolWorld } from './world.ts'

let world: ToolWorld
beforeEach(async () => {
  world = await toolWorld()
})
afterEach(() => world.close())

const put = (path: string, content: string | Buffer): void => writeFileSync(join(world.root, path), content)

function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(width * height))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe('F-70: facts of a call', () => {
  test('F-70: resolved paths follow links, keep the link for move and delete, and are absent outside', async () => {
    mkdirSync(join(world.root, 'd'))
    symlinkSync('d', join(world.root, 'l'))
    symlinkSync('/etc', join(world.root, 'out'))
    const { runtime, root } = world
    const paths = async (name: string, args: object): Promise<unknown> => (await runtime.describe({ name, arguments: args })).paths
    expect(await paths('write', { path: 'l/x.txt', content: '' })).toEqual([
      { path: 'l/x.txt', resolved: join(root, 'd/x.txt'), access: 'write' },
    ])
    expect(await paths('delete', { path: 'l' })).toEqual([{ path: 'l', resolved: join(root, 'l'), access: 'write' }])
    expect(await paths('read', { path: 'out/passwd' })).toEqual([{ path: 'out/passwd', access: 'read' }])
    expect(await paths('move', { from: 'l', to: 'm' })).toMatchObject([{ resolved: join(root, 'l') }, { resolved: join(root, 'm') }])
    expect(await paths('patch', { diff: '--- a/d/a\n+++ b/d/a\n@@ -1 +1 @@\n-a\n+b\n' })).toMatchObject([{ path: 'd/a', access: 'write' }])
  })

  test('F-17: writes that make other programs run code are flagged', async () => {
    const guarded = await toolWorld({ protect: ['secrets', '*.pem'] })
    try {
      const flag = async (path: string): Promise<boolean> =>
        (await guarded.runtime.describe({ name: 'write', arguments: { path, content: '' } })).paths?.[0]?.protected === true
      for (const path of ['.git/config', '.git/hooks/pre-commit', 'sub/.git/hooks/x', 'toolseam.policy.json', 'secrets/key', 'x.pem'])
        expect([path, await flag(path)]).toEqual([path, true])
      for (const path of ['.gitignore', 'config', 'hooks/x', '.git2/config', 'src/a.ts'])
        expect([path, await flag(path)]).toEqual([path, false])
      const read = await guarded.runtime.describe({ name: 'read', arguments: { path: '.git/config' } })
      expect(read.paths?.[0]?.protected).toBeUndefined()
    } finally {
      await guarded.close()
    }
  })

  test('F-70: the diff comes only with preview and changes nothing', async () => {
    put('a.txt', 'one\ntwo\n')
    const edit = { name: 'edit', arguments: { path: 'a.txt', old: 'two', new: 'TWO' } }
    expect((await world.runtime.describe(edit)).diff).toBeUndefined()
    expect((await world.runtime.describe(edit, { preview: true })).diff).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO')
    const write = { name: 'write', arguments: { path: 'new.txt', content: 'x\n' } }
    expect((await world.runtime.describe(write, { preview: true })).diff).toBe('--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+x')
    const patch = {
      name: 'patch',
      arguments: {
        files: [
          { path: 'a.txt', hunks: [{ old: ['one'], new: ['1'] }] },
          { path: 'b.txt', add: 'b\n' },
        ],
      },
    }
    expect((await world.runtime.describe(patch, { preview: true })).diff).toContain('+++ b/b.txt')
    const hopeless = { name: 'edit', arguments: { path: 'a.txt', old: 'nope', new: 'x' } }
    expect(await world.runtime.describe(hopeless, { preview: true })).not.toHaveProperty('incomplete')
    expect(world.paths()).toEqual(['a.txt'])
  })

  test('F-70: reading tools are parallel, the others exclusive', async () => {
    const { runtime } = world
    const lane = async (name: string, args: object): Promise<string> =>
      runtime[TOOL_RUNTIME_SCHEDULER].classify({ callId: 'c', name, arguments: args })
    for (const [name, args] of [
      ['read', { path: 'a' }],
      ['list', {}],
      ['glob', { pattern: '*' }],
      ['grep', { pattern: 'x' }],
    ] as const)
      expect([name, await lane(name, args)]).toEqual([name, 'parallel'])
    for (const [name, args] of [
      ['write', { path: 'a', content: '' }],
      ['edit', { path: 'a', old: 'a', new: 'b' }],
      ['move', { from: 'a', to: 'b' }],
      ['delete', { path: 'a' }],
      ['patch', { diff: 'x' }],
    ] as const)
      expect([name, await lane(name, args)]).toEqual([name, 'exclusive'])
    expect(runtime.get('read')?.annotations).toMatchObject({ readOnlyHint: true })
    for (const name of ['write', 'patch', 'move', 'delete']) expect(runtime.get(name)?.annotations?.destructiveHint).toBe(true)
  })
})

describe('F-51: media', () => {
  test('F-51: an image is an image block, its file may be deleted afterwards', async () => {
    put('i.dat', png(3, 2))
    const result = await world.call('read', { path: 'i.dat' })
    expect(valueOf(result)).toMatchObject({ kind: 'image', mimeType: 'image/png', width: 3, height: 2 })
    expect(result.content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' })
    expect(codeOf(await world.call('delete', { path: 'i.dat' }))).toBe('ok')
  })

  test('F-51: gif, jpeg and webp are checked too; damage, size and other kinds are told', async () => {
    put('a.gif', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'))
    put('cut.gif', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAAB', 'base64'))
    put('a.webp', Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'))
    const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 5, 0, 7, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
    put('a.jpg', Buffer.concat([Buffer.from([0xff, 0xd8]), frame, Buffer.from([0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0xd9])]))
    put('cut.jpg', Buffer.concat([Buffer.from([0xff, 0xd8]), frame, Buffer.from([0xff, 0xda, 0, 2, 1, 2, 3])]))
    put('big.png', Buffer.concat([png(2, 2), Buffer.alloc(6 * 1024 * 1024)]))
    put('z.zip', Buffer.from('504b0304140000000800', 'hex'))
    put('x.bin', Buffer.from([1, 0, 2]))
    expect(valueOf(await world.call('read', { path: 'a.gif' }))).toMatchObject({ mimeType: 'image/gif', width: 1, height: 1 })
    expect(valueOf(await world.call('read', { path: 'a.jpg' }))).toMatchObject({ mimeType: 'image/jpeg', width: 7, height: 5 })
    expect(valueOf(await world.call('read', { path: 'a.webp' }))).toMatchObject({ mimeType: 'image/webp', width: 1, height: 1 })
    for (const [path, reason] of [
      ['cut.gif', 'corrupt'],
      ['cut.jpg', 'corrupt'],
      ['big.png', 'size'],
      ['z.zip', 'kind'],
    ] as const)
      expect(await world.call('read', { path })).toMatchObject({
        isError: true,
        error: { code: 'FS_UNSUPPORTED_MEDIA', details: { reason } },
      })
    expect(codeOf(await world.call('read', { path: 'x.bin' }))).toBe('FS_BINARY')
  })

  test('F-51: PDF is refused, or a resource block on wish', async () => {
    put('a.pdf', '%PDF-1.7\nx')
    expect(await world.call('read', { path: 'a.pdf' })).toMatchObject({
      error: { code: 'FS_UNSUPPORTED_MEDIA', details: { reason: 'kind' } },
    })
    const open = await toolWorld({ documents: true })
    writeFileSync(join(open.root, 'a.pdf'), '%PDF-1.7\nx')
    const result = await open.call('read', { path: 'a.pdf' })
    expect(result.content[1]).toMatchObject({ type: 'resource', resource: { mimeType: 'application/pdf' } })
    await open.close()
  })

  test('F-51: a notebook as cells, large outputs left out; enough to edit, not to replace', async () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Title\n', 'text'] },
      {
        cell_type: 'code',
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', text: ['1\n'] },
          { output_type: 'display_data', data: { 'image/png': 'x', 'text/plain': 'y'.repeat(3000) } },
        ],
      },
    ]
    put('n.ipynb', JSON.stringify({ nbformat: 4, cells }))
    const result = await world.call('read', { path: 'n.ipynb' })
    expect(valueOf(result)['text']).toBe(
      '[cell 1: markdown]\n# Title\ntext\n[cell 2: code]\nprint(1)\n[output]\n1\n\n[output of 3000 bytes left out]\n[output left out: image/png]',
    )
    expect(codeOf(await world.call('write', { path: 'n.ipynb', content: 'x' }))).toBe('FS_NOT_OBSERVED')
    expect(codeOf(await world.call('edit', { path: 'n.ipynb', old: 'print(1)', new: 'print(2)' }))).toBe('ok')
    expect(textOf(await world.call('read', { path: 'n.ipynb', offset: 1 }))).toContain('"nbformat":4')
  })
})

describe('calls', () => {
  test('F-7, F-72: no errno reaches a model; arguments that do not fit are refused before', async () => {
    const result = await world.call('read', { path: 'x'.repeat(300) })
    expect(result).toMatchObject({ isError: true, error: { code: 'FS_BAD_PATH' } })
    for (const args of [{ path: 'a' }, { path: 'a', old: 'x' }, { path: 'a', old: 'x', new: 'y', edits: [] }, { path: 'a', edits: [] }])
      expect(codeOf(await world.call('edit', args))).toBe('INVALID_TOOL_INPUT')
    expect(codeOf(await world.call('patch', {}))).toBe('INVALID_TOOL_INPUT')
  })

  test('F-43: several edits at once through the tool', async () => {
    put('a.txt', 'one\ntwo\nthree\n')
    await world.call('read', { path: 'a.txt' })
    const result = await world.call('edit', {
      path: 'a.txt',
      edits: [
        { old: 'three', new: '3' },
        { old: 'one', new: '1' },
      ],
    })
    expect(valueOf(result)).toMatchObject({ replaced: 2, undoable: true })
    expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('1\ntwo\n3\n')
  })

  test('F-24: an edit and a write at once: each lands whole or says why', async () => {
    put('a.txt', 'one\n')
    await world.call('read', { path: 'a.txt' })
    const [edit, write] = await Promise.all([
      world.call('edit', { path: 'a.txt', old: 'one', new: 'two' }),
      world.call('write', { path: 'a.txt', content: 'whole\n' }),
    ])
    const now = readFileSync(join(world.root, 'a.txt'), 'utf8')
    expect(['two\n', 'whole\n']).toContain(now)
    for (const result of [edit, write]) expect(['ok', 'FS_NO_MATCH', 'FS_STALE_VERSION']).toContain(codeOf(result))
  })

  test('F-21: list and glob name files for move and delete, not for write', async () => {
    put('a.txt', 'a\n')
    put('b.txt', 'b\n')
    expect(codeOf(await world.call('move', { from: 'a.txt', to: 'c.txt' }))).toBe('FS_NOT_OBSERVED')
    await world.call('glob', { pattern: '*.txt' })
    expect(codeOf(await world.call('write', { path: 'a.txt', content: 'x' }))).toBe('FS_NOT_OBSERVED')
    expect(codeOf(await world.call('move', { from: 'a.txt', to: 'c.txt' }))).toBe('ok')
    await world.call('list', {})
    expect(codeOf(await world.call('delete', { path: 'b.txt' }))).toBe('ok')
    expect(world.paths()).toEqual(['c.txt'])
  })

  test('F-21: write createOnly never replaces', async () => {
    put('a.txt', 'a\n')
    await world.call('read', { path: 'a.txt' })
    expect(codeOf(await world.call('write', { path: 'a.txt', content: 'x', createOnly: true }))).toBe('FS_ALREADY_EXISTS')
    expect(valueOf(await world.call('write', { path: 'b.txt', content: 'x', createOnly: true }))).toMatchObject({
      created: true,
      tag: expect.any(String),
    })
  })

  test('F-76: a change is shown on the surface; a failure there is only logged; a denied surface shows nothing', async () => {
    const shown: unknown[] = []
    const surface = (show: (change: unknown) => Promise<void>): UserFacingSurface => ({
      kind: 'user_facing',
      ask: async () => undefined,
      say: async () => undefined,
      openInteraction: async () => undefined,
      diff: { show, close: async () => undefined },
    })
    const staged = world.runtime[TOOL_RUNTIME_SCHEDULER]
    const run = async (path: string, over: UserFacingSurface): Promise<string> => {
      const prepared = await staged.prepare({ callId: path, name: 'write', arguments: { path, content: 'x\n' } })
      if (prepared.kind !== 'dispatch') throw new Error(prepared.kind)
      const done = await staged.dispatch(prepared, { surface: over })
      return codeOf(done.kind === 'post-result' ? await staged.finalize(done) : await staged.finish(done))
    }
    expect(
      await run(
        'a.txt',
        surface(async (change) => void shown.push(change)),
      ),
    ).toBe('ok')
    expect(shown).toMatchObject([{ path: 'a.txt', kind: 'create', diff: '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+x' }])
    expect(
      await run(
        'b.txt',
        surface(async () => Promise.reject(new Error('window closed'))),
      ),
    ).toBe('ok')
    expect(world.logged.join()).toContain('could not be shown')
    expect(codeOf(await world.call('write', { path: 'c.txt', content: 'x' }))).toBe('ok')
    expect(world.paths()).toEqual(['a.txt', 'b.txt', 'c.txt'])
  })

  test('F-74: a halted turn: a mutation with an aborted signal is refused', async () => {
    const signal = AbortSignal.abort()
    const result = await world.runtime.execute({ callId: 'x', name: 'write', arguments: { path: 'a.txt', content: 'x' }, signal })
    expect(result).toMatchObject({ isError: true })
    expect(existsSync(join(world.root, 'a.txt'))).toBe(false)
  })

  test('F-75: agents of one scope chain share what was seen', async () => {
    put('a.txt', 'a\n')
    world.runtime.scope('parent')
    world.runtime.scope('child', { extends: 'parent' })
    world.runtime.scope('other')
    await world.call('read', { path: 'a.txt' }, { agent: 'parent' })
    expect(codeOf(await world.call('edit', { path: 'a.txt', old: 'a', new: 'x' }, { agent: 'other' }))).toBe('FS_NOT_OBSERVED')
    expect(codeOf(await world.call('edit', { path: 'a.txt', old: 'a', new: 'x' }, { agent: 'child' }))).toBe('ok')
  })

  test('F-6: the plugin provides both seams, and a change can be taken back', async () => {
    const { runtime } = world
    put('a.txt', 'a\n')
    await world.call('read', { path: 'a.txt' })
    await world.call('edit', { path: 'a.txt', old: 'a', new: 'b' }, { turnId: 't1' })
    expect(runtime.services.require(FileSystem).raceFree).toBe(process.platform === 'linux')
    const report = await runtime.services.require(ChangeJournal).revert({ tag: 't1' })
    expect(report).toMatchObject({ applied: true, reverted: ['a.txt'] })
    expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('a\n')
  })

  test('F-14: a second root is reached by its absolute path, read-only where it says so', async () => {
    const second = tempFolder('second')
    writeFileSync(join(second, 's.txt'), 's\n')
    const wide = await toolWorld({ roots: [{ path: second, readOnly: true }] })
    try {
      expect(valueOf(await wide.call('read', { path: join(second, 's.txt') }))['path']).toBe(join(second, 's.txt'))
      expect(codeOf(await wide.call('write', { path: join(second, 's.txt'), content: 'x' }))).toBe('FS_READ_ONLY')
    } finally {
      await wide.close()
      rmSync(second, { recursive: true })
    }
  })
})
