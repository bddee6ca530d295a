/** The engines from a build: worker and child are started from the files beside it, in a plain Node. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

test('C-7: the built engines find their thread, their child and the binary', { timeout: 120_000 }, () => {
  // Inside the package, so that its dependencies are found as they are where it was installed.
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'dist-'))
  try {
    const entries = {
      quickjs: 'src/providers/quickjs/quickjs.ts',
      process: 'src/providers/quickjs-process/quickjs-process.ts',
      prepare: 'src/prepare/prepare.ts',
      limits: 'src/definition/limits.ts',
      worker: 'src/providers/quickjs/worker.js',
      child: 'src/providers/quickjs-process/child.js',
    }
    const flags = Object.entries(entries).map(([name, file]) => `--entry.${name}=${file}`)
    const options = ['--config', 'false', '--format', 'esm', '--target', 'node20.19', '--out-dir', folder, '--silent', '--no-clean']
    execFileSync(join(root, '../../node_modules/.bin/tsup'), [...options, ...flags], { cwd: root, stdio: 'pipe' })
    writeFileSync(
      join(folder, 'main.mjs'),
      `import { createQuickjsRuntime } from './quickjs.js'
      import { createQuickjsProcessRuntime } from './process.js'
      import { prepareProgram } from './prepare.js'
      import { resolveLimits } from './limits.js'
      const { program } = prepareProgram('const n: number = await tools.add({}); return n + 1')
      for (const runtime of [createQuickjsRuntime(), createQuickjsProcessRuntime()]) {
        const call = async () => ({ ok: true, value: 41 })
        const request = { program, call, onConsole() {}, limits: resolveLimits() }
        await runtime.run(request)
        // At once: who waits for an engine that is clearing up is not left alone by the process.
        const result = await runtime.run(request)
        console.log(runtime.id, result.ok ? result.value : result.error.message)
      }
      // Neither is disposed: an idle engine does not keep a process alive.`,
    )
    const out = execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8', timeout: 60_000 })
    expect(out.trim().split('\n')).toEqual(['quickjs 42', 'quickjs-process 42'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
