import { describe, expect, test } from 'vitest'
import type { ToolMode } from '../contracts/registry.ts'
import { codeOf, harness, messageOf, tool, type RegistryHarness } from '../../test/registry-support.ts'

describe('views', () => {
  test('P-8: a view is frozen and the same object until something that feeds it changes', () => {
    const { registry } = harness()
    registry.scope('child', { extends: 'root' })
    registry.scope('other')
    registry.register(tool('t'))
    const before = { child: registry.view('child'), root: registry.view('root'), other: registry.view('other'), global: registry.view() }
    expect(Object.isFrozen(before.child) && Object.isFrozen(before.child.names) && Object.isFrozen(before.child.agents)).toBe(true)
    expect(registry.view('child')).toBe(before.child)
    const dispose = registry.register(tool('mine'), 'root')
    expect(registry.view('child').version).toBeGreaterThan(before.child.version)
    expect(registry.view('root').version).toBeGreaterThan(before.root.version)
    expect(registry.view('other')).toBe(before.other)
    expect(registry.view()).toBe(before.global)
    const during = registry.view('child')
    dispose()
    expect(registry.view('child')).not.toBe(during)
    expect(registry.view('child').version).toBeGreaterThan(during.version)
  })

  test('P-8: a change that is shadowed or shut out leaves the view as it is', () => {
    const { registry } = harness()
    registry.register(tool('a'))
    registry.register(tool('b'))
    registry.register(tool('a'), 'shadowing')
    registry.restrict('restricted', { allow: ['b'] })
    const shadowing = registry.view('shadowing')
    const restricted = registry.view('restricted')
    registry.scope('below', { extends: 'restricted' })
    const below = registry.view('below')
    const dispose = registry.register(tool('c'))
    expect(registry.view('restricted')).toBe(restricted)
    expect(registry.view('below')).toBe(below)
    expect(registry.view('shadowing')).not.toBe(shadowing)
    dispose()
    const again = registry.view('shadowing')
    registry.register(tool('zz'), 'restricted')
    expect(registry.view('shadowing')).toBe(again)
  })

  test('P-8: names are in code-point order, schemas are the presented ones, frozen, with nothing callable', () => {
    const { registry } = harness('both')
    const input = { type: 'object', properties: { a: { type: 'string' } } }
    for (const name of ['b', 'Z', 'a', '_x', '9', 'run_code']) {
      registry.register(
        tool(name, { title: `title ${name}`, input, output: { type: 'string' }, annotations: { readOnlyHint: true }, render: () => [] }),
      )
    }
    expect(registry.view().names).toEqual(['9', 'Z', '_x', 'a', 'b', 'run_code'])
    const schemas = registry.schemas()
    expect(schemas.map(({ name }) => name)).toEqual(['9', 'Z', '_x', 'a', 'b', 'run_code'])
    expect(schemas[3]).toEqual({
      name: 'a',
      title: 'title a',
      description: 'does a',
      input,
      output: { type: 'string' },
      annotations: { readOnlyHint: true },
    })
    expect(JSON.parse(JSON.stringify(schemas))).toEqual(schemas)
    expect(Object.isFrozen(schemas) && Object.isFrozen(schemas[0]) && Object.isFrozen(schemas[0]?.input['properties'])).toBe(true)
    expect(registry.schemas()).toBe(schemas)
    expect(registry.view().schema('a')).toBe(schemas[3])
    expect(registry.view().schema('nowhere')).toBeUndefined()
  })

  test('P-10: each visible change is told once, after the version rose', () => {
    const versions: number[] = []
    const { registry, changes } = harness('native', () => versions.push(registry.view('a').version))
    registry.scope('a')
    const seen = [registry.view('a').version]
    const steps = [
      () => registry.register(tool('t')),
      () => registry.register(tool('u'), 'a'),
      () => registry.restrict('a', { deny: ['t'] }),
    ]
    const disposers = steps.map((step) => step())
    for (const dispose of disposers.toReversed()) dispose()
    expect(changes()).toBe(6)
    expect([...seen, ...versions]).toEqual([...seen, ...versions].toSorted((left, right) => left - right))
    expect(new Set(versions).size).toBe(6)
    for (const dispose of disposers) dispose()
    expect(changes()).toBe(6)
  })

  test('P-10: what changes nothing that anyone sees is not told', () => {
    const { registry, changes } = harness()
    registry.register(tool('t'))
    registry.scope('a')
    const told = changes()
    const first = registry.restrict('a', { deny: ['t'] })
    expect(changes()).toBe(told + 1)
    const second = registry.restrict('a', { deny: ['t'] })
    first()
    expect(changes()).toBe(told + 1)
    second()
    expect(changes()).toBe(told + 2)
    registry.present('a', 'native')()
    registry.scope('fresh')
    registry.scope('fresh', { extends: 'a' })
    expect(changes()).toBe(told + 2)
  })

  test('P-85: five hundred tools are found by name as one is', () => {
    const { registry } = harness()
    registry.scope('child', { extends: 'root' })
    for (let index = 0; index < 500; index++) registry.register({ ...tool(`t${index}`), input: { type: 'object' } })
    const view = registry.view('child')
    expect(view.names).toHaveLength(500)
    expect(registry.resolve('t499', 'child')?.definition).toBe(view.get('t499'))
    expect(registry.view('child')).toBe(view)
  })
})

