/**
 * Grants: each scope where it holds and where it must not, matching, widths, ends, export.
 */
import { describe, expect, test } from 'vitest'
import { defineTool, type CallView, type CommandEffects, type ToolDefinition } from '@toolseam/core-tools'
import type { AskView, Decision, PolicyFile } from '../../src/index.ts'
import { callback, exportGrants, openStore, store as parked, storeFolder } from '../../src/index.ts'
import { codeOf, expectCode, human, onCleanup, rig, scratch, until, type Rig, type RigOptions } from '../support.ts'

/** Remembers as told the first time, rejects from then on: a call that runs a second time was lifted. */
function remembering(decision: Decision, first?: (ask: AskView) => void) {
  let asked = 0
  const answerer = callback(
    (ask) => {
      asked++
      if (asked === 1) first?.(ask)
      return asked === 1 ? decision : { outcome: 'reject' }
    },
    { id: 'host' },
  )
  return { answerer, count: () => asked }
}

async function remembered(decision: Decision, options: RigOptions = {}): Promise<Rig> {
  const r = await rig({ answerers: [remembering(decision).answerer], session: 's1', ...options })
  r.runtime.scope('lead')
  r.runtime.scope('worker', { extends: 'lead' })
  r.runtime.scope('stranger')
  return r
}

const lifted = async (r: Rig, callId: string, more: object = {}, args: object = { text: 'hello' }): Promise<boolean> =>
  codeOf(await r.call(callId, args, more)) === 'ok'

describe('A-24: scopes', () => {
  test('A-24: once binds the record: the next call is asked about', async () => {
    const r = await remembered({ outcome: 'approve' })
    await r.call('c1')
    expect(await lifted(r, 'c2')).toBe(false)
    expect(await r.approval.grants()).toEqual([])
  })

  test('A-24: turn: the same session, agent and turn', async () => {
    const r = await remembered({ outcome: 'approve', scope: 'turn' })
    await r.call('c1', { text: 'hello' }, { agent: 'lead', turnId: 't1' })
    expect(await lifted(r, 'c2', { agent: 'lead', turnId: 't1' })).toBe(true)
    expect(await lifted(r, 'c3', { agent: 'lead', turnId: 't2' })).toBe(false)
    expect(await lifted(r, 'c4', { agent: 'lead' })).toBe(false)
    expect(await lifted(r, 'c5', { agent: 'worker', turnId: 't1' })).toBe(false)
  })

  test.each(['session', 'agent'] as const)('A-24: %s: this agent, not its child, not another, never its parent', async (scope) => {
    const r = await remembered({ outcome: 'approve', scope })
    await r.call('c1', { text: 'hello' }, { agent: 'lead' })
    expect(await lifted(r, 'c2', { agent: 'lead', turnId: 'other' })).toBe(true)
    expect(await lifted(r, 'c3', { agent: 'worker' })).toBe(false)
    expect(await lifted(r, 'c4', { agent: 'stranger' })).toBe(false)
    const child = await remembered({ outcome: 'approve', scope, inherit: true })
    await child.call('c1', { text: 'hello' }, { agent: 'worker' })
    expect(await lifted(child, 'c2', { agent: 'worker' })).toBe(true)
    expect(await lifted(child, 'c3', { agent: 'lead' })).toBe(false)
  })

  test('A-24: inherit serves the agents below, no others', async () => {
    const r = await remembered({ outcome: 'approve', scope: 'session', inherit: true })
    await r.call('c1', { text: 'hello' }, { agent: 'lead' })
    expect(await lifted(r, 'c2', { agent: 'worker' })).toBe(true)
    expect(await lifted(r, 'c3', { agent: 'stranger' })).toBe(false)
  })

  test('A-24, A-27: sessions: another one with the same agent is not served, the same one after a restart is', async () => {
    const { root } = await scratch()
    const files: RigOptions = { root, store: { kind: 'files', path: storeFolder(root) } }
    const first = await remembered({ outcome: 'approve', scope: 'session' }, files)
    await first.call('c1', { text: 'hello' }, { agent: 'lead' })
    await first.runtime.dispose()
    const other = await remembered({ outcome: 'reject' }, { ...files, session: 's2' })
    expect(await lifted(other, 'c2', { agent: 'lead' })).toBe(false)
    const same = await remembered({ outcome: 'reject' }, files)
    expect(await lifted(same, 'c3', { agent: 'lead' })).toBe(true)
  })

  test('A-24: project: any agent here, in any session; not in another project', async () => {
    const { root } = await scratch()
    const files: RigOptions = { root, store: { kind: 'files', path: storeFolder(root) } }
    const r = await remembered({ outcome: 'approve', scope: 'project' }, files)
    await r.call('c1', { text: 'hello' }, { agent: 'lead' })
    expect(await lifted(r, 'c2', { agent: 'stranger' })).toBe(true)
    const otherRoot = `${root}-other`
    const other = await remembered({ outcome: 'reject' }, { root: otherRoot, store: { kind: 'files', path: storeFolder(otherRoot) } })
    expect(await lifted(other, 'c3', { agent: 'lead' })).toBe(false)
  })

  test('A-24: user: everywhere for this user, also when the project of the grant is gone; not for another user', async () => {
    const { root, config } = await scratch()
    const at = (folder: string): RigOptions => ({ root: folder, store: { kind: 'files', path: storeFolder(folder) } })
    const r = await remembered({ outcome: 'approve', scope: 'user' }, at(root))
    await r.call('c1')
    await r.runtime.dispose()
    const { rm } = await import('node:fs/promises')
    await rm(root, { recursive: true })
    const other = await remembered({ outcome: 'reject' }, at(`${root}-other`))
    expect(await lifted(other, 'c2', { agent: 'stranger' })).toBe(true)
    process.env['TOOLSEAM_CONFIG_DIR'] = `${config}-of-another`
    const elsewhere = await remembered({ outcome: 'reject' }, at(`${root}-third`))
    expect(await lifted(elsewhere, 'c3')).toBe(false)
  })
})

