import { describe, expect, test } from 'vitest'
import { createServices } from '../services/services.ts'
import { createRegistry, type Registry } from './registry.ts'

function registryOf(...names: string[]): Registry<undefined> {
  const registry = createRegistry({
    createExtras: () => undefined,
    services: createServices(),
    emitChange: () => undefined,
    mode: 'native',
  })
  for (const name of names) add(registry, name)
  return registry
}

function add(registry: Registry<undefined>, name: string, agent?: string): () => void {
  return registry.register({ name, description: name, input: { type: 'object' }, execute: () => null }, agent)
}

const namesOf = (registry: Registry<undefined>, agent?: string): readonly string[] => registry.view(agent).names

describe('what a restriction does', () => {
  test('P-6: it hides what is inherited, never what is own', () => {
    const registry = registryOf('a', 'b')
    add(registry, 'own', 's')
    registry.restrict('s', { deny: ['a'] })
    expect(namesOf(registry, 's')).toEqual(['b', 'own'])
    add(registry, 'a', 's')
    expect(namesOf(registry, 's')).toEqual(['a', 'b', 'own'])
    expect(namesOf(registry)).toEqual(['a', 'b'])
  })

  test('P-6: several intersect, and each lifts alone', () => {
    const registry = registryOf('a', 'b', 'c', 'd')
    const lifts = [registry.restrict('s', { allow: ['a', 'b', 'c'] }), registry.restrict('s', { allow: ['b', 'c', 'd'], deny: ['c'] })]
    expect(namesOf(registry, 's')).toEqual(['b'])
    lifts[0]?.()
    expect(namesOf(registry, 's')).toEqual(['b', 'd'])
    lifts[0]?.()
    lifts[1]?.()
    expect(namesOf(registry, 's')).toEqual(['a', 'b', 'c', 'd'])
  })

  test('P-6: allow shuts out later tools, deny admits those it does not name', () => {
    const registry = registryOf('a', 'b')
    registry.restrict('allowing', { allow: ['a'] })
    registry.restrict('denying', { deny: ['a'] })
    add(registry, 'later')
    expect(namesOf(registry, 'allowing')).toEqual(['a'])
    expect(namesOf(registry, 'denying')).toEqual(['b', 'later'])
  })

  test('P-6: a name that is denied stays so when its tool comes again', () => {
    const registry = registryOf('a')
    const dispose = add(registry, 'b')
    registry.restrict('s', { deny: ['b'] })
    dispose()
    add(registry, 'b')
    expect(namesOf(registry, 's')).toEqual(['a'])
  })

  test("P-6: an ancestor's restriction reaches all descendants", () => {
    const registry = registryOf('a', 'b')
    registry.scope('child', { extends: 'root' })
    registry.scope('leaf', { extends: 'child' })
    add(registry, 'own', 'root')
    const lift = registry.restrict('root', { deny: ['a'] })
    expect(namesOf(registry, 'leaf')).toEqual(['b', 'own'])
    registry.restrict('leaf', { deny: ['own'] })
    expect(namesOf(registry, 'leaf')).toEqual(['b'])
    expect(namesOf(registry, 'child')).toEqual(['b', 'own'])
    lift()
    expect(namesOf(registry, 'leaf')).toEqual(['a', 'b'])
  })

  test('P-6: an allow list that names nothing shuts out everything inherited', () => {
    const registry = registryOf('a')
    add(registry, 'own', 's')
    registry.restrict('s', { allow: [] })
    expect(namesOf(registry, 's')).toEqual(['own'])
  })

  test('P-6: the filter is read once; changing it later changes nothing', () => {
    const registry = registryOf('a', 'b')
    const allow = ['a']
    registry.restrict('s', { allow })
    allow.push('b')
    expect(namesOf(registry, 's')).toEqual(['a'])
  })

  test('P-7: what is hidden is as what does not exist', () => {
    const registry = registryOf('a')
    registry.restrict('s', { deny: ['a'] })
    expect(registry.resolve('a', 's')).toBe(registry.resolve('nowhere', 's'))
    expect(registry.view('s').get('a')).toBeUndefined()
    expect(registry.view('s').schema('a')).toBeUndefined()
    expect(registry.collapses('a', 's', false)).toBe(registry.collapses('nowhere', 's', false))
  })

  test('P-9: code entries pass every restriction', () => {
    const registry = registryOf('a', 'run_code', 'search_tools')
    registry.restrict('s', { allow: ['a'] })
    expect(namesOf(registry, 's')).toEqual(['a', 'run_code', 'search_tools'])
  })
})

describe('what is refused', () => {
  test.each<[string, unknown, string]>([
    ['no object', undefined, 'object'],
    ['an empty filter', {}, 'empty'],
    ['a deny list that names nothing', { deny: [] }, 'empty'],
    ['an unknown name', { deny: ['nowhere'] }, '"nowhere"'],
    ['an unknown name to allow', { allow: ['a', 'nowhere'] }, '"nowhere"'],
    ['an own name', { deny: ['own'] }, '"own"'],
    ['a code entry', { deny: ['run_code'] }, '"run_code"'],
    ['a code entry to allow', { allow: ['search_tools'] }, '"search_tools"'],
    ['a name hidden by an ancestor', { deny: ['hidden'] }, '"hidden"'],
    ['a list that is none', { allow: 'a' }, 'allow'],
    ['a name that is no string', { deny: [5] }, 'deny'],
  ])('P-6: %s', (_, filter, named) => {
    const registry = registryOf('a', 'hidden', 'run_code', 'search_tools')
    registry.scope('s', { extends: 'root' })
    registry.restrict('root', { deny: ['hidden'] })
    add(registry, 'own', 's')
    const before = registry.view('s')
    expect(() => registry.restrict('s', filter as object)).toThrow(named)
    expect(() => registry.restrict('s', filter as object)).toThrow(expect.objectContaining({ code: 'INVALID_REGISTRATION' }))
    expect(registry.view('s')).toBe(before)
  })
})
