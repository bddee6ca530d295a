/**
 * A layer holds the contributions of one scope, or of all (the global one), and knows its place in the tree of scopes.
 */
import type { AgentId } from '../contracts/execution.ts'
import type { ToolMode, ToolSchemaView, ToolView } from '../contracts/registry.ts'
import type { ToolDefinition } from '../contracts/tool.ts'
import type { CompiledSchema } from '../schema/compiled.ts'

/** A tool as the pipeline uses it. All parts are frozen. */
export interface RegisteredTool {
  readonly definition: ToolDefinition
  readonly input: CompiledSchema
  readonly output?: CompiledSchema
  readonly schemaView: ToolSchemaView
}

/** `extras` is what the runtime attaches to a layer: its hooks and guards. */
export interface LayerRecord<Extras> {
  /** Undefined for the global layer. */
  readonly agent: AgentId | undefined
  readonly extras: Extras
}

export interface ScopeRecord<Extras> extends LayerRecord<Extras> {
  readonly agent: AgentId
  readonly parent: AgentId | undefined
}

/** One filter on what a scope inherits. `allow` undefined lets every name through. */
export interface Restriction {
  readonly allow: ReadonlySet<string> | undefined
  readonly deny: ReadonlySet<string>
}

/** What a view is made of; dropped when something that feeds it changes and made again when next asked for. */
export interface CachedView {
  readonly view: ToolView
  readonly schemas: readonly ToolSchemaView[]
}

export interface Layer<Extras> {
  readonly agent: AgentId | undefined
  readonly extras: Extras
  /** The layer this one inherits from: a scope's parent scope, else the global layer; undefined for the global layer itself. */
  above: Layer<Extras> | undefined
  readonly below: Set<Layer<Extras>>
  readonly own: Map<string, RegisteredTool>
  readonly restrictions: Set<Restriction>
  mode: ToolMode | undefined
  /** Of the last change of what this layer sees; numbers rise over the whole registry. */
  version: number
  readonly record: LayerRecord<Extras> | ScopeRecord<Extras>
  visible: ReadonlyMap<string, RegisteredTool> | undefined
  cachedView: CachedView | undefined
  cachedChain: readonly LayerRecord<Extras>[] | undefined
  cachedAgents: readonly AgentId[] | undefined
}

export function createLayer<Extras>(agent: AgentId | undefined, extras: Extras, above: Layer<Extras> | undefined): Layer<Extras> {
  const layer: Layer<Extras> = {
    agent,
    extras,
    above,
    below: new Set(),
    own: new Map(),
    restrictions: new Set(),
    mode: undefined,
    version: 0,
    record: agent === undefined ? Object.freeze({ agent, extras }) : createRecord(agent, extras, () => layer.above?.agent),
    visible: undefined,
    cachedView: undefined,
    cachedChain: undefined,
    cachedAgents: undefined,
  }
  above?.below.add(layer)
  return layer
}

function createRecord<Extras>(agent: AgentId, extras: Extras, parent: () => AgentId | undefined): ScopeRecord<Extras> {
  return Object.freeze({
    agent,
    extras,
    get parent() {
      return parent()
    },
  })
}

/** Global first, then the farthest ancestor, and so on to the layer itself. The same array until the chain changes. */
export function chainOf<Extras>(layer: Layer<Extras>): readonly LayerRecord<Extras>[] {
  layer.cachedChain ??= Object.freeze(layer.above === undefined ? [layer.record] : [...chainOf(layer.above), layer.record])
  return layer.cachedChain
}

/** The scopes of the chain, root first. */
export function agentsOf<Extras>(layer: Layer<Extras>): readonly AgentId[] {
  layer.cachedAgents ??= Object.freeze(chainOf(layer).flatMap(({ agent }) => (agent === undefined ? [] : [agent])))
  return layer.cachedAgents
}

/** The mode set on the nearest layer of the chain that has one. */
export function modeOf<Extras>(layer: Layer<Extras>, base: ToolMode): ToolMode {
  for (let at: Layer<Extras> | undefined = layer; at !== undefined; at = at.above) {
    if (at.mode !== undefined) return at.mode
  }
  return base
}

/** Moves a scope below a parent. All chains that pass through it change. */
export function moveBelow<Extras>(layer: Layer<Extras>, parent: Layer<Extras>): void {
  layer.above?.below.delete(layer)
  layer.above = parent
  parent.below.add(layer)
  forgetChains(layer)
}

function forgetChains<Extras>(layer: Layer<Extras>): void {
  layer.cachedChain = undefined
  layer.cachedAgents = undefined
  for (const child of layer.below) forgetChains(child)
}

export function isWithin<Extras>(layer: Layer<Extras>, ancestor: Layer<Extras>): boolean {
  for (let at: Layer<Extras> | undefined = layer; at !== undefined; at = at.above) {
    if (at === ancestor) return true
  }
  return false
}