describe('A-25: matching', () => {
  test('A-25: exact is the tool and the arguments, whatever the order of keys', async () => {
    const r = await remembered({ outcome: 'approve', scope: 'session' })
    await r.call('c1', { text: 'a', path: 'b' })
    expect(await lifted(r, 'c2', {}, { path: 'b', text: 'a' })).toBe(true)
    expect(await lifted(r, 'c3', {}, { path: 'b', text: 'a ' })).toBe(false)
    expect(await lifted(r, 'c4', {}, { path: 'b' })).toBe(false)
  })

  test('A-12, A-25: of an edited call exact is what ran', async () => {
    const r = await remembered({ outcome: 'approve', scope: 'session', arguments: { text: 'edited' } })
    await r.call('c1')
    expect(await lifted(r, 'c2', {}, { text: 'edited' })).toBe(true)
    expect(await lifted(r, 'c3')).toBe(false)
  })

  /** A shell as policy sees it: the text is split at `&&`, words at blanks. */
  const bash: ToolDefinition = defineTool<{ command: string }, string>({
    name: 'bash',
    description: 'A shell.',
    input: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    describeCall: ({ command }): CallView => ({ title: command, kind: 'execute', command, cwd: '/', effects: effectsOf(command) }),
    execute: ({ command }) => command,
  }) as ToolDefinition
  function effectsOf(command: string): CommandEffects {
    const commands = command.split(' && ').map((part) => ({ argv: part.split(' '), dynamic: false, redirects: [] }))
    return { verdict: 'mutating', commands, paths: [], reasons: [] }
  }
  const shell = async (decision: Decision, first?: (ask: AskView) => void, policy?: PolicyFile) => {
    const { answerer } = remembering(decision, first)
    const r = await rig({ answerers: [answerer], tools: [bash], session: 's1', ...(policy === undefined ? {} : { policy }) })
    return {
      ...r,
      sh: async (callId: string, command: string) => codeOf(await r.runtime.execute({ callId, name: 'bash', arguments: { command } })),
    }
  }

  test('A-25: for commands the exact words and program + subcommand are offered', async () => {
    let offer: AskView['offer'] | undefined
    const r = await shell({ outcome: 'approve', scope: 'session', match: { rule: 'bash(git push *)' } }, (ask) => (offer = ask.offer))
    expect(await r.sh('c1', 'git push origin main')).toBe('ok')
    expect(offer).toEqual({
      scopes: ['once', 'session', 'agent', 'project', 'user'],
      rules: ['bash(git push origin main)', 'bash(git push *)'],
    })
    expect(await r.sh('c2', 'git push other')).toBe('ok')
    expect(await r.sh('c3', 'git pull')).toBe('APPROVAL_REJECTED')
  })

  test('A-26: a compound command is lifted only if each asking part is covered', async () => {
    const r = await shell({ outcome: 'approve', scope: 'session', match: { rule: 'bash(git push *)' } })
    await r.sh('c1', 'git push origin main')
    expect(await r.sh('c2', 'git push a && git push b')).toBe('ok')
    expect(await r.sh('c3', 'git push a && rm -r b')).toBe('APPROVAL_REJECTED')
  })

  test.each([
    ['wider than offered', 'bash(git *)'],
    ['not about the call', 'bash(git pull *)'],
    ['a bare tool name', 'bash'],
    ['every command', 'bash(*)'],
    ['not a rule', 'bash('],
  ])('A-25: a rule that is %s is not accepted, and the ask stays pending', async (_, rule) => {
    const r = await rig({ answerers: [parked()], tools: [bash] })
    const call = r.runtime.execute({ callId: 'c1', name: 'bash', arguments: { command: 'git push origin' } })
    await until(async () => (await r.approval.list({ state: 'pending' })).length === 1)
    const id = (await r.approval.list())[0]?.id ?? ''
    await expectCode(
      r.approval.decide(id, { outcome: 'approve', scope: 'session', match: { rule } }, { by: human }),
      'APPROVAL_NOT_OFFERED',
    )
    expect((await r.approval.get(id))?.state).toBe('pending')
    await r.approval.decide(id, { outcome: 'approve', scope: 'session', match: { rule: 'bash(git push origin)' } }, { by: human })
    expect(codeOf(await call)).toBe('ok')
  })

  test.each(['sudo rm x', 'env A=1 rm x', 'bash -c x', 'xargs rm', 'find . -delete', 'make all', 'npx thing'])(
    'A-25: nothing but the exact call is offered where the program runs others: %s',
    async (command) => {
      let offer: AskView['offer'] | undefined
      const r = await shell({ outcome: 'approve' }, (ask) => (offer = ask.offer))
      await r.sh('c1', command)
      expect(offer?.rules).toEqual([])
    },
  )

  test('A-26: a managed rule without `remember` may be remembered for the session at most', async () => {
    let offer: AskView['offer'] | undefined
    const managed: PolicyFile = { version: 1, ask: ['bash(git push *)'] }
    const r = await shell({ outcome: 'approve', scope: 'session' }, (ask) => (offer = ask.offer), undefined)
    const other = await rig({
      answerers: [callback((ask) => ((offer = ask.offer), { outcome: 'approve', scope: 'user' }), { id: 'host' })],
      tools: [bash],
      policy: { managed },
    })
    const result = await other.runtime.execute({ callId: 'c1', name: 'bash', arguments: { command: 'git push origin' } })
    expect(offer?.scopes).toEqual(['once', 'session'])
    // A scope that was not offered is no decision.
    expect(codeOf(result)).toBe('APPROVAL_UNAVAILABLE')
    expect(await r.sh('c1', 'git push')).toBe('ok')
  })

  test('A-26: a grant wider than the rule permits by now lifts nothing', async () => {
    const { root } = await scratch()
    const store = await openStore({ kind: 'memory' })
    const first = await rig({ root, store, answerers: [remembering({ outcome: 'approve', scope: 'project' }).answerer] })
    await first.call('c1')
    const strict = await rig({
      root,
      store,
      policy: { version: 1, rules: [{ id: 'each', tool: 'demo', decision: 'ask', remember: 'session' }] },
    })
    expect(codeOf(await strict.call('c2'))).toBe('APPROVAL_UNAVAILABLE')
    const none = await rig({
      root,
      store,
      policy: { version: 1, rules: [{ id: 'each', tool: 'demo', decision: 'ask', remember: 'none' }] },
    })
    expect(codeOf(await none.call('c3'))).toBe('APPROVAL_UNAVAILABLE')
  })
})

