/**
 * Each layer rule shown to bite: one tree of tiny packages, where every rule is broken by exactly one file and kept by its neighbour.
 */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkLayers } from '../lib/layers.mjs'

const packages = ['core-tools', 'shell', 'fs', 'mcp', 'adapters', 'toolseam']
const nameOf = (folder: string): string => (folder === 'toolseam' ? folder : `@toolseam/${folder}`)
const value = 'export const value = 1\n'

/** File -> text. The comment of each broken file names the rule it breaks. */
const tree: Record<string, string> = {
  'packages/core-tools/src/contracts/good.ts': value,
  'packages/core-tools/src/contracts/leafless.ts': `import { value } from '../hooks/good.ts'\n${value.replace('value', 'other')}export { value }\n`,
  'packages/core-tools/src/hooks/good.ts': `export { value } from '../contracts/good.ts'\n`,
  'packages/core-tools/src/hooks/upward.ts': `export { value } from '../pipeline/good.ts'\n`,
  'packages/core-tools/src/pipeline/good.ts': `export { value } from '../hooks/good.ts'\n`,
  'packages/core-tools/src/pipeline/upward.ts': `export { value } from '../scheduler/good.ts'\n`,
  'packages/core-tools/src/scheduler/good.ts': `export { value } from '../pipeline/good.ts'\n`,
  'packages/core-tools/src/registry/package.ts': `export { value } from '@toolseam/shell'\n`,
  'packages/core-tools/src/registry/host.ts': `export { join } from 'node:path'\n`,
  'packages/core-tools/src/registry/knows.ts': `export type { CodeRuntime } from '@toolseam/code-mode'\n`,
  'packages/core-tools/src/cycle-a.ts': `export { b } from './cycle-b.ts'\nexport type A = string\n`,
  'packages/core-tools/src/cycle-b.ts': `import type { A } from './cycle-a.ts'\nexport const b: A = ''\n`,
  'packages/shell/src/definition/shell.ts': value,
  'packages/shell/src/definition/wrong.ts': `export { value } from '../consumer/good.ts'\n`,
  'packages/shell/src/providers/local/good.ts': `import 'node:fs'\nexport { value } from '../../definition/shell.ts'\n`,
  'packages/shell/src/consumer/good.ts': `export { value } from '../definition/shell.ts'\n`,
  'packages/shell/src/consumer/wrong.ts': `export { value } from '../providers/local/good.ts'\n`,
  'packages/shell/src/consumer/detour.ts': `export { value } from '../helper.ts'\n`,
  'packages/shell/src/helper.ts': `export { value } from './providers/local/good.ts'\n`,
  'packages/shell/src/classify/good.ts': `export { value } from '../definition/shell.ts'\n`,
  'packages/shell/src/classify/wrong.ts': `export { value } from '../consumer/good.ts'\n`,
  'packages/shell/src/classify/host.ts': `export { join } from 'path'\n`,
  'packages/shell/src/plugin.ts': `export { value } from '@toolseam/core-tools'\nexport * from './consumer/good.ts'\nexport * from './providers/local/good.ts'\n`,
  'packages/shell/src/testing.ts': `import 'node:os'\nexport { helper } from './testing/helper.ts'\n`,
  'packages/shell/src/testing/helper.ts': `import 'node:net'\nexport const helper = 1\n`,
  'packages/shell/src/contract/suite.ts': `import 'node:fs'\nexport { value } from '../providers/local/good.ts'\n`,
  'packages/shell/src/leaks-testing.ts': `export { helper } from './testing/helper.ts'\n`,
  'packages/shell/test/good.test.ts': `import 'node:fs'\nimport '../src/plugin.ts'\nimport '@toolseam/core-tools/testing'\n`,
  'packages/shell/test/declared.test.ts': `import '@toolseam/fs'\nimport '@toolseam/fs/testing'\n`,
  'packages/fs/test/undeclared.test.ts': `import '@toolseam/shell'\n`,
  'packages/fs/src/neighbour.ts': `export { value } from '@toolseam/shell'\n`,
  'packages/fs/src/upward.ts': `export { value } from 'toolseam'\n`,
  'packages/fs/src/missing.ts': `export { value } from '@toolseam/nowhere'\n`,
  'packages/fs/src/by-path.ts': `export { value } from '../../core-tools/src/index.ts'\n`,
  'packages/mcp/src/good.ts': `export { value } from '@toolseam/shell'\n`,
  'packages/mcp/src/neighbour.ts': `export { value } from '@toolseam/adapters'\n`,
  'packages/toolseam/src/good.ts': `import 'node:fs'\nexport { value } from '@toolseam/shell'\n`,
  'packages/toolseam/src/inside.ts': `export { value } from '../../shell/src/consumer/good.ts'\n`,
  'examples/one/src/good.ts': `import 'node:fs'\nexport { value } from 'toolseam'\n`,
}

