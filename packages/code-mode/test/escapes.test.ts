/** Programs that try to get out, beside canaries that must stay untouched. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CodeRuntime } from '../src/index.ts'
import { escapePrograms } from '../src/testing.ts'
import { PROVIDERS, textOf, type World, world } from './support.ts'

const CANARY = 'canary-7f3a9c'
const VARIABLE = 'TOOLSEAM_TEST_CANARY'

describe.each(PROVIDERS.filter(([name]) => name !== 'inline'))('escapes from %s', { timeout: 120_000 }, (_, create) => {
  let engine: CodeRuntime
  let here: World
  let server: Server
  let visits = 0
  const folder = mkdtempSync(join(tmpdir(), 'toolseam-escape-'))
  const file = join(folder, 'canary.txt')
  beforeAll(async () => {
    writeFileSync(file, CANARY)
    process.env[VARIABLE] = CANARY
    server = createServer((_request, response) => {
      visits += 1
      response.end(CANARY)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    engine = create()
    here = await world({ engine, limits: { busyMs: 3000 } })
  })
  afterAll(async () => {
    await here[Symbol.asyncDispose]()
    await new Promise((resolve) => server.close(resolve))
    delete process.env[VARIABLE]
    rmSync(folder, { recursive: true })
  })

  test('C-10: no program reaches the host, and each leaves the next run in order', async () => {
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`
    const programs = escapePrograms({ file, url, variable: VARIABLE })
    expect(programs.length).toBeGreaterThanOrEqual(40)
    const protoBefore = [Reflect.ownKeys(Object.prototype), Reflect.ownKeys(Array.prototype), Reflect.ownKeys(Function.prototype)]
    for (const { name, program } of programs) {
      const result = await here.run(program)
      // Source lines are shown in errors, so only what was found is looked at.
      const found = result.isError ? String(result.error.code) : JSON.stringify(result.value)
      expect(found, name).not.toMatch(/REACHED(?!\?)/)
      expect(found + textOf(result), name).not.toMatch(/canary-7f3a9c|the secret/)
      expect(found + textOf(result), name).not.toMatch(/node_modules|\/packages\/|node:internal|\.ts:\d/)
      expect(result.isError && result.error.code, name).not.toBe('CODE_ENGINE')
    }
    expect([Reflect.ownKeys(Object.prototype), Reflect.ownKeys(Array.prototype), Reflect.ownKeys(Function.prototype)]).toEqual(protoBefore)
    expect(readFileSync(file, 'utf8')).toBe(CANARY)
    expect(visits).toBe(0)
    expect(here.violations).toEqual([])
    expect(await here.run('return 1')).toMatchObject({ isError: false, value: { value: 1 } })
  })
})