describe('A-26: what a grant cannot do', () => {
  test('A-26: it lifts an ask, never a deny', async () => {
    const { root } = await scratch()
    const store = await openStore({ kind: 'memory' })
    const first = await rig({ root, store, answerers: [remembering({ outcome: 'approve', scope: 'user' }).answerer] })
    await first.call('c1')
    const denying = await rig({ root, store, policy: { version: 1, deny: ['demo'] } })
    expect(codeOf(await denying.call('c2'))).toBe('TOOL_DENIED')
  })

  test('A-26, A-48: ask-always offers and uses none', async () => {
    const { root } = await scratch()
    const store = await openStore({ kind: 'memory' })
    const first = await rig({ root, store, answerers: [remembering({ outcome: 'approve', scope: 'user' }).answerer] })
    await first.call('c1')
    let offer: AskView['offer'] | undefined
    const always = await rig({
      root,
      store,
      preset: 'ask-always',
      answerers: [callback((ask) => ((offer = ask.offer), { outcome: 'reject' }), { id: 'host' })],
    })
    expect(codeOf(await always.call('c2'))).toBe('APPROVAL_REJECTED')
    expect(offer).toEqual({ scopes: ['once'], rules: [] })
  })

  test('A-26: where another tap asked too, only an exact grant lifts', async () => {
    const r = await remembered({ outcome: 'approve', scope: 'session' })
    r.runtime.hooks.preExecute.tap('careful', () => ({ kind: 'ask', reason: 'be careful' }))
    await r.call('c1')
    const [record] = await r.store.list()
    expect(record?.offer.rules).toEqual([])
    expect(record?.trail.map((entry) => entry.layer)).toContain('tap:careful')
    expect(await lifted(r, 'c2')).toBe(true)
  })
})

