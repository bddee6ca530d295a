/**
 * The surface withdrawn: tools do their work, and nobody can be asked.
 */
import { deniedSurface, surfaceFor, type UserFacingSurface } from '@toolseam/core-tools'
import { afterEach, describe, expect, test } from 'vitest'
import { call, type House, openHouse } from './fixtures/house.ts'

let house: House

afterEach(() => house.close())

function registerAsker(): void {
  house.runtime.register({
    name: 'write_then_ask',
    description: 'Writes a file, then asks.',
    input: { type: 'object' },
    async execute(_input, context) {
      const written = await context.call('write', { path: 'kept.txt', content: 'kept\n' })
      if (written.isError) throw new Error(written.error.message)
      return String(await surfaceFor(context.surface).require('ask')('May I?'))
    },
  })
}

function user(seen: string[]): UserFacingSurface {
  return {
    kind: 'user_facing',
    ask: async () => 'yes',
    say: async () => {},
    openInteraction: async () => null,
    diff: { show: async () => void seen.push('shown'), close: async () => void seen.push('closed') },
  }
}

describe('a withdrawn surface', { timeout: 60_000 }, () => {
  test('E-33: files are still written, and asking fails the block with SURFACE_DENIED', async () => {
    house = await openHouse({ surface: deniedSurface('subagent_execution') })
    registerAsker()
    const { results } = await house.executor.driver.execute({
      turnId: 't1',
      calls: [call('c1', 'write', { path: 'plain.txt', content: 'plain\n' }), call('c2', 'write_then_ask', {})],
    })
    expect(results).toMatchObject([{ isError: false }, { isError: true, error: { code: 'SURFACE_DENIED' } }])
    expect(await house.text('plain.txt')).toBe('plain\n')
    // What failed was applied as a failure; only what a stop cuts is undone.
    expect(await house.text('kept.txt')).toBe('kept\n')
  })

  test('E-32, E-35: a write of the turn shows its change to the user, one of a program or a subagent does not', async () => {
    const seen: string[] = []
    house = await openHouse({ surface: user(seen) })
    const { driver, openSubagent } = house.executor
    const code = `await tools.write({ path: 'by-program.txt', content: 'x' })`
    const program = await driver.execute({ turnId: 't1', calls: [call('c1', 'run_code', { code })] })
    expect(program.results).toMatchObject([{ isError: false }])
    const subagent = openSubagent()
    const below = await subagent.driver.execute({ turnId: 's1', calls: [call('c1', 'write', { path: 'by-subagent.txt', content: 'x' })] })
    expect(below.results).toMatchObject([{ isError: false }])
    expect(seen).toEqual([])
    await driver.execute({ turnId: 't2', calls: [call('c1', 'write', { path: 'by-turn.txt', content: 'x' })] })
    expect(seen).toContain('shown')
    await subagent.dispose()
  })
})
