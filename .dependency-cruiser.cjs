/**
 * The layers of the house as rules, each with the number it has in docs (AGENTS.md, "Layers"). TypeScript is read by a compiler of its
 * own (see packageExtensions in pnpm-workspace.yaml); scripts/lib/layers.mjs fails a run that saw no modules.
 */
const { existsSync, readdirSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

const toolPackages = '(?:code-mode|executor-tool|shell|fs|approval|journal)'
const gateways = '(?:mcp|adapters)'
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The source and built file of every public entry point, read from the manifests: `exports` is the only list. */
function publicEntries(folder = join(process.cwd(), 'packages')) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'package.json'))) : []
  return names.flatMap((name) => {
    const { exports = {} } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
    return Object.values(exports).flatMap((target) => {
      const files = typeof target === 'string' ? [target] : Object.values(target)
      return files.flatMap((file) => {
        const built = `packages/${name}/${file.replace('./', '')}`
        return [built, built.replace('/dist/', '/src/').replace(/(?:\.d)?\.ts$|\.js$/, '.ts')]
      })
    })
  })
}

/** Neighbours that the tests of a package may import: its devDependencies say so. */
function neighboursOfTests(folder = join(process.cwd(), 'packages')) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'package.json'))) : []
  return names
    .filter((name) => new RegExp(`^${toolPackages}$`).test(name))
    .map((name) => {
      const { devDependencies = {} } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
      const declared = Object.keys(devDependencies).flatMap((dependency) => /^@toolseam\/(.+)$/.exec(dependency)?.[1] ?? [])
      return { name, allowed: [name, 'core-tools', ...declared].map(escaped).join('|') }
    })
}

const entries = `^(?:${publicEntries().map(escaped).join('|')})$`
/** Tests and configuration files: they may use the host and reach the inside of their own package. */
const notShipped = ['\\.test\\.ts$', '^packages/[^/]+/test/', '^packages/[^/]+/[^/]+\\.ts$']

