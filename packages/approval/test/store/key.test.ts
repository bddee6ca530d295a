/**
 * The key of decisions: made on first use, for its user alone, the same for everyone who makes it at once.
 */
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scripted } from '../../src/index.ts'
import { KEY_FILE, readKeyFile } from '../../src/providers/hash/key-file.ts'
import { codeOf, expectCode, rig, scratch, yes } from '../support.ts'

test('A-11: made on first use, 0600, and the same from then on', async () => {
  const { config } = await scratch()
  const keys = await Promise.all(Array.from({ length: 10 }, async () => Buffer.from(await readKeyFile(config)).toString('hex')))
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toHaveLength(64)
  expect((await stat(join(config, KEY_FILE))).mode & 0o777).toBe(0o600)
  expect((await stat(config)).mode & 0o777).toBe(0o700)
  expect(await readdir(config)).toEqual([KEY_FILE])
})

test('A-11: a key that others may read, that is too short or a link is not used', async () => {
  const { config } = await scratch()
  const path = join(config, KEY_FILE)
  await mkdir(config, { recursive: true })
  await writeFile(path, 'short', { mode: 0o600 })
  await expectCode(readKeyFile(config), 'APPROVAL_KEY_UNSAFE')
  await writeFile(path, Buffer.alloc(32))
  await chmod(path, 0o644)
  await expectCode(readKeyFile(config), 'APPROVAL_KEY_UNSAFE')
  const linked = join(config, 'linked')
  await mkdir(linked)
  await symlink(path, join(linked, KEY_FILE))
  await expectCode(readKeyFile(linked), 'APPROVAL_KEY_UNSAFE')
})

test('A-11: without a usable key no ask is answered, and nothing runs', async () => {
  const { root, config } = await scratch()
  await mkdir(config, { recursive: true })
  await writeFile(join(config, KEY_FILE), 'short', { mode: 0o600 })
  const r = await rig({ root, secret: undefined as never, answerers: [scripted([yes])] })
  expect(codeOf(await r.call('c1'))).toBe('APPROVAL_UNAVAILABLE')
  expect(r.ran).toEqual([])
})

test('A-11: the plugin makes the key at the first ask, outside the root', async () => {
  const { root, config } = await scratch()
  const r = await rig({ root, secret: undefined as never, answerers: [scripted([yes])] })
  expect(codeOf(await r.call('c1'))).toBe('ok')
  expect(await readFile(join(config, KEY_FILE))).toHaveLength(32)
})

test('A-11: a configuration folder inside the root is warned of', async () => {
  const { config } = await scratch()
  const inside = await rig({ root: join(config, '..'), secret: undefined as never })
  expect(inside.logged.join()).toContain('inside the root')
  const outside = await rig({ root: join(config, '..', 'root'), secret: undefined as never })
  expect(outside.logged.join()).not.toContain('inside the root')
})
