import { describe, expect, test } from 'vitest'
import { intent } from '../../src/testing/file-system-contract.ts'
import { overlayWorld } from '../worlds.ts'

const state = (hands: { paths(): string[]; get(path: string): Buffer | undefined }): [string, string | undefined][] =>
  hands.paths().map((path) => [path, path.endsWith('/') ? undefined : hands.get(path)?.toString()])

describe('overlay', () => {
  test('changes are shown above and not made below until commit', async () => {
    const { overlay, lower, put } = overlayWorld()
    put('a.txt', 'a\n', 0o755)
    put('d/b.txt', 'b\n')
    put('d/c.txt', 'c\n')
    const before = state(lower.hands)
    const open = { expect: 'any' as const }
    await overlay.write(await overlay.resolve('a.txt'), 'A\n', intent(open))
    await overlay.write(await overlay.resolve('n/e/w.txt'), 'new\n', intent(open))
    await overlay.remove(await overlay.resolve('d/b.txt', { leaf: 'keep' }), intent(open))
    await overlay.move(await overlay.resolve('d/c.txt', { leaf: 'keep' }), await overlay.resolve('m.txt', { leaf: 'keep' }), intent(open))
    expect(state(lower.hands)).toEqual(before)
    expect((await overlay.changes()).map(({ path, kind }) => [path.replace('/workspace/', ''), kind])).toEqual([
      ['a.txt', 'modify'],
      ['d/b.txt', 'delete'],
      ['d/c.txt', 'delete'],
      ['m.txt', 'create'],
      ['n', 'create'],
      ['n/e', 'create'],
      ['n/e/w.txt', 'create'],
    ])
    await overlay.commit(intent())
    expect(state(lower.hands)).toEqual([
      ['a.txt', 'A\n'],
      ['d/', undefined],
      ['m.txt', 'c\n'],
      ['n/', undefined],
      ['n/e/', undefined],
      ['n/e/w.txt', 'new\n'],
    ])
    expect(lower.hands.mode('a.txt')).toBe(0o755)
    expect(await overlay.changes()).toEqual([])
  })

  test('discard forgets everything', async () => {
    const { overlay, lower, put } = overlayWorld()
    put('a.txt', 'a\n')
    await overlay.write(await overlay.resolve('a.txt'), 'A\n', intent({ expect: 'any' }))
    overlay.discard()
    expect((await overlay.readText(await overlay.resolve('a.txt'), {})).text).toBe('a')
    expect(lower.hands.get('a.txt')?.toString()).toBe('a\n')
  })

  test('F-5: a commit over later work below is refused before the first file is written', async () => {
    const { overlay, lower, put } = overlayWorld()
    put('a.txt', 'a\n')
    put('b.txt', 'b\n')
    await overlay.write(await overlay.resolve('a.txt'), 'A\n', intent({ expect: 'any' }))
    await overlay.write(await overlay.resolve('b.txt'), 'B\n', intent({ expect: 'any' }))
    put('b.txt', 'theirs\n')
    await expect(overlay.commit(intent())).rejects.toMatchObject({ code: 'FS_STALE_VERSION' })
    expect([lower.hands.get('a.txt')?.toString(), lower.hands.get('b.txt')?.toString()]).toEqual(['a\n', 'theirs\n'])
  })

  test('a directory that was removed and made anew does not show what was in it', async () => {
    const { overlay, put } = overlayWorld()
    put('d/a.txt', 'a\n')
    await overlay.remove(await overlay.resolve('d', { leaf: 'keep' }), { ...intent({ expect: 'any' }), recursive: true })
    await overlay.write(await overlay.resolve('d/b.txt'), 'b\n', intent())
    const { entries } = await overlay.list(await overlay.resolve('d'))
    expect(entries.map(({ name }) => name)).toEqual(['b.txt'])
    expect((await overlay.stat(await overlay.resolve('d/a.txt'))).kind).toBe('missing')
  })
})
