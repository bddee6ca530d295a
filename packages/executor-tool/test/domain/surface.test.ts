/**
 * Surfaces: granted at assembly, denied without trace, revoked with the block (E-32 to E-35).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deniedSurface, surfaceFor } from '@toolseam/core-tools'
import type { UserFacingSurface } from '@toolseam/executor-tool'
import { drainReady } from '@toolseam/executor-tool/testing'
import { expect, test } from 'vitest'
import { cmd, domainBench, spySurface } from './helpers.ts'

async function running(surface: UserFacingSurface) {
  const bench = domainBench({ surface })
  bench.domain.handle(cmd('a'))
  await drainReady()
  const { context } = bench.runner.body('a')
  if (context.surface.kind !== 'user_facing') throw new Error('denied')
  return { ...bench, body: bench.runner.body('a'), surface: context.surface }
}

test('E-33: on a denied surface the four capabilities do not exist, and needing one names it', async () => {
  const { domain, runner, events } = domainBench({ surface: deniedSurface('subagent_execution') })
  const written: string[] = []
  runner.script.set('a', ({ surface }) => {
    expect(Object.keys(surface).toSorted()).toEqual(['kind', 'reason'])
    written.push('file')
    surfaceFor(surface).require('ask')
    return 'unreached'
  })
  domain.handle(cmd('a'))
  await drainReady()
  expect(written).toEqual(['file'])
  expect(events).toMatchObject([
    { kind: 'tool.block_failed', failure: { code: 'SURFACE_DENIED', cause: { capability: 'ask', reason: 'subagent_execution' } } },
  ])
})

test('E-34: cached methods reject after the block has closed, and never reach the port', async () => {
  const port = spySurface()
  const { surface, body } = await running(port)
  const { ask, say, openInteraction, diff } = surface
  await say('in time')
  body.resolve(1)
  await drainReady()
  for (const call of [() => ask('?'), () => say('!'), () => openInteraction({}), () => diff.show({}), () => diff.close()]) {
    await expect(call()).rejects.toMatchObject({ code: 'SURFACE_DENIED', reason: 'revoked' })
  }
  expect(port.calls).toEqual(['say'])
})

test('E-34: pending questions reject at once when a stop is accepted, are withdrawn by their signal, and late answers are dropped', async () => {
  const port = spySurface()
  const { surface, body, domain } = await running(port)
  const asked = surface.ask('?')
  const opened = surface.openInteraction({})
  const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
  expect(port.signals.map((signal) => signal.aborted)).toEqual([true, true])
  // The port ignores the signal and answers in the same instant.
  port.answer('late')
  port.answer('late')
  await expect(asked).rejects.toMatchObject({ capability: 'ask', reason: 'revoked' })
  await expect(opened).rejects.toMatchObject({ capability: 'openInteraction', reason: 'revoked' })
  body.resolve(1)
  await halted
})

test('E-34: a question nobody awaits any more ends nothing when it is revoked', async () => {
  const port = spySurface()
  const { surface, body } = await running(port)
  void surface.ask('?')
  body.resolve(1)
  await drainReady()
  await drainReady()
  expect(port.signals[0]?.aborted).toBe(true)
})

test("E-34: the asker's own signal withdraws the prompt too, and its listener is gone afterwards", async () => {
  const port = spySurface()
  const { surface } = await running(port)
  const control = new AbortController()
  const asked = surface.ask('?', { signal: control.signal })
  control.abort('mine')
  expect(port.signals[0]).toMatchObject({ aborted: true, reason: 'mine' })
  port.answer('none')
  expect(await asked).toBe('none')
  expect(await surface.ask('?', { signal: AbortSignal.abort() }).constructor).toBe(Promise)
})

test('E-34: an open diff closes with its block, once', async () => {
  const port = spySurface()
  const { surface, body } = await running(port)
  await surface.diff.show({})
  body.resolve(1)
  await drainReady()
  expect(port.calls).toEqual(['diff.show', 'diff.close'])
})

test('E-34: a port that throws is the error of the call', async () => {
  const port: UserFacingSurface = {
    ...spySurface(),
    say: () => {
      throw new Error('port')
    },
  }
  const { surface } = await running(port)
  await expect(surface.say('x')).rejects.toThrow('port')
})

test('E-27: a child cannot widen what its parent was denied', async () => {
  const port = spySurface()
  const { domain } = domainBench({ surface: deniedSurface('subagent_execution') })
  const child = domain.openChild({ surface: port })
  expect(child.surface).toEqual({ kind: 'denied', reason: 'subagent_execution' })
  const grandchild = child.openChild({ surface: port })
  expect(grandchild.surface.kind).toBe('denied')
})

test('E-35: a host may give a child a surface that forwards', async () => {
  const port = spySurface()
  const { domain, runner } = domainBench({ surface: port })
  const child = domain.openChild({ surface: { ...port, say: (message) => port.say(`from the child: ${message}`) } })
  runner.script.set('c', ({ surface }) => surfaceFor(surface).require('say')('hello'))
  child.handle(cmd('c'))
  await drainReady()
  expect(port.calls).toEqual(['say'])
})

test('E-32: no other route to a user exists: nothing in the source reads a terminal or asks by itself', () => {
  const source = join(import.meta.dirname, '..', '..', 'src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('testing'),
  )
  expect(files.length).toBeGreaterThan(30)
  for (const file of files) {
    const text = readFileSync(join(source, file), 'utf8')
    expect(text, file).not.toMatch(/readline|process\.std|console\.|(?<!#)\bprompt\(|node:(?!async_hooks)/)
    // Only the lease speaks to a port.
    if (!file.includes('surface-lease')) expect(text, file).not.toMatch(/\.(ask|say|openInteraction)\(/)
  }
})
