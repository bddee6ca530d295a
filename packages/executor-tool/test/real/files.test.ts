/**
 * A stop over real files: what was not applied is undone, what was applied stays, and the user's own edits are nobody's to undo.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call, type House, openHouse, until } from './fixtures/house.ts'

const LINES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta']
const TEXT = `${LINES.join('\n')}\n`

let house: House

/** A tool that writes through nested calls and then holds on until it is stopped. */
function registerHolder(): { holding: number } {
  const seen = { holding: 0 }
  house.runtime.register({
    name: 'hold',
    description: 'Edits through nested calls, then waits.',
    input: { type: 'object' },
    concurrency: 'parallel',
    async execute(input: { calls: { name: string; args: Record<string, string> }[] }, context) {
      for (const { name, args } of input.calls) {
        const result = await context.call(name, args)
        if (result.isError) throw new Error(result.error.message)
      }
      seen.holding += 1
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }))
      return null
    },
  })
  return seen
}

const edit = (path: string, old: string, text: string): { name: string; args: Record<string, string> } => ({
  name: 'edit',
  args: { path, old, new: text },
})

async function open(options: Parameters<typeof openHouse>[0] = {}): Promise<{ holding: number }> {
  await house.close()
  house = await openHouse(options)
  await writeFile(join(house.root, 'a.txt'), TEXT)
  return registerHolder()
}

beforeEach(async () => {
  house = await openHouse()
  await writeFile(join(house.root, 'a.txt'), TEXT)
})
afterEach(() => house.close())

