/**
 * The scopes of a registry by agent: made when first named, bound to a parent once, never to a cycle (P-1).
 */
import type { AgentId } from '../contracts/execution.ts'
import type { ToolMode } from '../contracts/registry.ts'
import { createLayer, isWithin, moveBelow, type Layer, type ScopeRecord } from './layer.ts'
import { refuse } from './refusal.ts'
import { seesTheSame, spreadAll } from './visibility.ts'

export interface ScopesParts<Extras> {
  createExtras(agent: AgentId | undefined): Extras
  readonly base: ToolMode
  nextVersion(): number
  emitChange(): void
}

export interface Scopes<Extras> {
  readonly global: Layer<Extras>
  /** The agent's layer; the global one for an agent without a scope. */
  layerOf(agent: AgentId | undefined): Layer<Extras>
  open(agent: AgentId): Layer<Extras>
  scope(agent: AgentId, options?: { extends?: AgentId }): ScopeRecord<Extras>
  find(agent: AgentId): ScopeRecord<Extras> | undefined
}

export function createScopes<Extras>(parts: ScopesParts<Extras>): Scopes<Extras> {
  const global = createLayer(undefined, parts.createExtras(undefined), undefined)
  const layers = new Map<AgentId, Layer<Extras>>()

  const open = (agent: AgentId): Layer<Extras> => {
    const there = layers.get(checkAgent(agent))
    if (there !== undefined) return there
    const layer = createLayer(agent, parts.createExtras(agent), global)
    // A scope that is new sees what the agent saw before it had one, by a view that names it.
    layer.version = parts.nextVersion()
    layers.set(agent, layer)
    return layer
  }

  const bind = (agent: AgentId, parentId: AgentId): Layer<Extras> => {
    checkAgent(agent)
    checkAgent(parentId)
    const bound = layers.get(agent)
    const parentThere = layers.get(parentId)
    if (bound !== undefined && bound.above === parentThere) return bound
    if (bound?.above?.agent !== undefined)
      throw refuse(`scope "${agent}"`, `extends "${bound.above.agent}" already, not "${parentId}"`, { field: 'extends' })
    const isCycle = agent === parentId || (bound !== undefined && parentThere !== undefined && isWithin(parentThere, bound))
    if (isCycle) throw refuse(`scope "${agent}"`, `cannot extend "${parentId}": that would be a cycle`, { field: 'extends' })
    const layer = open(agent)
    const parent = open(parentId)
    const unchanged = seesTheSame(parent, global, parts.base)
    moveBelow(layer, parent)
    spreadAll(layer, parts.nextVersion())
    if (!unchanged) parts.emitChange()
    return layer
  }

  return {
    global,
    layerOf: (agent) => (agent === undefined ? global : (layers.get(agent) ?? global)),
    open,
    scope: (agent, options) => recordOf(options?.extends === undefined ? open(agent) : bind(agent, options.extends)),
    find(agent) {
      const layer = layers.get(agent)
      return layer === undefined ? undefined : recordOf(layer)
    },
  }
}

function checkAgent(agent: unknown): AgentId {
  if (typeof agent === 'string' && agent !== '') return agent
  throw refuse('scope', 'an agent is a non-empty string', { field: 'agent' })
}

function recordOf<Extras>(layer: Layer<Extras>): ScopeRecord<Extras> {
  return layer.record as ScopeRecord<Extras>
}
