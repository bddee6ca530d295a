import { describe, expect, test } from 'vitest'
import { createDisposer, type Disposer } from '../contracts/disposer.ts'
import type { ToolHooks } from '../contracts/hooks.ts'
import type { ToolScope } from '../contracts/registry.ts'
import type { ToolPlugin, ToolRuntime } from '../contracts/runtime.ts'
import { defineService } from '../contracts/services.ts'
import { TOOL_RUNTIME_SCHEDULER } from '../contracts/staged.ts'
import { createOwnership } from './ownership.ts'
import { applyPlugin } from './plugins.ts'
import { createServices } from './services.ts'

const Store = defineService<object>('acme/store')
const tool = (name: string) => ({ name, description: name, input: {}, execute: () => null })
const tap = (): never => {
  throw new Error('not called here')
}

/** A runtime of which only the registering half is there: it keeps a list of what stands and a log of what came and went. */
function recordingRuntime(): { runtime: ToolRuntime; standing: Set<string>; log: string[] } {
  const standing = new Set<string>()
  const log: string[] = []
  const services = createServices()
  const add = (what: string): Disposer => {
    standing.add(what)
    log.push(`+${what}`)
    return createDisposer(() => {
      standing.delete(what)
      log.push(`-${what}`)
    })
  }
  const hooks = (at: string): ToolHooks => {
    const hook = (name: string) => ({
      tap: () => add(`${at}${name}.tap`),
      tapPromise: () => add(`${at}${name}.tapPromise`),
      intercept: () => add(`${at}${name}.intercept`),
    })
    const names = ['preExecute', 'execute', 'postExecute', 'result', 'progress', 'change'] as const
    return Object.fromEntries(names.map((name) => [name, hook(name)])) as object as ToolHooks
  }
  const scopes = new Map<string, ToolScope>()
  const createScope = (agent: string): ToolScope => ({
    agent,
    hooks: hooks(`${agent}.`),
    register: ({ name }) => add(`${agent}.${name}`),
    restrict: () => add(`${agent}.restrict`),
    guard: () => add(`${agent}.guard`),
    present: (mode) => add(`${agent}.${mode}`),
  })
  const parts = {
    hooks: hooks(''),
    scope(agent: string): ToolScope {
      const scope = scopes.get(agent) ?? createScope(agent)
      scopes.set(agent, scope)
      return scope
    },
    register: ({ name }: { name: string }) => add(name),
    guard: () => add('guard'),
    view: () => 'the view',
    services: {
      ...services,
      provide<T>(token: { id: string }, implementation: T, options?: { by?: string }): Disposer {
        const withdraw = services.provide(token, implementation, options)
        const gone = add(token.id)
        return createDisposer(() => {
          withdraw()
          gone()
        })
      },
    },
    [TOOL_RUNTIME_SCHEDULER]: 'the staged view',
    use: (plugin: ToolPlugin) => applyPlugin(plugin, runtime),
  }
  const runtime = parts as object as ToolRuntime
  return { runtime, standing, log }
}

describe('what a plugin owns', () => {
  test('P-81: everything registered through its runtime is taken back, last first, after its own disposer', async () => {
    const { runtime, standing, log } = recordingRuntime()
    const dispose = await applyPlugin(
      {
        name: 'all',
        apply(handed) {
          handed.register(tool('t'))
          handed.guard(() => undefined)
          handed.services.provide(Store, {})
          const { preExecute, execute, postExecute, result, progress, change } = handed.hooks
          preExecute.tap('x', tap)
          preExecute.tapPromise('x', tap)
          preExecute.intercept({})
          execute.tap('x', tap)
          execute.intercept({})
          postExecute.tapPromise('x', tap)
          result.tap('x', tap)
          progress.intercept({})
          change.tap('x', tap)
          const scope = handed.scope('s')
          scope.register(tool('t'))
          scope.restrict({ deny: ['t'] })
          scope.guard(() => undefined)
          scope.present('code')
          scope.hooks.preExecute.tap('x', tap)
          return () => {
            log.push('own')
          }
        },
      },
      runtime,
    )
    const added = log.filter((line) => line.startsWith('+'))
    expect(added).toHaveLength(17)
    log.length = 0
    await dispose()
    expect(log).toEqual(['own', ...added.toReversed().map((line) => line.replace('+', '-'))])
    expect(standing.size).toBe(0)
    log.length = 0
    await dispose()
    expect(log).toEqual([])
  })

  test('P-81: what it registers later is its own as well; what it took back itself is not taken back twice', async () => {
    const { runtime, standing, log } = recordingRuntime()
    let later: ToolRuntime | undefined
    const dispose = await applyPlugin({ name: 'later', apply: (handed) => void (later = handed) }, runtime)
    const first = later?.register(tool('first'))
    later?.register(tool('second'))
    first?.()
    first?.()
    await dispose()
    expect(log).toEqual(['+first', '+second', '-first', '-second'])
    expect(() => later?.register(tool('too late'))).toThrow(/"later" is disposed/)
    expect(standing.size).toBe(0)
  })

  test('P-81: a disposer that was used is let go of, also one of another copy that may not be called twice', async () => {
    let calls = 0
    const strict = Object.assign(() => void calls++, { [Symbol.dispose]: () => undefined })
    const ownership = createOwnership()
    const dispose = ownership.own(strict)
    dispose()
    dispose()
    await ownership.disposeAll()
    expect(calls).toBe(1)
  })

  test('P-81: a plugin that a plugin uses goes with it', async () => {
    const { runtime, standing } = recordingRuntime()
    const inner: ToolPlugin = { name: 'inner', apply: (handed) => handed.register(tool('inner')) }
    const dispose = await applyPlugin(
      {
        name: 'outer',
        async apply(handed) {
          await handed.use(inner)
        },
      },
      runtime,
    )
    expect([...standing]).toEqual(['inner'])
    await dispose()
    expect(standing.size).toBe(0)
  })

  test('P-81: the handed runtime is otherwise the runtime, its scopes the same object each time', async () => {
    const { runtime } = recordingRuntime()
    await applyPlugin(
      {
        name: 'x',
        apply(handed) {
          expect(handed.view()).toBe(runtime.view())
          expect(handed[TOOL_RUNTIME_SCHEDULER]).toBe(runtime[TOOL_RUNTIME_SCHEDULER])
          expect(handed.scope('a')).toBe(handed.scope('a'))
          expect(handed.scope('a').agent).toBe('a')
          expect(handed.services.get(Store)).toBeUndefined()
        },
      },
      runtime,
    )
  })

  test('P-79: a second provider is refused naming both plugins', async () => {
    const { runtime } = recordingRuntime()
    const providing = (name: string): ToolPlugin => ({ name, apply: (handed) => void handed.services.provide(Store, {}) })
    await applyPlugin(providing('one'), runtime)
    await expect(applyPlugin(providing('two'), runtime)).rejects.toThrow(/"two".*acme\/store.*"one"/)
  })
})

