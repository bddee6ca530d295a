import { describe, expect, test } from 'vitest'
import { defineService } from '../contracts/services.ts'
import { codeOf, harness, messageOf, tool } from '../../test/registry-support.ts'

describe('scopes', () => {
  test('P-1: a scope is the same object each time and knows its parent', () => {
    const { registry } = harness()
    const child = registry.scope('child', { extends: 'root' })
    expect(registry.scope('child')).toBe(child)
    expect(registry.scope('child', { extends: 'root' })).toBe(child)
    expect(registry.find('root')).toBe(registry.scope('root'))
    expect(registry.find('nobody')).toBeUndefined()
    expect([child.agent, child.parent, registry.scope('root').parent]).toEqual(['child', 'root', undefined])
    expect(child.extras).toEqual({ agent: 'child' })
  })

  test('P-1: a parent may be bound after the scope was made, once', () => {
    const { registry } = harness()
    const scope = registry.scope('a')
    registry.register(tool('helper'), 'p')
    expect(registry.resolve('helper', 'a')).toBeUndefined()
    expect(registry.scope('a', { extends: 'p' })).toBe(scope)
    expect(registry.resolve('helper', 'a')).toBeDefined()
    expect(scope.parent).toBe('p')
  })

  test('P-1: another parent, a cycle and an agent that is no name are refused, and nothing is made', () => {
    const { registry } = harness()
    registry.scope('c', { extends: 'b' })
    registry.scope('b', { extends: 'a' })
    for (const run of [
      () => registry.scope('c', { extends: 'other' }),
      () => registry.scope('a', { extends: 'c' }),
      () => registry.scope('a', { extends: 'a' }),
      () => registry.scope('self', { extends: 'self' }),
      () => registry.scope(''),
      () => registry.scope('x', { extends: '' }),
    ]) {
      expect(codeOf(run)).toBe('INVALID_REGISTRATION')
    }
    for (const agent of ['other', 'self', 'x']) expect(registry.find(agent)).toBeUndefined()
    expect(messageOf(() => registry.scope('c', { extends: 'other' }))).toMatch(/"c".*"b".*"other"/)
    expect(registry.agents('c')).toEqual(['a', 'b', 'c'])
  })

  test('P-1: an agent without a scope sees the global layer only', () => {
    const { registry } = harness()
    registry.register(tool('everywhere'))
    registry.register(tool('private'), 'a')
    expect(registry.view('stranger')).toBe(registry.view())
    expect(registry.view('stranger').names).toEqual(['everywhere'])
    expect(registry.view('stranger').agents).toEqual([])
    expect(registry.view('a').names).toEqual(['everywhere', 'private'])
  })

  test('P-19: the chain is global, farthest ancestor, nearest, and the same array until it changes', () => {
    const { registry } = harness()
    registry.scope('b', { extends: 'a' })
    registry.scope('c', { extends: 'b' })
    const chain = registry.chain('c')
    expect(chain.map(({ agent }) => agent)).toEqual([undefined, 'a', 'b', 'c'])
    registry.register(tool('t'), 'b')
    expect(registry.chain('c')).toBe(chain)
    expect(registry.chain('stranger')).toBe(registry.chain())
    registry.scope('a', { extends: 'root' })
    expect(registry.chain('c').map(({ agent }) => agent)).toEqual([undefined, 'root', 'a', 'b', 'c'])
    expect(registry.agents('c')).toEqual(['root', 'a', 'b', 'c'])
  })
})

describe('layers', () => {
  test('P-3: one name once per layer; another layer may have it too', () => {
    const { registry } = harness()
    registry.register(tool('t'))
    registry.register(tool('t'), 'a')
    expect(messageOf(() => registry.register(tool('t')))).toMatch(/"t".*global/)
    expect(messageOf(() => registry.register(tool('t'), 'a'))).toMatch(/"t".*scope "a"/)
    expect(codeOf(() => registry.register(tool('t')))).toBe('INVALID_REGISTRATION')
  })

  test('P-3: the nearer shadows the farther whatever came first, and disposing it uncovers the farther', () => {
    for (const nearFirst of [true, false]) {
      const { registry } = harness()
      registry.scope('child', { extends: 'root' })
      const layers = [['global', undefined] as const, ['root', 'root'] as const, ['child', 'child'] as const]
      const disposers = new Map<string, () => void>()
      for (const [description, agent] of nearFirst ? layers.toReversed() : layers) {
        disposers.set(description, registry.register(tool('t', { description }), agent))
      }
      const seen = (agent?: string) => registry.view(agent).get('t')?.description
      expect([seen('child'), seen('root'), seen()]).toEqual(['child', 'root', 'global'])
      disposers.get('child')?.()
      expect([seen('child'), seen('root')]).toEqual(['root', 'root'])
      disposers.get('root')?.()
      expect([seen('child'), seen('root')]).toEqual(['global', 'global'])
      disposers.get('global')?.()
      expect(seen('child')).toBeUndefined()
    }
  })

  test('P-5: a disposer removes exactly its own contribution, once, and works with using', () => {
    const { registry } = harness()
    const definition = tool('t')
    const first = registry.register(definition)
    first()
    registry.register(definition)
    first()
    first[Symbol.dispose]()
    expect(registry.resolve('t')).toBeDefined()
    {
      using _ = registry.register(tool('short'))
      expect(registry.resolve('short')).toBeDefined()
    }
    expect(registry.resolve('short')).toBeUndefined()
  })

  test('P-2: a missing service is refused naming tool, service and the package that brings it', () => {
    const { registry, services, changes } = harness()
    const needed = defineService<object>('acme/database', { package: '@acme/database' })
    const run = (): unknown => registry.register(tool('query', { requires: [needed] }), 'a')
    expect(codeOf(run)).toBe('SERVICE_MISSING')
    expect(messageOf(run)).toMatch(/"query".*"acme\/database".*@acme\/database/)
    expect(registry.find('a')).toBeUndefined()
    expect(changes()).toBe(0)
    services.provide(needed, {})
    run()
    expect(registry.resolve('query', 'a')).toBeDefined()
  })

  test('P-2: nothing is half registered after a refusal', () => {
    const { registry, changes } = harness()
    const before = registry.view()
    for (const bad of [
      tool('bad name'),
      tool('t', { description: '' }),
      tool('t', { timeoutMs: 0 }),
      tool('t', { input: { type: 'strin' } }),
    ]) {
      expect(codeOf(() => registry.register(bad))).toBe('INVALID_REGISTRATION')
    }
    expect(registry.view()).toBe(before)
    expect(changes()).toBe(0)
  })
})
