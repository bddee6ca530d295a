/**
 * Resolved paths on the real file system, and how policy looks at them.
 */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallView } from '@toolseam/core-tools'
import type { PolicyCall, RulePolicy } from '../../src/definition/policy.ts'
import { localPaths } from '../../src/providers/paths/resolver.ts'
import { loadPolicy } from '../../src/providers/policy-files/load.ts'
import { type Layers, policyOf, verdict } from './support.ts'

let folder: string
let root: string
let outside: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'toolseam-paths-')))
  root = join(folder, 'root')
  outside = join(folder, 'outside')
  await mkdir(join(root, 'src'), { recursive: true })
  await mkdir(join(root, 'secret'))
  await mkdir(join(folder, 'rooted'))
  await mkdir(outside)
  await writeFile(join(root, 'src/a.ts'), 'a')
  await writeFile(join(outside, 'x'), 'x')
  await symlink(join(outside, 'x'), join(root, 'leaf'))
  await symlink(outside, join(root, 'dir'))
  await symlink('../outside/new', join(root, 'dangling'))
  await symlink('secret/new', join(root, 'dangling-in'))
  await symlink('loop', join(root, 'loop'))
  await symlink('src', join(root, 'inner'))
  await symlink(root, join(folder, 'alias'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** A call whose tool does not tell where its path leads. */
function call(path: string, access: 'read' | 'write' = 'write'): PolicyCall {
  const view: CallView = { title: 'x', kind: access === 'read' ? 'read' : 'edit', paths: [{ path, access }] }
  return { tool: access === 'read' ? 'read' : 'write', arguments: {}, view }
}

function load(layers: Layers, at = root): Promise<RulePolicy> {
  const given = Object.fromEntries(Object.entries(layers).map(([name, file]) => [name, { version: 1 as const, ...file }]))
  return loadPolicy(given, {
    root: at,
    configDir: join(folder, 'config'),
    managedFile: join(folder, 'managed'),
    runtime: { describe: () => Promise.reject(new Error('unused')), lookup: () => ({}) },
  })
}

describe('A-42: the resolver', () => {
  test.each<[string, () => string, () => string | undefined]>([
    ['a plain file', () => join(root, 'src/a.ts'), () => join(root, 'src/a.ts')],
    ['. and ..', () => `${root}/src/./../src/a.ts`, () => join(root, 'src/a.ts')],
    ['a link to a file', () => join(root, 'leaf'), () => join(outside, 'x')],
    ['a file below a linked folder', () => join(root, 'dir/x'), () => join(outside, 'x')],
    ['a missing file below a linked folder', () => join(root, 'dir/y/z'), () => join(outside, 'y/z')],
    ['a dangling link', () => join(root, 'dangling'), () => join(outside, 'new')],
    ['below a dangling link', () => join(root, 'dangling/below'), () => join(outside, 'new/below')],
    ['a missing parent', () => join(root, 'no/such/file'), () => join(root, 'no/such/file')],
    ['.. after a link counts from where it leads', () => `${root}/dir/../x`, () => join(folder, 'x')],
    ['a link to itself', () => join(root, 'loop'), () => undefined],
    ['below a link to itself', () => join(root, 'loop/x'), () => undefined],
    ['below a file', () => join(root, 'src/a.ts/x'), () => join(root, 'src/a.ts/x')],
    ['a magic path', () => '/proc/self/root/etc/passwd', () => undefined],
    ['a descriptor', () => '/dev/fd/0', () => undefined],
    ['a relative path', () => 'x', () => undefined],
    ['a NUL', () => '/x\0y', () => undefined],
  ])('A-42: %s', async (_name, path, expected) => {
    const paths = await localPaths(root)
    expect(await paths.resolve(path())).toBe(expected())
  })

  test('A-42: case and Unicode form compare as the file system does', async () => {
    const strict = await localPaths(root, { ignoresCase: false, ignoresUnicodeForm: false })
    const blind = await localPaths(root, { ignoresCase: true, ignoresUnicodeForm: true })
    const [composed, decomposed] = ['/w/caf\u00E9', '/w/cafe\u0301']
    expect(strict.fold('/w/A')).not.toBe(strict.fold('/w/a'))
    expect(strict.fold(composed)).not.toBe(strict.fold(decomposed))
    expect(blind.fold('/w/A')).toBe(blind.fold('/w/a'))
    expect(blind.fold(composed)).toBe(blind.fold(decomposed))
  })

  test('A-42: what this file system takes for one name is found out by looking', async () => {
    await writeFile(join(root, 'Case'), '')
    const ignoresCase = await realpath(join(root, 'cASE')).then(
      () => true,
      () => false,
    )
    const paths = await localPaths(root)
    expect(paths.fold('/A') === paths.fold('/a')).toBe(ignoresCase)
    await rm(join(root, 'Case'))
  })
})

describe('A-42: rules on resolved paths', () => {
  test.each(['leaf', 'dir/x', 'dir/new', 'dangling', 'loop', '../outside/x', 'src/../../outside/x', 'inner/../../outside/x'])(
    'A-42: %s is outside',
    async (path) => {
      expect(await verdict(await load({}), call(path))).toBe('ask')
      expect(await verdict(await load({}), call(join(root, path)))).toBe('ask')
    },
  )

  test('A-42: a link that stays inside is inside; a sibling with the name of the root as prefix is outside', async () => {
    const policy = await load({})
    expect(await verdict(policy, call('inner/a.ts'))).toBe('allow')
    expect(await verdict(policy, call('no/such/file'))).toBe('allow')
    expect(await verdict(policy, call('../rooted/x'))).toBe('ask')
  })

  test('A-42: deny and ask match as given or as resolved', async () => {
    const given = await load({ session: { deny: ['Edit(./dangling-in)'] } })
    expect(await verdict(given, call('dangling-in'))).toBe('deny')
    expect(await verdict(given, call('./src/../dangling-in'))).toBe('deny')
    const resolved = await load({ session: { deny: ['Edit(./secret/**)'] } })
    expect(await verdict(resolved, call('dangling-in'))).toBe('deny')
    expect(await verdict(resolved, call('inner/../secret/new'))).toBe('deny')
    expect(await verdict(resolved, call('src/x'))).toBe('allow')
  })

  test('A-42: allow needs both', async () => {
    const policy = await load({ session: { allow: ['Edit(./**)', `Edit(${outside}/x)`] } })
    expect(await verdict(policy, call(join(outside, 'x')))).toBe('allow')
    // Given inside, leads outside; given outside, but by another name.
    expect(await verdict(policy, call('leaf'))).toBe('ask')
    expect(await verdict(policy, call('dir/x'))).toBe('ask')
    expect(await verdict(policy, call('loop'))).toBe('ask')
  })

  test('A-42: a root that is a link is the root, however its paths are written', async () => {
    const policy = await load({ session: { deny: ['Edit(./secret/**)'], allow: ['bash(x)'] } }, join(folder, 'alias'))
    for (const path of ['src/a', join(folder, 'alias/src/a'), join(root, 'src/a')])
      expect(await verdict(policy, call(path)), path).toBe('allow')
    for (const path of ['secret/a', join(folder, 'alias/secret/a'), join(root, 'secret/a')])
      expect(await verdict(policy, call(path)), path).toBe('deny')
  })

  test('A-43: the state folder by way of a link', async () => {
    await mkdir(join(root, '.toolseam/approvals'), { recursive: true })
    await symlink('.toolseam', join(root, 'state'))
    const policy = await load({}, root)
    expect(await verdict(policy, call('state/approvals/x', 'read'))).toBe('deny')
    expect(await verdict(policy, call('.toolseam/output/../approvals', 'read'))).toBe('deny')
  })

  test('A-42: where the file system ignores case and Unicode form, so do rules', async () => {
    const resolver = await localPaths(root, { ignoresCase: true, ignoresUnicodeForm: true })
    const policy = policyOf({ session: { deny: ['Read(./Caf\u00E9/**)'] } }, { resolver, root, preset: 'full-access' })
    expect(await verdict(policy, call('cAFE\u0301/menu', 'read'))).toBe('deny')
    expect(await verdict(policy, call('.TOOLSEAM/x', 'read'))).toBe('deny')
    const strict = policyOf(
      { session: { deny: ['Read(./Caf\u00E9/**)'] } },
      { resolver: await localPaths(root, { ignoresCase: false, ignoresUnicodeForm: false }), root, preset: 'full-access' },
    )
    expect(await verdict(strict, call('cAFE\u0301/menu', 'read'))).toBe('allow')
    expect(await verdict(strict, call('Caf\u00E9/menu', 'read'))).toBe('deny')
  })

  test('A-43: taking a folder away takes what is protected in it', async () => {
    await mkdir(join(root, '.git/hooks'), { recursive: true })
    const policy = await load({}, root)
    const takes = async (tool: 'delete' | 'move', path: string): Promise<string> =>
      verdict(policy, { tool, arguments: {}, view: { title: tool, kind: tool, paths: [{ path, access: 'write' }] } })
    for (const tool of ['delete', 'move'] as const) {
      expect(await takes(tool, '.')).toBe('deny')
      expect(await takes(tool, 'src/..')).toBe('deny')
      expect(await takes(tool, '.git')).toBe('ask')
      expect(await takes(tool, 'src')).toBe('allow')
    }
  })
})
