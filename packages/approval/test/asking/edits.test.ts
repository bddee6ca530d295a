/**
 * Edit on approval, what is shown of a call, and what never is.
 */
import { describe, expect, test } from 'vitest'
import type { AskView, Decision, PolicyFile } from '../../src/index.ts'
import { callback, scripted } from '../../src/index.ts'
import { codeOf, expectCode, gate, human, rig, until, yes } from '../support.ts'

const edit = (args: unknown): Decision => ({ outcome: 'approve', arguments: args as never })
const noDanger: PolicyFile = {
  version: 1,
  rules: [{ id: 'no-danger', tool: 'demo', args: { '/text': 'danger' }, decision: 'deny', reason: 'dangerous' }],
}

describe('A-12: edit on approval', () => {
  test('A-12: valid: the edited arguments run, the record keeps both', async () => {
    const r = await rig({ answerers: [scripted([edit({ text: 'edited' })])] })
    expect(await r.call('c1')).toMatchObject({ value: 'ran edited' })
    expect(r.ran).toEqual([{ text: 'edited' }])
    const [record, ...others] = await r.store.list()
    expect(others).toEqual([])
    expect(record?.args).toEqual({ text: 'hello' })
    expect(record?.decision?.edited?.args).toEqual({ text: 'edited' })
    expect(record?.decision?.edited?.argsHash).not.toBe(record?.argsHash)
    expect(record?.trail).not.toEqual([])
    expect(record?.decision?.edited?.trail).not.toEqual([])
  })

  test('A-12: an empty object is an edit; an absent field is none', async () => {
    const r = await rig({ answerers: [scripted([edit({}), edit(undefined)])] })
    await r.call('c1')
    await r.call('c2')
    expect(r.ran).toEqual([{}, { text: 'hello' }])
  })

  test('A-12: invalid: the answerer is called again with the problems, three times, then unavailable', async () => {
    const seen: AskView['problems'][] = []
    const r = await rig({ answerers: [callback((ask) => (seen.push(ask.problems), edit({ text: 7 })), { id: 'host' }), scripted([yes])] })
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_UNAVAILABLE')
    expect(seen).toHaveLength(4)
    expect(seen[0]).toBeUndefined()
    expect(seen[1]).toEqual([{ path: '/text', message: expect.any(String) }])
    expect(r.ran).toEqual([])
    expect((await r.approval.list())[0]?.state).toBe('unavailable')
  })

  test('A-12: invalid once, then mended', async () => {
    const r = await rig({ answerers: [scripted([edit({ nope: 1 }), edit({ text: 'mended' })])] })
    expect(await r.call('c1')).toMatchObject({ value: 'ran mended' })
  })

  test('A-12: decide with an invalid edit rejects, and the ask stays pending', async () => {
    const answered = gate<Decision>()
    const r = await rig({ answerers: [callback(async () => answered.promise, { id: 'host' })] })
    const call = r.call('c1')
    await until(async () => (await r.approval.list()).length === 1)
    const [record] = await r.approval.list()
    const id = record?.id ?? ''
    await expectCode(r.approval.decide(id, edit({ text: 7 }), { by: human }), 'INVALID_TOOL_INPUT')
    await expectCode(r.approval.decide(id, true as never, { by: human }), 'APPROVAL_INVALID_DECISION')
    await expectCode(r.approval.decide(id, yes, { by: human, expectedRevision: 9 }), 'APPROVAL_STALE_REVISION')
    await expectCode(r.approval.decide('apr_unknown', yes, { by: human }), 'APPROVAL_NOT_FOUND')
    expect((await r.approval.get(id))?.state).toBe('pending')
    await r.approval.decide(id, edit({ text: 'good' }), { by: human })
    expect(await call).toMatchObject({ value: 'ran good' })
  })

  test('A-12: edited into a denied call: TOOL_DENIED, never run', async () => {
    const r = await rig({ answerers: [scripted([edit({ text: 'danger' })])], policy: noDanger })
    const result = await r.call('c1')
    expect(result).toMatchObject({ error: { code: 'TOOL_DENIED', details: { by: 'session:rule:no-danger' } } })
    expect(r.ran).toEqual([])
    await until(async () => (await r.approval.list({ state: 'consumed' })).length === 1)
    expect((await r.approval.list())[0]?.settled).toMatchObject({ isError: true, code: 'TOOL_DENIED' })
  })

  test('A-12: edited, then rewritten by a tap: asked anew, three asks a call at most', async () => {
    const asked: unknown[] = []
    const r = await rig({ answerers: [callback((ask) => (asked.push(ask.args), edit({ text: `edit ${asked.length}` })), { id: 'host' })] })
    r.runtime.hooks.preExecute.tap('rewriter', (decision, execution) => {
      const { text } = execution.arguments as { text: string }
      return text.startsWith('edit') ? { kind: 'ask', arguments: { text: `rewritten from ${text}` } } : decision
    })
    const result = await r.call('c1')
    expect(codeOf(result)).toBe('TOOL_DENIED')
    expect(asked).toEqual([{ text: 'hello' }, { text: 'rewritten from edit 1' }, { text: 'rewritten from edit 2' }])
    expect(r.ran).toEqual([])
    await until(async () => (await r.approval.list({ state: 'consumed' })).length === 3)
  })
})

