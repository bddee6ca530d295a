/**
 * What the tools are given: the seam through its token, and what the plugin decided.
 */
import type { ToolExecution, ToolRunContext } from '@toolseam/core-tools'
import type { FileSystem, WriteIntent } from '../definition/file-system.ts'

export interface ToolParts {
  /** Looked up when a call needs it. */
  fileSystem(): FileSystem
  /** PDF is given as a resource block. */
  documents: boolean
  /** Writes to this absolute path are flagged `protected` (F-17). */
  isProtected(absolute: string): boolean
  /** For what nobody waits for. */
  log(message: string, details: { [fact: string]: string }): void
}

export function intentOf({ execution, signal }: Pick<ToolRunContext, 'execution' | 'signal'>): WriteIntent & { tag: string } {
  const { turnId, rootCallId, callId } = execution
  return {
    ...agentOf(execution),
    ...(turnId === undefined ? {} : { turnId }),
    rootCallId,
    callId,
    tag: turnId ?? rootCallId,
    signal,
  }
}

export function agentOf({ agent }: Pick<ToolExecution, 'agent'>): { agent?: string } {
  return agent === undefined ? {} : { agent }
}
