import { test } from 'vitest'
import { mkdirSync, writeFileSync, existsSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { rgPath } from '@vscode/ripgrep'
import { createRootedFileSystem } from '../../src/providers/rooted/index.ts'
import { createSearch } from '../../src/providers/search/create-search.ts'
const root = '/tmp/perf/tree'
if (!existsSync(root)) {
  for (let d = 0; d < 1000; d++) {
    const dir = `${root}/p${d % 20}/q${d % 100}/r${d}`
    mkdirSync(dir, { recursive: true })
    for (let f = 0; f < 50; f++)
      writeFileSync(
        `${dir}/f${f}.${f < 11 ? 'ts' : 'txt'}`,
        `line one\n${f % 50 === 0 && d % 2 === 0 ? 'needle here\n' : ''}` + 'some text that is not interesting at all\n'.repeat(20),
      )
  }
}
const med = (a: number[]) => a.sort((x, y) => x - y)[a.length >> 1]!
const raw = (args: string[]) =>
  new Promise<void>((r) => {
    const c = spawn(rgPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
    c.stdout.resume()
    c.once('close', () => r())
  })
async function time(n: number, f: () => Promise<unknown>) {
  const t: number[] = []
  for (let i = 0; i < n; i++) {
    const s = performance.now()
    await f()
    t.push(performance.now() - s)
  }
  return med(t).toFixed(0)
}
test('bench', { timeout: 600000 }, async () => {
  for (const engine of ['ripgrep', 'js'] as const) {
    const fs = await createRootedFileSystem({
      root,
      persist: false,
      search: ({ fileSystem, ground }) => createSearch({ ground, roots: fileSystem.roots, engine }),
    })
    const grep = async (q: any) => {
      const s = fs.grep(q)
      let n = 0
      for await (const _ of s) n++
      await s.summary
      return n
    }
    await grep({ pattern: 'needle' })
    console.log(
      engine,
      'rg 500',
      await time(9, () => raw(['--hidden', '--no-config', '-n', '--column', '-b', '--no-heading', 'needle', './'])),
      'grep 500',
      await time(9, () => grep({ pattern: 'needle', limit: 1000 })),
    )
    console.log(engine, 'broad', await time(9, () => grep({ pattern: 'interesting', limit: 200 })))
    console.log(
      engine,
      'rg files',
      await time(9, () => raw(['--files', '--hidden', '-g', '*.ts', './'])),
      'all',
      await time(9, () => raw(['--files', '--hidden', './'])),
      'glob path',
      await time(5, () => fs.glob({ pattern: '*.ts', order: 'path' })),
      'glob newest',
      await time(5, () => fs.glob({ pattern: '*.ts' })),
    )
    await fs.close()
  }
})
