/**
 * A vitest reporter that says one thing: how many tests passed, failed and were skipped. It prints the closing line, or hands the
 * numbers to `npm test` through the file that TOOLSEAM_COUNTS_FILE names.
 */
import { writeFileSync } from 'node:fs'
import { countsLine } from './lib/counts.mjs'

export default class CountsReporter {
  /** @param {readonly import('vitest/node').TestModule[]} modules @param {readonly unknown[]} unhandled */
  onTestRunEnd(modules, unhandled) {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 }
    for (const module of modules) {
      let failed = 0
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') counts.passed += 1
        else if (state === 'failed') failed += 1
        else counts.skipped += 1
      }
      // A file that does not load has no tests to fail.
      counts.failed += failed === 0 && module.state() === 'failed' ? 1 : failed
    }
    const file = process.env.TOOLSEAM_COUNTS_FILE
    if (file === undefined) console.log(countsLine(counts))
    else writeFileSync(file, JSON.stringify(counts))
  }
}
