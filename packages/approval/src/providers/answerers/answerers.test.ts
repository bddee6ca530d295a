import { describe, expect, test } from 'vitest'
import type { AskView } from '../../definition/answerer.ts'
import { testDraft } from '../../testing/drafts.ts'
import { approve, callback, scripted, store } from './answerers.ts'

const ask: AskView = { ...testDraft(), revision: 1, state: 'pending' }
const signal = new AbortController().signal

describe('A-15: answerers without a screen', () => {
  test('A-15: callback and script fill in who answered; what a callback says of it stands', async () => {
    expect(await callback(() => ({ outcome: 'approve' }), { id: 'host', name: 'Host' }).answer(ask, { signal })).toEqual({
      outcome: 'approve',
      by: { kind: 'callback', id: 'host', name: 'Host', verified: false },
    })
    expect(await scripted([{ outcome: 'reject' }]).answer(ask, { signal })).toMatchObject({ outcome: 'reject', by: { kind: 'scripted' } })
    const by = { kind: 'web' as const, id: 'u1', verified: true }
    expect(await callback(() => ({ outcome: 'approve', by }), { id: 'host' }).answer(ask, { signal })).toEqual({ outcome: 'approve', by })
  })

  test('A-15: an exhausted script has no answer', async () => {
    const script = scripted([{ outcome: 'approve' }])
    await script.answer(ask, { signal })
    expect(await script.answer(ask, { signal })).toBeUndefined()
  })

  test('A-15: the store parks until the ask is over', async () => {
    const over = new AbortController()
    const parked = store().answer(ask, { signal: over.signal })
    over.abort()
    expect(await parked).toBeUndefined()
    expect(await store().answer(ask, { signal: AbortSignal.abort() })).toBeUndefined()
    expect(store().interactive).toBe(false)
  })

  test('A-16: --approve once approves each for itself, never rejects each, wait parks', async () => {
    expect(await approve('once').answer(ask, { signal })).toMatchObject({ outcome: 'approve', scope: 'once', by: { kind: 'cli' } })
    expect(await approve('never').answer(ask, { signal })).toMatchObject({ outcome: 'reject', by: { kind: 'cli' } })
    expect(approve('wait').name).toBe('store')
  })
})