/** testing.ts and the rooms that it re-exports: contract suites and helpers for tests, which may use the host and vitest. */
const testing = '/src/(?:testing\\.ts$|testing/|contract/|conformance/)'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: '1-no-cycles',
      comment: 'A cycle has no order to read it in.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: '2-core-imports-no-package',
      comment: 'core-tools stands at the bottom.',
      severity: 'error',
      from: { path: '^packages/core-tools/' },
      to: { path: '^(?:packages/(?!core-tools/)|toolseam$|@toolseam/(?!core-tools))' },
    },
    {
      name: '2-tools-import-core-only',
      comment: 'A tool package never imports its neighbour; what two share lives in core-tools/contracts.',
      severity: 'error',
      from: { path: `^packages/(${toolPackages})/`, pathNot: '^packages/[^/]+/test/' },
      to: { path: '^(?:packages/(?!$1/|core-tools/)|toolseam$|@toolseam/(?!$1|core-tools))' },
    },
    ...neighboursOfTests().map(({ name, allowed }) => ({
      name: '2-tests-import-what-is-declared',
      comment: 'Tests may run beside a neighbour that is a devDependency of their package.',
      severity: 'error',
      from: { path: `^packages/${name}/test/` },
      to: { path: `^(?:packages/(?!(?:${allowed})/)|toolseam$|@toolseam/(?!(?:${allowed})(?:/|$)))` },
    })),
    {
      name: '2-gateways-import-downward',
      comment: 'mcp and adapters import the rows below, not each other and not the composition.',
      severity: 'error',
      from: { path: `^packages/(${gateways})/` },
      to: { path: [`^packages/(?!$1/)(?:${gateways}|toolseam)/`, '^toolseam$'] },
    },
    {
      name: '3-public-entries-only',
      comment: 'Another package is entered by an entry point of its `exports`.',
      severity: 'error',
      from: { path: '^(packages|examples)/([^/]+)/' },
      to: { path: '^packages/', pathNot: ['^$1/$2/', entries] },
    },
    {
      name: '3-packages-by-name',
      comment: 'Another package is imported by its name, never by a relative path.',
      severity: 'error',
      from: { path: '^(packages|examples)/([^/]+)/' },
      to: { path: '^packages/', pathNot: '^$1/$2/', dependencyTypes: ['local'], dependencyTypesNot: ['aliased'] },
    },
    {
      name: '4-consumer-without-providers',
      comment: 'What the model sees reaches the host through the service token alone.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/consumer/', pathNot: notShipped },
      to: { path: '^packages/$1/src/(?:providers/|plugin\\.ts$|testing\\.ts$)' },
    },
    {
      name: '4-consumer-reaches-no-provider',
      comment: 'Not by a detour either.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/consumer/', pathNot: notShipped },
      to: { path: '^packages/[^/]+/src/providers/', reachable: true },
    },
    {
      name: '5-definition-is-a-leaf',
      comment: 'A definition imports neither provider nor consumer.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/definition/', pathNot: notShipped },
      to: { path: '^packages/$1/src/(?:providers/|consumer/|plugin\\.ts$|testing\\.ts$|index\\.ts$)' },
    },
    {
      name: '5-phase-imports-definitions',
      comment: 'Pure logic that rooms share knows the vocabulary only.',
      severity: 'error',
      from: {
        path: `^packages/(${toolPackages})/src/(?!definition/|providers/|consumer/|testing/|contract/|conformance/)[^/]+/`,
        pathNot: notShipped,
      },
      to: { path: '^packages/$1/src/(?:providers/|consumer/|plugin\\.ts$|testing\\.ts$|index\\.ts$)' },
    },
    {
      name: '6-host-in-providers-only',
      comment: 'node: modules live in providers/ and testing; everything else runs anywhere.',
      severity: 'error',
      from: { path: '^packages/(?!toolseam/)', pathNot: ['/src/providers/', testing, ...notShipped] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: '6-core-is-hostless',
      comment: 'core-tools has no providers: no node: module at all, testing aside.',
      severity: 'error',
      from: { path: '^packages/core-tools/src/', pathNot: [testing, ...notShipped] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: '6-testing-stays-apart',
      comment: 'What may use the host because it is for tests is imported by tests only.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: [testing, ...notShipped] },
      to: { path: `^packages/[^/]+${testing}` },
    },
    {
      name: '7-contracts-is-a-leaf',
      comment: 'Contracts import nothing of ours.',
      severity: 'error',
      from: { path: '^packages/core-tools/src/contracts/', pathNot: notShipped },
      to: { path: '^packages/core-tools/src/(?!contracts/)' },
    },
    {
      name: '7-parts-below-pipeline',
      comment: 'contracts <- hooks, registry, services <- pipeline <- scheduler.',
      severity: 'error',
      from: { path: '^packages/core-tools/src/(?:hooks|registry|services)/', pathNot: notShipped },
      to: { path: '^packages/core-tools/src/(?:pipeline|scheduler)/' },
    },
    {
      name: '7-pipeline-below-scheduler',
      comment: 'contracts <- hooks, registry, services <- pipeline <- scheduler.',
      severity: 'error',
      from: { path: '^packages/core-tools/src/pipeline/', pathNot: notShipped },
      to: { path: '^packages/core-tools/src/scheduler/' },
    },
    {
      name: '8-core-knows-no-code-mode',
      comment:
        'core-tools owns mode and collapse; of code-mode it knows two reserved tool names and the name of the package that brings them.',
      severity: 'error',
      from: { path: '^packages/core-tools/' },
      to: { path: 'code-mode|quickjs|isolated-vm' },
    },
    {
      name: 'resolvable',
      comment: 'What cannot be resolved cannot be checked.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/fixtures/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
    skipAnalysisNotInRules: true,
  },
}