describe('A-27: ends', () => {
  test('A-27: turn and session end with them; agent and wider after 30 days unless said otherwise', async () => {
    for (const [scope, days] of [
      ['session', undefined],
      ['agent', 30],
      ['project', 30],
      ['user', 30],
    ] as const) {
      const r = await remembered({ outcome: 'approve', scope })
      await r.call('c1')
      const [grant] = await r.approval.grants()
      const lasts =
        grant?.expiresAt === undefined ? undefined : Math.round((Date.parse(grant.expiresAt) - Date.parse(grant.createdAt)) / 86_400_000)
      expect([scope, lasts]).toEqual([scope, days])
    }
  })

  test('A-27: an expired grant lifts nothing', async () => {
    const expiresAt = new Date(Date.now() + 400).toISOString()
    const r = await remembered({ outcome: 'approve', scope: 'session', expiresAt })
    await r.call('c1')
    await until(() => Date.now() > Date.parse(expiresAt))
    expect(await lifted(r, 'c2')).toBe(false)
  })

  test('A-27: revoked, it lifts nothing from the next look-up on, and is kept', async () => {
    const r = await remembered({ outcome: 'approve', scope: 'session' })
    await r.call('c1')
    expect(await lifted(r, 'c2')).toBe(true)
    const [grant] = await r.approval.grants()
    await r.approval.revoke(grant?.id ?? '', { by: human, reason: 'enough' })
    expect(await lifted(r, 'c3')).toBe(false)
    expect(await r.approval.grants({ active: true })).toEqual([])
    expect((await r.approval.grants())[0]).toMatchObject({ revokedBy: human, revokedReason: 'enough' })
  })
})

describe('A-28: export', () => {
  test('A-28: grants as rules; loading the file gives the same decisions', async () => {
    const { root } = await scratch()
    const store = await openStore({ kind: 'memory' })
    onCleanup(async () => store.dispose())
    const decisions: Decision[] = [
      { outcome: 'approve', scope: 'project' },
      { outcome: 'approve', scope: 'agent', inherit: true },
      { outcome: 'approve', scope: 'agent' },
      { outcome: 'approve', scope: 'session' },
    ]
    const ask = callback(() => decisions.shift(), { id: 'host' })
    const granted = await rig({ root, store, answerers: [ask] })
    const scopes = (r: Rig): void => {
      r.runtime.scope('lead')
      r.runtime.scope('worker', { extends: 'lead' })
    }
    scopes(granted)
    await granted.call('g1', { text: 'project' })
    await granted.call('g2', { text: 'inherited' }, { agent: 'lead' })
    await granted.call('g3', { text: 'own' }, { agent: 'lead' })
    await granted.call('g4', { text: 'session' })
    const records = await store.list()
    const { file, left } = exportGrants(await granted.approval.grants(), {
      argumentsOf: (grant) => records.find((record) => record.decision?.grantId === grant.id)?.args,
    })
    expect(left.map(({ why }) => why)).toEqual(['ends-with-session'])
    expect(file.rules).toHaveLength(3)
    expect(file.rules?.map(({ caller }) => caller)).toContainEqual({ agent: 'lead', inherit: true })
    expect(file.rules?.[0]).toMatchObject({
      decision: 'allow',
      tool: 'demo',
      grantedBy: 'host',
      grantedAt: expect.any(String),
      expires: expect.any(String),
    })
    const loaded = await rig({ policy: file })
    scopes(loaded)
    const cases: [string, object][] = [
      ['project', {}],
      ['project', { agent: 'worker' }],
      ['project ', {}],
      ['inherited', { agent: 'worker' }],
      ['inherited', { agent: 'lead' }],
      ['inherited', {}],
      ['own', { agent: 'lead' }],
      ['own', { agent: 'worker' }],
    ]
    for (const [index, [text, more]] of cases.entries()) {
      const [one, two] = await Promise.all([granted.call(`x${index}`, { text }, more), loaded.call(`x${index}`, { text }, more)])
      expect([text, more, codeOf(two)]).toEqual([text, more, codeOf(one)])
    }
  })
})

test('A-28: a grant for calls of no agent is not written as a rule for every agent', async () => {
  const r = await remembered({ outcome: 'approve', scope: 'agent' })
  await r.call('c1')
  const { file, left } = exportGrants(await r.approval.grants(), { argumentsOf: () => ({ text: 'hello' }) })
  expect([file.rules, left.map(({ why }) => why)]).toEqual([[], ['no-agent']])
})
