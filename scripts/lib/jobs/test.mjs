/** `npm test`: types, then every test of the repository in one vitest run. Ends with a plain line of counts. Arguments go to vitest. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countsLine } from '../counts.mjs'
import { prepare } from '../prepare.mjs'
import { childEnvironment, readStamp, runChild, say } from '../workspace.mjs'

export async function run(args) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  if (await prepare()) {
    await typecheck(counts)
    await vitest(args, counts)
  } else {
    counts.failed += 1
  }
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1
  console.log(countsLine(counts))
}

async function typecheck(counts) {
  const { status } = await runChild('tsc', ['-p', 'tsconfig.json', '--pretty', 'false'], { output: 'inherit' })
  if (status === 0) return
  say('the types do not fit (tsc -p tsconfig.json)')
  counts.failed += 1
}

async function vitest(args, counts) {
  const folder = mkdtempSync(join(tmpdir(), 'toolseam-counts-'))
  const file = join(folder, 'counts.json')
  const { status } = await runChild('vitest', ['run', ...args], {
    output: 'inherit',
    env: childEnvironment({ TOOLSEAM_COUNTS_FILE: file }),
  })
  const told = readStamp(file)
  rmSync(folder, { recursive: true, force: true })
  for (const kind of Object.keys(counts)) counts[kind] += told?.[kind] ?? 0
  if (status !== 0 && !(told?.failed > 0)) {
    say(`vitest ended with exit ${status}`)
    counts.failed += 1
  }
}
