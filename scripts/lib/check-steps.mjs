/** The steps of `pnpm check`, the longest first. A step that needs the built packages says so. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkLayers } from './layers.mjs'
import { childEnvironment, packageFolders, root, runChild } from './workspace.mjs'

const commandStep = (name, command, ...args) => ({ name, run: () => runCommand(command, args) })

export const steps = [
  { name: 'publint and attw', needsBuild: true, run: checkTarballs },
  { name: 'dependency-cruiser', run: checkDependencyRules },
  commandStep('knip', 'knip', '--no-progress', '--no-config-hints'),
  commandStep('types', 'tsc', '-p', 'tsconfig.json', '--pretty', 'false'),
  commandStep('declarations', 'tsc', '-p', 'tsconfig.declarations.json', '--pretty', 'false'),
  { name: 'types of bench', run: checkBenchTypes },
  commandStep('oxlint', 'oxlint', '--deny-warnings'),
  commandStep('oxfmt', 'oxfmt', '--check'),
]

async function runCommand(command, args) {
  const { FORCE_COLOR: _color, ...env } = childEnvironment({ NO_COLOR: '1' })
  const { status, text } = await runChild(command, args, { output: 'capture', env })
  return { ok: status === 0, text }
}

async function checkBenchTypes() {
  if (!existsSync(join(root, 'bench', 'node_modules'))) return { skipped: 'the peers of bench/ are not installed (pnpm bench NAME does)' }
  return runCommand('tsc', ['-p', 'tsconfig.bench.json', '--pretty', 'false'])
}

async function checkDependencyRules() {
  const { modules, violations } = await checkLayers()
  const text = violations.map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`).join('\n')
  return { ok: violations.length === 0, note: `${modules} modules`, text }
}

/** On the packed tarballs: what a user would install, not what lies in the folder. */
async function checkTarballs() {
  const folder = mkdtempSync(join(tmpdir(), 'toolseam-pack-'))
  try {
    const packed = await runChild('pnpm', ['--filter', './packages/*', '-r', 'pack', '--pack-destination', folder], { output: 'capture' })
    if (packed.status !== 0) return { ok: false, text: packed.text }
    const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    if (tarballs.length !== packageFolders().length)
      return { ok: false, text: `packed ${tarballs.length} of ${packageFolders().length} packages\n${packed.text}` }
    const faults = []
    for (const tarball of tarballs) faults.push(...(await checkTarball(join(folder, tarball))))
    return { ok: faults.length === 0, note: `${tarballs.length} packages`, text: faults.join('\n') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function checkTarball(tarball) {
  const [publint, attw] = await Promise.all([
    runCommand('publint', ['run', tarball, '--strict']),
    runCommand('attw', [tarball, '--profile', 'esm-only', '--no-color', '--no-emoji']),
  ])
  return [publint, attw].filter(({ ok }) => !ok).map(({ text }) => text)
}