const expected: Record<string, string[]> = {
  '1-no-cycles': ['core-tools/src/cycle-a.ts'],
  '2-core-imports-no-package': ['core-tools/src/registry/knows.ts', 'core-tools/src/registry/package.ts'],
  '2-tools-import-core-only': ['fs/src/missing.ts', 'fs/src/neighbour.ts', 'fs/src/upward.ts'],
  '2-tests-import-what-is-declared': ['fs/test/undeclared.test.ts'],
  '2-gateways-import-downward': ['mcp/src/neighbour.ts'],
  '3-public-entries-only': ['toolseam/src/inside.ts'],
  '3-packages-by-name': ['fs/src/by-path.ts', 'toolseam/src/inside.ts'],
  '4-consumer-without-providers': ['shell/src/consumer/wrong.ts'],
  '4-consumer-reaches-no-provider': ['shell/src/consumer/detour.ts', 'shell/src/consumer/wrong.ts'],
  '5-definition-is-a-leaf': ['shell/src/definition/wrong.ts'],
  '5-phase-imports-definitions': ['shell/src/classify/wrong.ts'],
  '6-host-in-providers-only': ['core-tools/src/registry/host.ts', 'shell/src/classify/host.ts'],
  '6-core-is-hostless': ['core-tools/src/registry/host.ts'],
  '6-testing-stays-apart': ['shell/src/leaks-testing.ts'],
  '7-contracts-is-a-leaf': ['core-tools/src/contracts/leafless.ts'],
  '7-parts-below-pipeline': ['core-tools/src/hooks/upward.ts'],
  '7-pipeline-below-scheduler': ['core-tools/src/pipeline/upward.ts'],
  '8-core-knows-no-code-mode': ['core-tools/src/registry/knows.ts'],
  resolvable: ['core-tools/src/registry/knows.ts', 'fs/src/missing.ts'],
}

let folder: string
let found: Record<string, string[]>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolseam-layers-'))
  write(tree)
  for (const name of packages) write(manifestOf(name))
  write({ 'tsconfig.json': JSON.stringify({ compilerOptions: { module: 'NodeNext', moduleResolution: 'NodeNext', paths: paths() } }) })
  const { violations } = await checkLayers(folder)
  found = {}
  for (const { rule, from } of violations) {
    const files = (found[rule] ??= [])
    const file = from.replace(/^packages\//, '')
    if (!files.includes(file)) files.push(file)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(Object.entries(expected))('layer rule %s: is broken by exactly the files made to break it', (rule, files) => {
  expect(found[rule]?.toSorted()).toEqual(files)
})

test('layers: no rule is without a fixture that breaks it', async () => {
  const { default: config } = (await import('../../.dependency-cruiser.cjs')) as {
    default: { forbidden: { name: string; severity: string }[] }
  }
  expect([...new Set(config.forbidden.map(({ name }) => name))]).toEqual(Object.keys(expected))
  expect(config.forbidden.every(({ severity }) => severity === 'error')).toBe(true)
})

test('layers: a run over no modules is an error, not a pass', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'toolseam-layers-'))
  mkdirSync(join(empty, 'packages/none/src'), { recursive: true })
  writeFileSync(join(empty, 'tsconfig.json'), '{ "files": ["no-module.ts"] }')
  writeFileSync(join(empty, 'packages/none/src/readme.md'), '')
  await expect(checkLayers(empty)).rejects.toThrow(/0 modules/)
  rmSync(empty, { recursive: true, force: true })
})

function write(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}

function manifestOf(name: string): Record<string, string> {
  const entry = (file: string): object => ({ types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` })
  const devDependencies = name === 'shell' ? { '@toolseam/fs': 'workspace:*' } : {}
  const manifest = { name: nameOf(name), type: 'module', devDependencies, exports: { '.': entry('index'), './testing': entry('testing') } }
  const files: Record<string, string> = { [`packages/${name}/package.json`]: JSON.stringify(manifest) }
  for (const file of ['index', 'testing']) files[`packages/${name}/src/${file}.ts`] = tree[`packages/${name}/src/${file}.ts`] ?? value
  return files
}

function paths(): Record<string, string[]> {
  return Object.fromEntries(
    packages.flatMap((name) => [
      [nameOf(name), [`./packages/${name}/src/index.ts`]],
      [`${nameOf(name)}/testing`, [`./packages/${name}/src/testing.ts`]],
    ]),
  )
}
