import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli, temporaryFolder } from './cli.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => (folder = temporaryFolder()))
afterEach(() => folder.remove())

const withConfig = async (text: string): Promise<Awaited<ReturnType<typeof runCli>>> => {
  return runCli(['tools', '--config', folder.file('my.config.json', text)], { cwd: folder.path })
}

describe('a configuration that is wrong exits 2, names the file and the fault', () => {
  test.each([
    ['{ "plugins": [ }', 'is not JSON'],
    ['{\n  "plugins": []\n  "mode": "code"\n}', '(line 3, column 3)'],
    ['[]', 'must hold one JSON object'],
    ['{ "plugin": [] }', 'unknown key "plugin" (did you mean "plugins"?)'],
    ['{ "__proto__": {} }', 'unknown key "__proto__"'],
    ['{ "plugins": "x" }', '"plugins" must be an array'],
    ['{ "plugins": ["ok", 1] }', '"plugins[1]" must be'],
    ['{ "plugins": [["a", {}, 1]] }', '"plugins[0]" must be'],
    ['{ "mode": "nativ" }', '(did you mean "native"?)'],
    ['{ "sandbox": true }', '"sandbox" must be one of off, read-only, workspace-write'],
    ['{ "preset": "read-olny" }', '(did you mean "read-only"?)'],
    ['{ "policy": 3 }', '"policy" must be'],
  ])('config: %s', async (text, fault) => {
    const { status, stdout, stderr } = await withConfig(text)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('my.config.json')
    expect(stderr).toContain(fault)
  })

  test('config: a missing file', async () => {
    const { status, stderr } = await runCli(['tools', '--config', 'nowhere.json'], { cwd: folder.path })
    expect(status).toBe(2)
    expect(stderr).toContain('cannot be read')
  })
})

describe('plugins', () => {
  const plugin = (body: string): Promise<Awaited<ReturnType<typeof runCli>>> => {
    folder.file('p.mjs', body)
    return withConfig('{ "plugins": ["./p.mjs"] }')
  }

  test.each([
    ['import "no-such-package-anywhere"', 'failed while loading'],
    ['throw new Error("bad day")', 'bad day'],
    ['export const plugins = []', 'has no export named "plugin" (it exports plugins)'],
    ['export const plugin = 5', 'is not a plugin'],
    ['export const plugin = { apply() {} }', '"name" is not a non-empty string'],
    ['export const plugin = { name: "x" }', '"apply" is not a function'],
    ['export const plugin = () => { throw new Error("no such option") }', 'refused its options: no such option'],
    ['export const plugin = { name: "x", apply() { throw new Error("apply broke") } }', 'apply broke'],
    [
      'export const plugin = { name: "x", apply(r) { r.register({ name: "bad name", description: "d", input: {}, execute() {} }) } }',
      'bad name',
    ],
    ['export const plugin = { name: "x", requires: [{ id: "nobody/has-this" }], apply() {} }', 'nobody/has-this'],
  ])('config: a plugin with %s exits 2 and says why', async (body, fault) => {
    const { status, stdout, stderr } = await plugin(body)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(fault)
    expect(stderr).not.toContain('unexpected error')
  })

  test('config: a plugin that is nowhere names the folder it was looked for in', async () => {
    const { status, stderr } = await withConfig('{ "plugins": ["toolseam-plugin-nowhere"] }')
    expect(status).toBe(2)
    expect(stderr).toContain(`plugin "toolseam-plugin-nowhere" cannot be found from ${folder.path}`)
  })

  test('config: a pair hands its options to the factory; an object takes none', async () => {
    const body = `export const plugin = (options) => ({ name: 'x', apply(runtime) {
      runtime.register({ name: 'told', description: JSON.stringify(options), input: { type: 'object' }, execute: () => null }) } })`
    folder.file('factory.mjs', body)
    folder.file('object.mjs', 'export const plugin = { name: "o", apply() {} }')
    const good = await withConfig('{ "plugins": [["./factory.mjs", { "a": 1 }]] }')
    expect(good.stdout).toContain('{"a":1}')
    const bad = await withConfig('{ "plugins": [["./object.mjs", { "a": 1 }]] }')
    expect(bad.status).toBe(2)
    expect(bad.stderr).toContain('takes no options')
  })
})

describe('a configuration merely found in the root', () => {
  const canary = (): void => {
    folder.file('canary.mjs', 'process.stdout.write("LOADED"); export const plugin = { name: "canary", apply() {} }')
    folder.file('toolseam.config.json', '{ "plugins": ["./canary.mjs"] }')
  }

  test('config: is named on standard error and never loaded', async () => {
    canary()
    const { status, stdout, stderr } = await runCli(['tools'], { cwd: folder.path })
    expect(status).toBe(0)
    expect(stdout).not.toContain('LOADED')
    expect(stderr).toContain('toolseam.config.json was found and not loaded')
  })

  test('config: is loaded without a word when it is named', async () => {
    canary()
    const { stdout, stderr } = await runCli(['tools', '--config', 'toolseam.config.json'], { cwd: folder.path })
    expect(stdout).toContain('LOADED')
    expect(stderr).toBe('')
  })
})
