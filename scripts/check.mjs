/**
 * `pnpm check`: everything that is not a test. One line a step; every step runs even when one failed, two at a time.
 * Ends with `N passed, N failed, N skipped`.
 */
import { requireNode } from './lib/node-version.mjs'

requireNode()

const { countsLine } = await import('./lib/counts.mjs')
const { prepare } = await import('./lib/prepare.mjs')
const { steps } = await import('./lib/check-steps.mjs')

const counts = { passed: 0, failed: 0, skipped: 0 }
const built = await prepare()

const waiting = [...steps]
await Promise.all([worker(), worker()])

console.log(countsLine(counts))
process.exitCode = counts.failed > 0 ? 1 : 0

async function worker() {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await runStep(step)
}

/** A step gives `{ ok, note?, text? }`, or `{ skipped }` with the reason. What it throws is its failure. */
async function runStep({ name, needsBuild = false, run }) {
  const started = performance.now()
  const outcome =
    needsBuild && !built ? { ok: false, text: 'the build failed' } : await run().catch((error) => ({ ok: false, text: error.message }))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (outcome.skipped !== undefined) {
    counts.skipped += 1
    console.log(`skip  ${name.padEnd(22)} ${outcome.skipped}`)
    return
  }
  counts[outcome.ok ? 'passed' : 'failed'] += 1
  const note = outcome.note === undefined ? '' : `, ${outcome.note}`
  console.log(`${outcome.ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(22)} ${seconds} s${note}`)
  if (!outcome.ok) console.log(indent(outcome.text ?? ''))
}

function indent(text) {
  return text.trimEnd().replaceAll(/^/gm, '      ')
}
