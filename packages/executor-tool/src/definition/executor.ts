/**
 * The service: the domain and the driver of a runtime, under one token.
 */
import { defineService, type ServiceToken, type ToolDomainSurface, type ToolResult } from '@toolseam/core-tools'
import type { HaltReport, ToolExecutionDomain } from './domain.ts'
import type { TurnDriver } from './driver.ts'
import type { HaltReason } from './vocabulary.ts'

export interface ToolExecutor {
  readonly domain: ToolExecutionDomain<ToolResult>
  readonly driver: TurnDriver
  /** A bounded stop of everything: the domain, its children, and what their turns own. */
  halt(reason: HaltReason): Promise<HaltReport>
  /** A child domain with a driver of its own, for a subagent. Denied (`subagent_execution`) unless a forwarding surface is given. */
  openSubagent(options?: { surface?: ToolDomainSurface; name?: string }): Subagent
}

export interface Subagent {
  readonly domain: ToolExecutionDomain<ToolResult>
  readonly driver: TurnDriver
  dispose(): Promise<void>
}

export const ToolExecutor: ServiceToken<ToolExecutor> = defineService<ToolExecutor>('toolseam/tool-executor', {
  package: '@toolseam/executor-tool',
})