describe('changes of a stopped turn', { timeout: 60_000 }, () => {
  test('E-31: entries carry the turn as turnId and tag, nested ones the root call, so that a revert finds them', async () => {
    const seen = registerHolder()
    const turn = house.executor.driver.execute({
      turnId: 't1',
      calls: [
        call('c1', 'write', { path: 'direct.txt', content: 'one\n' }),
        call('c2', 'hold', { calls: [{ name: 'write', args: { path: 'nested.txt', content: 'two\n' } }] }),
      ],
    })
    await until(() => seen.holding === 1)
    const entries = await house.entries()
    expect(entries.map(({ path, tag, turnId, rootCallId }) => ({ path, tag, turnId, rootCallId }))).toEqual([
      { path: 'direct.txt', tag: 't1', turnId: 't1', rootCallId: 'c1' },
      { path: 'nested.txt', tag: 't1', turnId: 't1', rootCallId: 'c2' },
    ])
    expect((await house.changes.revert({ tag: 't1', rootCallIds: ['c2'], dryRun: true })).files.map(({ path }) => path)).toEqual([
      'nested.txt',
    ])
    await house.executor.halt('cancel')
    await turn
  })

  test('E-31: nested writes of an unapplied block are undone, an applied block and the edits of the user in the same file stay', async () => {
    const seen = registerHolder()
    const turn = house.executor.driver.execute({
      turnId: 't1',
      calls: [
        call('c1', 'edit', { path: 'a.txt', old: 'alpha', new: 'ALPHA' }),
        call('c2', 'hold', { calls: [edit('a.txt', 'delta', 'DELTA'), { name: 'write', args: { path: 'new.txt', content: 'x\n' } }] }),
      ],
    })
    await until(() => seen.holding === 1)
    const path = join(house.root, 'a.txt')
    await writeFile(path, (await readFile(path, 'utf8')).replace('theta', 'the user was here'))
    const report = await house.executor.halt('cancel')
    expect(report.status).toBe('halted')
    expect(await house.text('a.txt')).toBe(TEXT.replace('alpha', 'ALPHA').replace('theta', 'the user was here'))
    expect(await house.text('new.txt')).toBeUndefined()
    expect(house.releaseErrors).toEqual([])
    const outcome = await turn
    expect(outcome.results.map((result) => result.isError)).toEqual([false, true])
  })

  test('E-31: what the user changed in the very same line stays as it is and is reported as a conflict', async () => {
    const seen = registerHolder()
    const turn = house.executor.driver.execute({ turnId: 't1', calls: [call('c1', 'hold', { calls: [edit('a.txt', 'delta', 'DELTA')] })] })
    await until(() => seen.holding === 1)
    const theirs = TEXT.replace('delta', 'DELTA, says the user')
    await writeFile(join(house.root, 'a.txt'), theirs)
    await house.executor.halt('cancel')
    await turn
    expect(await house.text('a.txt')).toBe(theirs)
    const changes = house.reports.flatMap((report) => (report.kind === 'changes' ? (report.report.files ?? []) : []))
    expect(changes).toMatchObject([{ path: 'a.txt', conflict: expect.any(String) }])
  })

  test('E-31: revert "turn" undoes applied blocks as well, and the undo can be undone', async () => {
    const seen = await open({ revert: 'turn' })
    const turn = house.executor.driver.execute({
      turnId: 't1',
      calls: [
        call('c1', 'edit', { path: 'a.txt', old: 'alpha', new: 'ALPHA' }),
        call('c2', 'hold', { calls: [edit('a.txt', 'epsilon', 'EPSILON')] }),
      ],
    })
    await until(() => seen.holding === 1)
    const written = await house.text('a.txt')
    await house.executor.halt('cancel')
    await turn
    expect(await house.text('a.txt')).toBe(TEXT)
    const undo = (await house.entries()).findLast((entry) => entry.tag !== 't1')
    await house.changes.revert({ tag: undo?.tag ?? 'none' })
    expect(await house.text('a.txt')).toBe(written)
  })

  test('E-31: revert "none" undoes nothing', async () => {
    const seen = await open({ revert: 'none' })
    const turn = house.executor.driver.execute({ turnId: 't1', calls: [call('c1', 'hold', { calls: [edit('a.txt', 'delta', 'DELTA')] })] })
    await until(() => seen.holding === 1)
    await house.executor.halt('cancel')
    await turn
    expect(await house.text('a.txt')).toBe(TEXT.replace('delta', 'DELTA'))
  })

  test('E-31: another turn with the same call ids is not touched', async () => {
    const seen = registerHolder()
    const { driver } = house.executor
    await driver.execute({ turnId: 't1', calls: [call('c1', 'edit', { path: 'a.txt', old: 'beta', new: 'BETA' })] })
    const turn = driver.execute({ turnId: 't2', calls: [call('c1', 'hold', { calls: [edit('a.txt', 'delta', 'DELTA')] })] })
    await until(() => seen.holding === 1)
    await house.executor.halt('cancel')
    await turn
    expect(await house.text('a.txt')).toBe(TEXT.replace('beta', 'BETA'))
  })

  test('E-31, E-35: what a program wrote before it was stopped is undone', async () => {
    const code = `await tools.write({ path: 'p.txt', content: 'x' }); while (true) await tools.list({ path: '.' })`
    const turn = house.executor.driver.execute({ turnId: 't1', calls: [call('c1', 'run_code', { code })] })
    await until(async () => (await house.text('p.txt')) !== undefined)
    await house.executor.halt('cancel')
    expect((await turn).results).toMatchObject([{ isError: true, error: { code: 'TOOL_ABORTED' } }])
    expect(await house.text('p.txt')).toBeUndefined()
  })

  test('E-27, E-31: a stop of the parent undoes what the turn of a subagent wrote', async () => {
    const seen = registerHolder()
    const subagent = house.executor.openSubagent()
    const turn = subagent.driver.execute({ turnId: 's1', calls: [call('c1', 'hold', { calls: [edit('a.txt', 'delta', 'DELTA')] })] })
    await until(() => seen.holding === 1)
    await house.executor.halt('cancel')
    expect(await house.text('a.txt')).toBe(TEXT)
    expect((await turn).status).toBe('halted')
    await subagent.dispose()
  })
})