describe('A-1: what is never shown', () => {
  test('A-1: a denied call is never put to a human', async () => {
    const r = await rig({ answerers: [callback(() => expect.fail('asked'), { id: 'host' })], policy: noDanger })
    expect(codeOf(await r.call('c1', { text: 'danger' }))).toBe('TOOL_DENIED')
    expect(await r.approval.list()).toEqual([])
  })

  test('A-1: invalid input is never put to a human', async () => {
    const r = await rig({ answerers: [callback(() => expect.fail('asked'), { id: 'host' })] })
    expect(codeOf(await r.call('c1', { text: 7 }))).toBe('INVALID_TOOL_INPUT')
    expect(await r.approval.list()).toEqual([])
  })

  test('A-1: a call that a guard denies is never put to a human', async () => {
    const r = await rig({ answerers: [callback(() => expect.fail('asked'), { id: 'host' })] })
    r.runtime.guard(() => 'closed', { name: 'closed' })
    expect(codeOf(await r.call('c1'))).toBe('TOOL_DENIED')
  })

  test('A-1, A-21: a guard that fires only after the answer denies, and the approval is consumed', async () => {
    let open = true
    const r = await rig({ answerers: [callback(() => ((open = false), yes), { id: 'host' })] })
    r.runtime.guard(() => (open ? undefined : 'closed meanwhile'), { name: 'door' })
    expect(await r.call('c1')).toMatchObject({ error: { code: 'TOOL_DENIED', details: { by: 'door' } } })
    expect(r.ran).toEqual([])
    await until(async () => (await r.approval.list({ state: 'consumed' })).length === 1)
  })
})

describe('A-23: sensitive arguments', () => {
  const sensitive = {
    describeCall: (input: { secret?: string }) => ({
      title: `send ${input.secret}`,
      kind: 'other' as const,
      command: `curl -H "${input.secret}"`,
      sensitive: ['/secret'],
    }),
  }

  test('A-23: masked in the prompt and in what the service gives; the store keeps them', async () => {
    const shown: AskView[] = []
    const r = await rig({ answerers: [callback((ask) => (shown.push(ask), yes), { id: 'host' })], tool: sensitive })
    await r.call('c1', { text: 'plain', secret: 'hunter2!"' })
    expect(r.ran).toEqual([{ text: 'plain', secret: 'hunter2!"' }])
    expect(shown[0]?.args).toEqual({ text: 'plain', secret: '[masked]' })
    expect(JSON.stringify(shown)).not.toContain('hunter2')
    expect(JSON.stringify(await r.approval.list())).not.toContain('hunter2')
    expect((await r.store.list())[0]?.args).toEqual({ text: 'plain', secret: 'hunter2!"' })
  })

  test('A-23: an edit that keeps the mask keeps the value behind it', async () => {
    const r = await rig({
      answerers: [callback((ask) => edit({ ...(ask.args as object), text: 'edited' }), { id: 'host' })],
      tool: sensitive,
    })
    await r.call('c1', { text: 'plain', secret: 'hunter2' })
    expect(r.ran).toEqual([{ text: 'edited', secret: 'hunter2' }])
    expect(JSON.stringify(await r.approval.list())).not.toContain('hunter2')
  })
})

describe('A-17: limits', () => {
  test('A-17: arguments over 1 MiB cannot be asked about: unavailable, no record', async () => {
    const r = await rig({ answerers: [scripted([yes])] })
    expect(codeOf(await r.call('c1', { text: 'x'.repeat(1_048_577) }))).toBe('APPROVAL_UNAVAILABLE')
    expect(await r.approval.list()).toEqual([])
  })

  test('A-17: a view over 64 KiB is kept without its diff; the prompt shows all of it', async () => {
    const diff = '+'.repeat(70_000)
    const shown: AskView[] = []
    const r = await rig({
      answerers: [callback((ask) => (shown.push(ask), yes), { id: 'host' })],
      tool: { describeCall: (_, { preview }) => ({ title: 'write', kind: 'other', ...(preview ? { diff } : {}) }) },
    })
    expect(codeOf(await r.call('c1'))).toBe('ok')
    expect(shown[0]?.view.diff).toBe(diff)
    expect((await r.store.list())[0]?.view).toEqual({ title: 'write', kind: 'other' })
  })
})
