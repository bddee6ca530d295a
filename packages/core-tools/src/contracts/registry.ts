/**
 * What a scope sees: views, the presented schemas, scopes and what can be set on them.
 */
import type { ToolGuard } from './decisions.ts'
import type { Disposer } from './disposer.ts'
import type { AgentId } from './execution.ts'
import type { ToolHooks } from './hooks.ts'
import type { JsonSchema } from './json.ts'
import type { ToolAnnotations, ToolDefinition } from './tool.ts'

/** `native`: every visible tool is called directly. `code`: only through a program. `both`: either way. */
export type ToolMode = 'native' | 'code' | 'both'

/** What a model may read of a tool; nothing callable. */
export interface ToolSchemaView {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input: JsonSchema
  readonly output?: JsonSchema
  readonly annotations?: Readonly<ToolAnnotations>
}

/** Frozen; the same object until something that feeds it changes. */
export interface ToolView {
  readonly version: number
  /** The scope chain, root first. */
  readonly agents: readonly AgentId[]
  readonly mode: ToolMode
  /** Visible tools in code-point order. */
  readonly names: readonly string[]
  /** Of these, callable directly. */
  readonly presented: readonly string[]
  get(name: string): ToolDefinition | undefined
  schema(name: string): ToolSchemaView | undefined
}

/** Filters what a scope inherits, never its own tools. */
export interface ToolRestriction {
  allow?: readonly string[]
  deny?: readonly string[]
}

export interface ToolScope {
  readonly agent: AgentId
  readonly parent?: AgentId
  /** Taps here meet only calls of this scope and its descendants. */
  readonly hooks: ToolHooks
  register<Input, Output>(tool: ToolDefinition<Input, Output>): Disposer
  restrict(filter: ToolRestriction): Disposer
  guard(guard: ToolGuard, options?: { name?: string }): Disposer
  present(mode: ToolMode): Disposer
}