describe('failures', () => {
  test('P-81: if apply fails all is rolled back and the error names the plugin with its cause', async () => {
    const { runtime, standing, log } = recordingRuntime()
    const cause = Object.assign(new Error('no database'), { code: 'ACME_DOWN' })
    const failing: ToolPlugin = {
      name: 'failing',
      async apply(handed) {
        handed.register(tool('a'))
        handed.scope('s').register(tool('b'))
        await Promise.resolve()
        throw cause
      },
    }
    await expect(applyPlugin(failing, runtime)).rejects.toMatchObject({
      code: 'INVALID_PLUGIN',
      message: expect.stringMatching(/"failing".*no database/),
      details: { plugin: 'failing', code: 'ACME_DOWN' },
      cause,
    })
    expect(standing.size).toBe(0)
    expect(log.slice(2)).toEqual(['-s.b', '-a'])
  })

  test('P-81: a declared service that is missing after apply is a failure; one not declared is welcome', async () => {
    const { runtime, standing, log } = recordingRuntime()
    const unkept: ToolPlugin = {
      name: 'unkept',
      provides: [Store],
      apply(handed) {
        handed.register(tool('a'))
        return () => void log.push('own')
      },
    }
    await expect(applyPlugin(unkept, runtime)).rejects.toThrow(/"unkept".*"acme\/store"/)
    expect(log).toEqual(['+a', 'own', '-a'])
    const dispose = await applyPlugin({ name: 'undeclared', apply: (handed) => void handed.services.provide(Store, {}) }, runtime)
    expect(runtime.services.has(Store)).toBe(true)
    await dispose()
    expect(standing.size).toBe(0)
  })

  test('P-81: what apply returns is nothing or a disposer', async () => {
    const { runtime, standing } = recordingRuntime()
    for (const odd of [5, {}, 'x', null]) {
      const plugin = { name: 'odd', apply: (handed: ToolRuntime) => (handed.register(tool('a')), odd) } as object as ToolPlugin
      await expect(applyPlugin(plugin, runtime)).rejects.toThrow(/"odd"/)
    }
    expect(standing.size).toBe(0)
  })

  test('P-81: hostile throws are named too', async () => {
    const { runtime } = recordingRuntime()
    for (const thrown of [undefined, null, 'text', Object.create(null)]) {
      const plugin: ToolPlugin = {
        name: 'hostile',
        apply() {
          throw thrown
        },
      }
      await expect(applyPlugin(plugin, runtime)).rejects.toThrow(/"hostile" failed/)
    }
  })

  test('P-82: all disposers run even if some throw; failures come as one aggregate', async () => {
    const { runtime, standing } = recordingRuntime()
    const ownership = createOwnership('plugin "x"')
    const failing = (message: string) =>
      createDisposer(() => {
        throw new Error(message)
      })
    ownership.own(failing('first'))
    ownership.own(runtime.register(tool('between')))
    ownership.own(failing('second'))
    const failure: unknown = await ownership.disposeAll().catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(AggregateError)
    expect((failure as AggregateError).errors.map(({ message }) => message)).toEqual(['second', 'first'])
    expect(standing.size).toBe(0)
    expect(ownership.disposeAll()).toBe(ownership.disposeAll())

    const dispose = await applyPlugin(
      {
        name: 'own fails',
        apply(handed) {
          handed.register(tool('a'))
          return async () => {
            await Promise.resolve()
            throw new Error('own')
          }
        },
      },
      runtime,
    )
    await expect(dispose()).rejects.toMatchObject({ errors: [{ message: 'own' }] })
    expect(standing.size).toBe(0)
  })

  test('P-5: the disposer of a plugin works with using and await using', async () => {
    const { runtime, standing } = recordingRuntime()
    const plugin: ToolPlugin = { name: 'x', apply: (handed) => void handed.register(tool('a')) }
    {
      await using _ = await applyPlugin(plugin, runtime)
      expect(standing.size).toBe(1)
    }
    expect(standing.size).toBe(0)
    const disposer = await applyPlugin(plugin, runtime)
    disposer[Symbol.dispose]()
    await disposer()
    expect(standing.size).toBe(0)
  })
})
