/**
 * Writing results: a table, the machine, the versions and the command that made them.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, totalmem } from 'node:os'
import { dirname, join } from 'node:path'

const results = join(import.meta.dirname, '..', 'results')

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function machine() {
  const [cpu] = cpus()
  return `${cpu?.model.trim() ?? 'unknown CPU'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}, Node ${process.version}`
}

/** Version of an installed package, without importing it. */
export function version(name) {
  const require = createRequire(import.meta.url)
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version
    } catch {
      // Not in this folder.
    }
  }
  return 'not installed'
}

/** Writes `bench/results/NAME.md` and prints the same. */
export function report(name, { title, command, notes = [], body, packages = [] }) {
  const text = [
    `# ${title}`,
    '',
    `Made by \`${command}\` on ${new Date().toISOString().slice(0, 10)}.`,
    `Machine: ${machine()}.`,
    ...(packages.length === 0 ? [] : [`Versions: ${packages.map((each) => `${each} ${version(each)}`).join(', ')}.`]),
    '',
    body,
    '',
    ...notes.map((note) => `- ${note}`),
    '',
  ].join('\n')
  const file = join(results, `${name}.md`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(text)
}
