/**
 * npm run bench -- approval: what a policy decision costs, and how many asks the store `files` takes.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { report, table } from '../lib/report.mjs'
import { askAndDecide, wholeCalls } from './asks.mjs'
import { loadTime, measureDecisions, policySubjects } from './policy.mjs'

const folder = mkdtempSync(join(tmpdir(), 'toolseam-bench-'))
const root = join(folder, 'root')
mkdirSync(join(root, 'src/deep'), { recursive: true })
writeFileSync(join(root, 'src/deep/file.ts'), '')
process.env.TOOLSEAM_CONFIG_DIR = join(folder, 'config')

try {
  const decisions = await measureDecisions(await policySubjects(root, folder))
  const loads = [50, 500].map((rules) => [`load ${rules} rules`, loadTime(rules).toFixed(1)])
  const { stored, bare } = await askAndDecide(folder)
  const whole = await wholeCalls(root, 500)
  const worst = (rules) =>
    Math.max(...decisions.filter(({ name }) => name.startsWith(`${rules} rules`) && !name.includes('disk')).map(({ us }) => us))
  report('approval', {
    title: 'Policy decisions and asks',
    command: 'npm run bench -- approval',
    packages: ['@toolseam/core-tools', '@toolseam/approval'],
    body: [
      table(
        ['decision', 'µs CPU (median)', 'least-most'],
        decisions.map(({ name, us, least, most }) => [name, us.toFixed(1), `${least.toFixed(1)}-${most.toFixed(1)}`]),
      ),
      '',
      table(['loading', 'ms'], loads),
      '',
      table(
        ['asks on the store `files`', 'a second'],
        [
          ['ask + decide, one after the other', stored.toFixed(0)],
          ['the same file steps alone, in turns with it', bare.toFixed(0)],
          ['whole calls: policy, ask, decision, claim, dispatch, body, consumed', whole.toFixed(0)],
        ],
      ),
      '',
      '## Targets',
      '',
      table(
        ['what', 'target', 'measured'],
        [
          ['decision with 50 rules, µs CPU (the dearest call)', '<= 20', worst(50).toFixed(1)],
          ['decision with 500 rules, µs CPU (the dearest call)', '<= 60', worst(500).toFixed(1)],
        ],
      ),
    ].join('\n'),
    notes: [
      'CPU time of the whole process per awaited decision, median of 15 interleaved rounds.',
      "Decisions take the facts of a call as its tool gives them; parsing a command text is the shell package's and not in these figures.",
      'A path that the tool has not resolved is looked up on disk; the targets are about decisions, so that row is beside them.',
      'Every step of an ask is durable (file and folder synchronised) before it counts; the disk, and who else uses it, decides how many there are.',
    ],
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
