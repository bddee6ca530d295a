/**
 * The runtime as a plugin gets it: the same in all it can do, and everything registered through it belongs to the plugin (P-81).
 * Works on any runtime of the contract, also one of another copy of this package.
 */
import type { ToolHooks, ToolNotify, ToolWaterfall, ToolWrap } from '../contracts/hooks.ts'
import type { ToolScope } from '../contracts/registry.ts'
import type { ToolRuntime } from '../contracts/runtime.ts'
import type { ServiceContainer } from '../contracts/services.ts'
import { TOOL_RUNTIME_SCHEDULER } from '../contracts/staged.ts'
import type { Ownership } from './ownership.ts'

export function ownedRuntime(runtime: ToolRuntime, ownership: Ownership): ToolRuntime {
  const { own, ownAsync } = ownership
  // A scope is the same object each time it is asked for.
  const scopes = new WeakMap<ToolScope, ToolScope>()
  return Object.freeze<ToolRuntime>({
    hooks: ownedHooks(runtime.hooks, ownership),
    scope(agent, options) {
      const scope = runtime.scope(agent, options)
      const known = scopes.get(scope)
      if (known !== undefined) return known
      const owned = ownedScope(scope, ownership)
      scopes.set(scope, owned)
      return owned
    },
    register: (tool) => own(runtime.register(tool)),
    guard: (guard, options) => own(runtime.guard(guard, options)),
    get: (name, agent) => runtime.get(name, agent),
    view: (agent) => runtime.view(agent),
    schemas: (agent) => runtime.schemas(agent),
    validate: (call) => runtime.validate(call),
    describe: (call, options) => runtime.describe(call, options),
    services: ownedServices(runtime.services, ownership),
    logger: runtime.logger,
    [TOOL_RUNTIME_SCHEDULER]: runtime[TOOL_RUNTIME_SCHEDULER],
    use: async (plugin) => ownAsync(await runtime.use(plugin)),
    execute: (input) => runtime.execute(input),
    executeAll: (inputs, options) => runtime.executeAll(inputs, options),
    dispose: () => runtime.dispose(),
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  })
}

function ownedScope(scope: ToolScope, ownership: Ownership): ToolScope {
  const { own } = ownership
  const owned: ToolScope = {
    agent: scope.agent,
    hooks: ownedHooks(scope.hooks, ownership),
    register: (tool) => own(scope.register(tool)),
    restrict: (filter) => own(scope.restrict(filter)),
    guard: (guard, options) => own(scope.guard(guard, options)),
    present: (mode) => own(scope.present(mode)),
  }
  // Read when asked for: a parent may be bound later.
  return Object.freeze(Object.defineProperty(owned, 'parent', { get: () => scope.parent, enumerable: true }))
}

function ownedHooks(hooks: ToolHooks, ownership: Ownership): ToolHooks {
  return Object.freeze({
    preExecute: ownedWaterfall(hooks.preExecute, ownership),
    execute: ownedWrap(hooks.execute, ownership),
    postExecute: ownedWaterfall(hooks.postExecute, ownership),
    result: ownedNotify(hooks.result, ownership),
    progress: ownedNotify(hooks.progress, ownership),
    change: ownedNotify(hooks.change, ownership),
  })
}

function ownedWaterfall<Value, Args extends readonly unknown[]>(
  hook: ToolWaterfall<Value, Args>,
  { own }: Ownership,
): ToolWaterfall<Value, Args> {
  return Object.freeze<ToolWaterfall<Value, Args>>({
    tap: (options, fn) => own(hook.tap(options, fn)),
    tapPromise: (options, fn) => own(hook.tapPromise(options, fn)),
    intercept: (interceptor) => own(hook.intercept(interceptor)),
  })
}

function ownedWrap<Value, Args extends readonly unknown[]>(hook: ToolWrap<Value, Args>, { own }: Ownership): ToolWrap<Value, Args> {
  return Object.freeze<ToolWrap<Value, Args>>({
    tap: (options, fn) => own(hook.tap(options, fn)),
    intercept: (interceptor) => own(hook.intercept(interceptor)),
  })
}

function ownedNotify<Args extends readonly unknown[]>(hook: ToolNotify<Args>, { own }: Ownership): ToolNotify<Args> {
  return Object.freeze<ToolNotify<Args>>({
    tap: (options, fn) => own(hook.tap(options, fn)),
    intercept: (interceptor) => own(hook.intercept(interceptor)),
  })
}

function ownedServices(services: ServiceContainer, { own, owner }: Ownership): ServiceContainer {
  return Object.freeze<ServiceContainer>({
    provide: (token, implementation, options) => own(services.provide(token, implementation, { by: owner, ...options })),
    get: (token) => services.get(token),
    require: (token) => services.require(token),
    has: (token) => services.has(token),
  })
}