describe('modes', () => {
  function withCode(mode: ToolMode = 'native'): RegistryHarness {
    const made = harness(mode)
    for (const name of ['read', 'run_code', 'search_tools']) made.registry.register(tool(name))
    return made
  }

  test('P-9: code presents the code entries only, native all but them, both everything', () => {
    expect(withCode('native').registry.view().presented).toEqual(['read'])
    expect(withCode('code').registry.view().presented).toEqual(['run_code', 'search_tools'])
    expect(withCode('both').registry.view().presented).toEqual(['read', 'run_code', 'search_tools'])
    expect(withCode('code').registry.view().names).toEqual(['read', 'run_code', 'search_tools'])
    expect(
      withCode('code')
        .registry.schemas()
        .map(({ name }) => name),
    ).toEqual(['run_code', 'search_tools'])
  })

  test('P-9: present overrides for the scope and its descendants, the nearest wins, one at a time', () => {
    const { registry } = withCode()
    registry.scope('child', { extends: 'root' })
    registry.scope('leaf', { extends: 'child' })
    const disposeRoot = registry.present('root', 'code')
    const disposeChild = registry.present('child', 'both')
    const modes = () => [undefined, 'root', 'child', 'leaf'].map((agent) => registry.modeOf(agent))
    expect(modes()).toEqual(['native', 'code', 'both', 'both'])
    expect(registry.view('leaf').mode).toBe('both')
    expect(codeOf(() => registry.present('root', 'both'))).toBe('INVALID_REGISTRATION')
    disposeChild()
    expect(modes()).toEqual(['native', 'code', 'code', 'code'])
    disposeRoot()
    disposeRoot()
    expect(modes()).toEqual(['native', 'native', 'native', 'native'])
    registry.present('root', 'both')
    disposeRoot()
    expect(registry.modeOf('leaf')).toBe('both')
  })

  test('P-9: a mode other than native without run_code is refused, naming the package', () => {
    const { registry } = harness()
    expect(codeOf(() => registry.present('a', 'code'))).toBe('SERVICE_MISSING')
    expect(messageOf(() => registry.present('a', 'both'))).toContain('@toolseam/code-mode')
    registry.present('a', 'native')
    expect(() => registry.requireCodeEntry()).not.toThrow()
    const code = harness('code').registry
    expect(codeOf(() => code.requireCodeEntry())).toBe('SERVICE_MISSING')
    code.register(tool('run_code'))
    expect(() => code.requireCodeEntry()).not.toThrow()
    expect(codeOf(() => harness('odd' as ToolMode))).toBe('INVALID_REGISTRATION')
    expect(codeOf(() => registry.present('b', 'odd' as ToolMode))).toBe('INVALID_REGISTRATION')
  })

  test('P-9: the reserved names live in the global layer only, once', () => {
    const { registry } = withCode()
    for (const name of ['run_code', 'search_tools']) {
      expect(messageOf(() => registry.register(tool(name), 'a'))).toContain(name)
      expect(codeOf(() => registry.register(tool(name)))).toBe('INVALID_REGISTRATION')
    }
  })

  test('P-29: collapse is of visible tools, in code mode, called directly', () => {
    const { registry } = withCode('code')
    expect(registry.collapses('read', undefined, false)).toBe(true)
    expect(registry.collapses('read', 'stranger', false)).toBe(true)
    expect(registry.collapses('read', undefined, true)).toBe(false)
    expect(registry.collapses('run_code', undefined, false)).toBe(false)
    expect(registry.collapses('nowhere', undefined, false)).toBe(false)
    const native = withCode('native').registry
    expect(native.collapses('read', undefined, false)).toBe(false)
    native.present('a', 'code')
    expect(native.collapses('read', 'a', false)).toBe(true)
  })

  test('P-9: a nested call of a code entry collapses whatever the mode', () => {
    for (const mode of ['native', 'code', 'both'] as const) {
      const { registry } = withCode(mode)
      expect(registry.collapses('run_code', undefined, true)).toBe(true)
      expect(registry.collapses('search_tools', 'a', true)).toBe(true)
    }
  })
})
