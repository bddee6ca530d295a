import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolPlugin } from '../contracts/runtime.ts'
import { defineService, type ServiceToken } from '../contracts/services.ts'
import { orderPlugins } from './plugins.ts'

const nothing = (): boolean => false

function plugin(name: string, { requires = [], provides = [] }: { requires?: string[]; provides?: string[] } = {}): ToolPlugin {
  const token = (id: string): ServiceToken => defineService(id, { package: `@acme/${id}` })
  return { name, requires: requires.map(token), provides: provides.map(token), apply: () => undefined }
}

function namesOf(plugins: readonly ToolPlugin[], provided: (token: ServiceToken) => boolean = nothing): string[] {
  return orderPlugins(plugins, provided).map(({ name }) => name)
}

describe('order', () => {
  test('P-80: a provider comes before its users, otherwise as given', () => {
    expect(namesOf([plugin('c'), plugin('a'), plugin('b')])).toEqual(['c', 'a', 'b'])
    const given = [plugin('user', { requires: ['store'] }), plugin('other'), plugin('store', { provides: ['store'] })]
    expect(namesOf(given)).toEqual(['other', 'store', 'user'])
    expect(orderPlugins(given, nothing)[2]).toBe(given[0])
  })

  test('P-80: what is there already need not be provided again', () => {
    expect(namesOf([plugin('a', { requires: ['x'] })], ({ id }) => id === 'x')).toEqual(['a'])
  })

  test('P-80: any set of needs without a cycle is ordered, and the rest stays as given (property)', () => {
    const count = 8
    const edges = fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 20 })
    fc.assert(
      fc.property(edges, fc.shuffledSubarray([...Array(count).keys()], { minLength: count }), (pairs, given) => {
        const needs = pairs.filter(([user, provider]) => provider < user)
        const plugins = given.map((index) =>
          plugin(`p${index}`, {
            provides: [`s${index}`],
            requires: needs.flatMap(([user, provider]) => (user === index ? [`s${provider}`] : [])),
          }),
        )
        const order = namesOf(plugins)
        expect(order.toSorted()).toEqual(plugins.map(({ name }) => name).toSorted())
        for (const [user, provider] of needs) expect(order.indexOf(`p${provider}`)).toBeLessThan(order.indexOf(`p${user}`))
        if (needs.length === 0) expect(order).toEqual(plugins.map(({ name }) => name))
      }),
      { numRuns: 200, seed: 20_26 },
    )
  })
})

describe('refusals', () => {
  test('P-80: a missing service is refused naming plugin, service and the package that brings it', () => {
    const run = (): unknown => namesOf([plugin('fine'), plugin('user', { requires: ['store'] })])
    expect(run).toThrow(/"user".*"store".*@acme\/store/)
    expect(run).toThrow(expect.objectContaining({ code: 'SERVICE_MISSING' }))
  })

  test('P-80: a cycle is refused naming its plugins and services, not those that only wait for it', () => {
    const run = (): unknown =>
      namesOf([
        plugin('waits', { requires: ['a'] }),
        plugin('one', { requires: ['b'], provides: ['a'] }),
        plugin('two', { requires: ['a'], provides: ['b'] }),
      ])
    expect(run).toThrow(/"one" needs "b", "two" needs "a" of "one"/)
    expect(run).toThrow(expect.objectContaining({ code: 'INVALID_PLUGIN', details: { plugins: ['one', 'two'], services: ['b', 'a'] } }))
    expect(() => namesOf([plugin('self', { requires: ['x'], provides: ['x'] })])).toThrow(/"self" needs "x" of "self"/)
  })

  test('P-80: a second plugin of the same name is refused, also of one that is there', () => {
    expect(() => namesOf([plugin('same'), plugin('same')])).toThrow(/"same"/)
    expect(() => orderPlugins([plugin('same')], nothing, { taken: (name) => name === 'same' })).toThrow(/"same"/)
  })

  test('P-80: two plugins that provide the same service are refused naming both', () => {
    expect(() => namesOf([plugin('one', { provides: ['x'] }), plugin('two', { provides: ['x'] })])).toThrow(/"two".*"x".*"one"/)
  })

  test.each<[string, unknown]>([
    ['null', null],
    ['a function', () => undefined],
    ['no name', { apply: () => undefined }],
    ['an empty name', { name: '', apply: () => undefined }],
    ['no apply', { name: 'x' }],
    ['requires that is no list', { name: 'x', apply: () => undefined, requires: 'y' }],
    ['provides of no tokens', { name: 'x', apply: () => undefined, provides: ['y'] }],
  ])('P-80: %s is no plugin', (_, odd) => {
    expect(() => namesOf([odd as ToolPlugin])).toThrow(expect.objectContaining({ code: 'INVALID_PLUGIN' }))
  })
})
