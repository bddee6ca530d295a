/**
 * @toolseam/core-tools: contracts, registry, hooks, the guarded pipeline of one call and the scheduler of many.
 */

// values and schemas
export type { JsonIssue, JsonObject, JsonSchema, JsonValue } from './contracts/json.ts'
export type { AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent } from './contracts/content.ts'
export type { StandardSchemaV1, ToolSchema } from './contracts/schema.ts'

// a tool
export { defineTool } from './contracts/tool.ts'
export type { NestedCallOptions, ToolAnnotations, ToolConcurrency, ToolDefinition, ToolProgress, ToolRunContext } from './contracts/tool.ts'
export type { CallKind, CallPath, CallView, CommandEffects, SimpleCommand } from './contracts/call-view.ts'

// one call
export { EXECUTION_TOKEN, isExecutionToken } from './contracts/execution.ts'
export type { AgentId, CallerKind, TokenFacts, ToolExecution, ToolExecutionInput, ToolExecutionToken } from './contracts/execution.ts'
export type { ToolCallRecord, ToolErrorInfo, ToolFailure, ToolResult, ToolSuccess, TrailEntry } from './contracts/result.ts'
export type { PostToolDecision, PreToolDecision, ToolGuard } from './contracts/decisions.ts'
export { ErrorCode, errorCode, ToolSeamError } from './contracts/errors.ts'

// extension points
export type { HookInterceptor, TapOptions, ToolDispatch, ToolHooks, ToolNotify, ToolWaterfall, ToolWrap } from './contracts/hooks.ts'
export type { ToolMode, ToolRestriction, ToolSchemaView, ToolScope, ToolView } from './contracts/registry.ts'
export { createDisposer } from './contracts/disposer.ts'
export type { Disposer } from './contracts/disposer.ts'

// services, ports, surfaces
export { defineService } from './contracts/services.ts'
export type { ServiceContainer, ServiceToken } from './contracts/services.ts'
export { Approval, OwnedWork } from './contracts/ports.ts'
export type { ApprovalSeam, AskAnswer, AskRequest, ReleaseOrder, ReleaseReport } from './contracts/ports.ts'
export { deniedSurface, SurfaceDeniedError, surfaceFor } from './contracts/surface.ts'
export type { DeniedSurface, SurfaceAccess, SurfaceCapability, ToolDomainSurface, UserFacingSurface } from './contracts/surface.ts'

// the runtime
export { createToolRuntime } from './runtime/create-runtime.ts'
export type { AsyncDisposer, CallDescription, ToolLogger, ToolPlugin, ToolRuntime, ToolRuntimeOptions } from './contracts/runtime.ts'
export { TOOL_RUNTIME_SCHEDULER } from './contracts/staged.ts'
export type {
  Dispatched,
  DispatchOptions,
  FinalResult,
  GivenUp,
  PostResult,
  Prepared,
  PreparedDispatch,
  PrepareOptions,
  StagedRuntime,
} from './contracts/staged.ts'
export { startable } from './scheduler/startable.ts'
export type { LaneEntry } from './scheduler/startable.ts'
