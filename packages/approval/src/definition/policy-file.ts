/**
 * The policy file `toolseam.policy.json`, as data. The same shape is published as `schema/toolseam.policy.schema.json`; a test holds the two together.
 */
import type { CallerKind, CallView, JsonValue } from '@toolseam/core-tools'
import type { GrantScope } from './record.ts'

export const POLICY_PRESETS = ['read-only', 'workspace-write', 'ask-always', 'full-access'] as const

export type PolicyPreset = (typeof POLICY_PRESETS)[number]

/** What a rule or a preset says. Strictness: deny > ask > allow. */
export const POLICY_VERBS = ['allow', 'ask', 'deny'] as const

export type PolicyVerb = (typeof POLICY_VERBS)[number]

/** From the most to the least trusted. */
export const POLICY_LAYERS = ['managed', 'user', 'project', 'session'] as const

export type LayerName = (typeof POLICY_LAYERS)[number]

/** How far an answer may be remembered: the widest grant scope, or none. */
export type Remember = GrantScope | 'none'

/** A condition on one argument: equal, one of, or a glob of a string (`*` for any characters). */
export type ArgumentCondition = JsonValue | { in: JsonValue[] } | { glob: string }

export interface AnnotationCondition {
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

/** An example of a rule: the text its SPEC is about (a command, a path), or a whole call. */
export type RuleExample = string | PolicyTestCall

/** A structured rule. All given conditions must hold. */
export interface PolicyRule {
  id: string
  /** NAME of A-34. */
  tool: string
  /** Command SPEC of A-35. */
  command?: string
  /** Path SPEC of A-35. */
  path?: string
  domain?: string
  /** By JSON Pointer into the arguments. */
  args?: { [pointer: string]: ArgumentCondition }
  annotations?: AnnotationCondition
  /** `agent` of a deny or ask counts for the agents below it too; of an allow only with `inherit`. */
  caller?: { kind?: CallerKind; agent?: string; inherit?: boolean }
  decision: PolicyVerb
  reason?: string
  remember?: Remember
  /** ISO 8601; from then on the rule is inert. */
  expires?: string
  examples?: { match?: RuleExample[]; notMatch?: RuleExample[] }
  /** Written by `approvals grants --export`. */
  grantedBy?: string
  grantedAt?: string
}

export interface PolicyTestCall {
  tool: string
  arguments?: JsonValue
  agent?: string
  caller?: CallerKind
  /** The facts of the call, where no runtime is there to make them. */
  view?: CallView
}

export interface PolicyTest {
  call: PolicyTestCall
  decision: PolicyVerb
}

export interface PolicyFile {
  $schema?: string
  version: 1
  preset?: PolicyPreset
  /** Strings of A-34: `NAME` or `NAME(SPEC)`. */
  allow?: string[]
  ask?: string[]
  deny?: string[]
  rules?: PolicyRule[]
  tests?: PolicyTest[]
  askExpiresMs?: number
  /** Names of tools that are registered after the policy was loaded. */
  later?: string[]
  /** Managed and user files only: overrides the trust of found project files. */
  projectTrust?: 'always' | 'never'
}

/** One layer given in code or by a path. */
export type PolicyContent = string | PolicyFile

/** A file's content or path (session layer), or one for each layer; given layers replace the files found. */
export type PolicySource = PolicyContent | { [layer in LayerName]?: PolicyContent }
