/**
 * The registry: a global layer and one per scope, what is registered in them, and what each scope sees of it (P-1 to P-10).
 * Every change goes the same way: check everything, change, raise the version where it is seen, tell.
 */
import { createDisposer, type Disposer } from '../contracts/disposer.ts'
import type { AgentId } from '../contracts/execution.ts'
import type { ToolMode, ToolRestriction, ToolSchemaView, ToolView } from '../contracts/registry.ts'
import type { ToolDefinition } from '../contracts/tool.ts'
import { isCodeEntry, RUN_CODE } from './code-entries.ts'
import { agentsOf, chainOf, modeOf, type Layer, type LayerRecord, type RegisteredTool, type ScopeRecord } from './layer.ts'
import { readDefinition, type ServiceLookup } from './read-definition.ts'
import { codeEntryMissing, refuse } from './refusal.ts'
import { readRestriction } from './restriction.ts'
import { createScopes } from './scopes.ts'
import { decidedBy, spreadMode, spreadNames, visibleIn } from './visibility.ts'
import { viewOf } from './view.ts'

export type { LayerRecord, RegisteredTool, ScopeRecord } from './layer.ts'
export type { ServiceLookup } from './read-definition.ts'

export interface RegistryParts<Extras> {
  /** Called once per layer, for the global one with undefined. */
  createExtras(agent: AgentId | undefined): Extras
  readonly services: ServiceLookup
  /** Told once per change of what some scope can see, after the version rose. */
  emitChange(): void
  readonly mode: ToolMode
}

export interface Registry<Extras> {
  /** Into the global layer, or the layer of a scope (made if need be). Throws `INVALID_REGISTRATION` or `SERVICE_MISSING`. */
  register<Input, Output>(definition: ToolDefinition<Input, Output>, agent?: AgentId): Disposer
  /** The same record each time; a parent is bound once. */
  scope(agent: AgentId, options?: { extends?: AgentId }): ScopeRecord<Extras>
  find(agent: AgentId): ScopeRecord<Extras> | undefined
  restrict(agent: AgentId, filter: ToolRestriction): Disposer
  present(agent: AgentId, mode: ToolMode): Disposer
  /** The tool of that name that the agent sees. */
  resolve(name: string, agent?: AgentId): RegisteredTool | undefined
  view(agent?: AgentId): ToolView
  schemas(agent?: AgentId): readonly ToolSchemaView[]
  chain(agent?: AgentId): readonly LayerRecord<Extras>[]
  agents(agent?: AgentId): readonly AgentId[]
  modeOf(agent?: AgentId): ToolMode
  /** True if a direct call of a visible tool is to go through a program, or a nested one names a code entry (P-9, P-29). */
  collapses(name: string, agent: AgentId | undefined, nested: boolean): boolean
  /** Throws `SERVICE_MISSING` if the registry's mode needs `run_code` and it is not there. */
  requireCodeEntry(): void
}

export function createRegistry<Extras>(parts: RegistryParts<Extras>): Registry<Extras> {
  const { mode: base, emitChange } = parts
  checkMode(base, 'the runtime')
  let version = 0
  const nextVersion = (): number => ++version
  const scopes = createScopes({ createExtras: parts.createExtras, base, nextVersion, emitChange })
  const layerOf = scopes.layerOf

  const namesChanged = (layer: Layer<Extras>, names: readonly string[]): void => {
    if (names.length === 0) return
    spreadNames(layer, names, nextVersion())
    emitChange()
  }
  const modeChanged = (layer: Layer<Extras>, before: ToolMode): void => {
    if (modeOf(layer, base) === before) return
    spreadMode(layer, nextVersion())
    emitChange()
  }
  const hasCodeEntry = (): boolean => scopes.global.own.has(RUN_CODE)

  return {
    register(definition, agent) {
      const tool = readDefinition(definition, parts.services)
      const { name } = tool.definition
      if (agent !== undefined && isCodeEntry(name))
        throw refuse(`tool "${name}"`, 'the name is reserved for the global layer', { field: 'name' })
      const layer = agent === undefined ? scopes.global : scopes.open(agent)
      if (layer.own.has(name)) throw refuse(`tool "${name}"`, `is registered already in ${layerName(layer)}`, { field: 'name' })
      layer.own.set(name, tool)
      namesChanged(layer, [name])
      return createDisposer(() => {
        // Only this contribution; one of the same name registered later is another object.
        if (layer.own.get(name) !== tool) return
        layer.own.delete(name)
        namesChanged(layer, [name])
      })
    },
    scope: scopes.scope,
    find: scopes.find,
    restrict(agent, filter) {
      const layer = scopes.open(agent)
      const restriction = readRestriction(filter, layer)
      layer.restrictions.add(restriction)
      namesChanged(layer, decidedBy(layer, restriction))
      return createDisposer(() => {
        const freed = decidedBy(layer, restriction)
        layer.restrictions.delete(restriction)
        namesChanged(layer, freed)
      })
    },
    present(agent, mode) {
      checkMode(mode, `scope "${agent}"`)
      if (mode !== 'native' && !hasCodeEntry()) throw codeEntryMissing(mode)
      const layer = scopes.open(agent)
      if (layer.mode !== undefined)
        throw refuse(`scope "${agent}"`, `presents mode "${layer.mode}" already; dispose that first`, { field: 'mode' })
      const before = modeOf(layer, base)
      layer.mode = mode
      modeChanged(layer, before)
      return createDisposer(() => {
        layer.mode = undefined
        modeChanged(layer, mode)
      })
    },
    resolve: (name, agent) => visibleIn(layerOf(agent)).get(name),
    view: (agent) => viewOf(layerOf(agent), base).view,
    schemas: (agent) => viewOf(layerOf(agent), base).schemas,
    chain: (agent) => chainOf(layerOf(agent)),
    agents: (agent) => agentsOf(layerOf(agent)),
    modeOf: (agent) => modeOf(layerOf(agent), base),
    collapses(name, agent, nested) {
      const layer = layerOf(agent)
      if (!visibleIn(layer).has(name)) return false
      if (isCodeEntry(name)) return nested
      return !nested && modeOf(layer, base) === 'code'
    },
    requireCodeEntry() {
      if (base !== 'native' && !hasCodeEntry()) throw codeEntryMissing(base)
    },
  }
}

function checkMode(mode: unknown, subject: string): void {
  if (mode === 'native' || mode === 'code' || mode === 'both') return
  throw refuse(subject, 'mode must be "native", "code" or "both"', { field: 'mode' })
}

function layerName<Extras>(layer: Layer<Extras>): string {
  return layer.agent === undefined ? 'the global layer' : `scope "${layer.agent}"`
}
