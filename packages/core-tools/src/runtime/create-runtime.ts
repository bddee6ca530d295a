/**
 * The runtime: registry, hooks, services, pipeline and scheduler composed behind the contract.
 */
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import { isExecutionToken, type AgentId } from '../contracts/execution.ts'
import type { ToolScope } from '../contracts/registry.ts'
import type { AsyncDisposer, CallDescription, ToolPlugin, ToolRuntime, ToolRuntimeOptions } from '../contracts/runtime.ts'
import { TOOL_RUNTIME_SCHEDULER } from '../contracts/staged.ts'
import { createLayerHooks } from '../hooks/layer-hooks.ts'
import { describeCall, describeExecution, readDescription } from '../pipeline/describe.ts'
import { execute } from '../pipeline/execute.ts'
import { GuardList } from '../pipeline/guard-list.ts'
import type { LayerExtras, PipelineParts } from '../pipeline/parts.ts'
import { createStagedRuntime } from '../pipeline/staged.ts'
import { createRegistry, type Registry } from '../registry/registry.ts'
import { executeAll } from '../scheduler/execute-all.ts'
import { Lane } from '../scheduler/lane.ts'
import { createServices } from '../services/services.ts'
import { resolveOptions, type ResolvedOptions } from './options.ts'
import { PluginHost } from './plugin-host.ts'
import { Running } from './running.ts'

/** Rejects with a coded error if an option or a plugin cannot be taken; nothing is left behind then. */
export async function createToolRuntime(options: ToolRuntimeOptions = {}): Promise<ToolRuntime> {
  const resolved = resolveOptions(options)
  const { runtime, registry, host } = assemble(resolved)
  try {
    await host.applyAll(resolved.plugins)
    registry.requireCodeEntry()
  } catch (error) {
    await runtime.dispose().catch(() => undefined)
    throw error
  }
  return runtime
}

function assemble(options: ResolvedOptions): { runtime: ToolRuntime; registry: Registry<LayerExtras>; host: PluginHost } {
  const { logger, limits } = options
  const services = createServices()
  const global: LayerExtras = { hooks: createLayerHooks(logger), guards: new GuardList() }
  const registry = createRegistry<LayerExtras>({
    createExtras: (agent) => (agent === undefined ? global : { hooks: createLayerHooks(logger), guards: new GuardList() }),
    services,
    mode: options.mode,
    emitChange: () => global.hooks.change.emit(),
  })
  const running = new Running(limits.abortGraceMs)
  const staged = createStagedRuntime(() => parts)
  const parts: PipelineParts = {
    registry,
    services,
    logger,
    limits,
    running,
    staged,
    createLane: (limit) => new Lane(staged, { limit }),
  }
  const scopes = new Map<AgentId, ToolScope>()
  const host = new PluginHost(() => runtime, services)
  let disposing: Promise<void> | undefined
  const dispose = (): Promise<void> => (disposing ??= running.close().then(() => host.disposeAll()))
  const runtime: ToolRuntime = Object.freeze({
    hooks: global.hooks,
    services,
    logger,
    [TOOL_RUNTIME_SCHEDULER]: staged,
    scope(agent, scopeOptions) {
      registry.scope(agent, scopeOptions)
      const known = scopes.get(agent)
      if (known !== undefined) return known
      const scope = createScope(registry, agent)
      scopes.set(agent, scope)
      return scope
    },
    register: (tool) => registry.register(tool),
    guard: (guard, guardOptions) => global.guards.add(guard, guardOptions),
    get: (name, agent) => registry.resolve(name, agent)?.definition,
    view: (agent) => registry.view(agent),
    schemas: (agent) => registry.schemas(agent),
    validate: (call) => validate(registry, call),
    describe: async (call, describeOptions) => {
      checkDescription(call, 'describe')
      const preview = { preview: describeOptions?.preview === true }
      return 'token' in call && isExecutionToken(call.token) ? describeExecution(parts, call, preview) : describeCall(parts, call, preview)
    },
    use: (plugin: ToolPlugin): Promise<AsyncDisposer> => host.use(plugin),
    execute: (input) => execute(parts, input),
    executeAll: (inputs, batch) => executeAll(staged, inputs, { ...batch, maxParallel: batch?.maxParallel ?? limits.maxParallel }),
    dispose,
    [Symbol.asyncDispose]: dispose,
  } satisfies ToolRuntime)
  return { runtime, registry, host }
}

function createScope(registry: Registry<LayerExtras>, agent: AgentId): ToolScope {
  const record = registry.scope(agent)
  return Object.freeze({
    agent,
    get parent() {
      return record.parent as AgentId
    },
    hooks: record.extras.hooks,
    register: (tool) => registry.register(tool, agent),
    restrict: (filter) => registry.restrict(agent, filter),
    guard: (guard, options) => record.extras.guards.add(guard, options),
    present: (mode) => registry.present(agent, mode),
  } satisfies ToolScope)
}

/** An unknown tool is one violation. Runs no hook. */
async function validate(registry: Registry<LayerExtras>, call: CallDescription): ReturnType<ToolRuntime['validate']> {
  checkDescription(call, 'validate')
  const tool = registry.resolve(call.name, call.agent)
  if (tool === undefined) return { ok: false, issues: [{ path: '', message: `there is no tool ${JSON.stringify(call.name)}` }] }
  const read = readDescription(call)
  if (!read.ok) return { ok: false, issues: read.issues }
  const validation = await tool.input.validate(read.value)
  return validation.ok ? { ok: true } : { ok: false, issues: validation.issues }
}

function checkDescription(call: unknown, what: string): void {
  if (typeof call === 'object' && call !== null && typeof (call as CallDescription).name === 'string') return
  throw new ToolSeamError(ErrorCode.INVALID_CALL, `${what} takes { name, arguments?, agent? } or an execution`)
}
