/** The dependency rules of .dependency-cruiser.cjs, run over one tree. A run that saw no modules proves nothing and is an error. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bin, root, runChild } from './workspace.mjs'

/** Sources and tests of every package and example; built files are not followed. */
function roots(tree) {
  const inPackages = ['packages', 'examples'].flatMap((group) => {
    const folder = join(tree, group)
    return existsSync(folder) ? readdirSync(folder).flatMap((name) => ['src', 'test'].map((room) => join(group, name, room))) : []
  })
  return inPackages.filter((folder) => existsSync(join(tree, folder)))
}

/** @returns {Promise<{ modules: number, violations: { rule: string, from: string, to: string }[] }>} */
export async function checkLayers(tree = root) {
  const args = [...roots(tree), '--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json']
  const { text } = await runChild(join(bin, 'depcruise'), args, { output: 'capture', cwd: tree })
  const start = text.indexOf('{')
  if (start < 0) throw new Error(`dependency-cruiser gave no report: ${text.trim()}`)
  const { summary } = JSON.parse(text.slice(start))
  if (summary.totalCruised === 0) throw new Error('dependency-cruiser saw 0 modules: is its TypeScript compiler installed?')
  const violations = summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }))
  return { modules: summary.totalCruised, violations }
}
