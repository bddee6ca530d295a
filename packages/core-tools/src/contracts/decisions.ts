/**
 * What policy says before a call and after it.
 */
import type { ContentBlock } from './content.ts'
import type { ToolExecution } from './execution.ts'
import type { JsonValue } from './json.ts'

/** `by` names a rule inside the tap; else the tap's name is taken. `arguments` present is a rewrite. */
export type PreToolDecision =
  | { readonly kind: 'allow'; readonly by?: string; readonly arguments?: unknown }
  | { readonly kind: 'ask'; readonly by?: string; readonly reason?: string; readonly arguments?: unknown }
  | { readonly kind: 'deny'; readonly by?: string; readonly reason: string; readonly code?: string }

/** `value` or `content`, not both. */
export type PostToolDecision =
  | {
      readonly kind: 'accept'
      readonly value?: JsonValue
      readonly content?: readonly ContentBlock[]
      readonly additionalContexts?: readonly (readonly ContentBlock[])[]
    }
  | {
      readonly kind: 'block'
      readonly feedback: readonly ContentBlock[]
      readonly additionalContexts?: readonly (readonly ContentBlock[])[]
    }

/** A last check that can only deny: a string denies, even an empty one; undefined abstains. Synchronous. */
export type ToolGuard = (execution: ToolExecution) => string | undefined
