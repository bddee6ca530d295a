/**
 * Policy: rules in layers and a preset that turn the facts of one call into a decision that can be explained.
 *
 * Promises: `explain` changes nothing and agrees with the decision of the tap `toolseam/approval`; adding an ask or a deny rule never loosens;
 * what cannot be judged is never allowed by a rule; a failed `reload` keeps the last good policy.
 */
import {
  type AgentId,
  type CallerKind,
  type CallView,
  defineService,
  type PreToolDecision,
  type ServiceToken,
  type ToolDefinition,
} from '@toolseam/core-tools'
import type { ApprovalOffer } from './record.ts'
import type { LayerName, PolicyPreset, PolicyVerb, Remember } from './policy-file.ts'

export interface Policy {
  explain(call: PolicyCall): Promise<Explanation>
  readonly layers: readonly LoadedLayer[]
  /** Reads the files again. Rejects with `POLICY_INVALID` and keeps the last good policy where they are not valid. */
  reload(): Promise<void>
}

/** The service token; id `toolseam/policy`. */
export const Policy: ServiceToken<Policy> = defineService<Policy>('toolseam/policy', { package: '@toolseam/approval' })

export interface PolicyCall {
  tool: string
  arguments: unknown
  agent?: AgentId
  /** The scope chain, root first. */
  agents?: AgentId[]
  caller?: CallerKind
  turnId?: string
  /** The facts of the call; made by `runtime.describe` where absent. */
  view?: CallView
}

/** The part of a call that is judged alone: a simple command, a path, else the call. */
export type PolicyUnit =
  | {
      kind: 'command'
      /** Words after quotes are resolved; null where a word is not literal. */
      argv: (string | null)[]
      wrappedBy?: string[]
      /** Allow rules do not apply. */
      unknown?: true
      /** Nothing could be parsed: no answer about it can be remembered. */
      unparsable?: true
    }
  | {
      kind: 'path'
      path: string
      /** Absolute, links followed; absent = cannot be resolved, hence outside. */
      resolved?: string
      access: 'read' | 'write'
      protected?: true
      /** `call`: of a tool that works on paths. `redirect`: written by the shell itself. `operand`: named by a command. */
      of: 'call' | 'redirect' | 'operand'
    }
  | { kind: 'call'; domains?: string[] }

export interface UnitVerdict {
  unit: PolicyUnit
  decision: PolicyVerb
  /** The deciding rule: `project:deny[2]`, `user:rule:no-prod`, `preset:read-only`. */
  by: string
  reason?: string
  /** Every ask that stands, the deciding one first; empty unless `decision` is ask. A grant must be allowed to lift each. */
  asks: StandingAsk[]
}

export interface StandingAsk {
  by: string
  reason?: string
  /** The widest grant scope that may lift it. */
  remember: Remember
  /** Only a grant of the exact arguments may lift it: allow rules do not apply to this unit. */
  exactOnly?: true
}

export interface ConsideredRule {
  rule: string
  layer: LayerName | 'builtin' | 'preset' | 'grant'
  matched: boolean
  why: string
}

export interface Explanation {
  decision: PolicyVerb
  by: string
  reason?: string
  units: UnitVerdict[]
  considered: ConsideredRule[]
}

export interface LoadedLayer {
  name: LayerName
  /** Absent for a policy given in code. */
  file?: string
  /** False for a found project file that the user has not trusted: its allow rules and preset are inert. */
  trusted: boolean
  preset?: PolicyPreset
  /** Rules in force, by verb. */
  rules: { [verb in PolicyVerb]: number }
  /** Rules that are read but not in force, and why. */
  inert: { rule: string; why: 'untrusted' | 'expired' }[]
  /** SHA-256 of the content. */
  hash: string
}

/** What policy reads of a tool's definition. */
export type ToolFacts = Pick<ToolDefinition, 'annotations' | 'source'>

/** What policy needs of a runtime; a `ToolRuntime` fits through `policyRuntime`. */
export interface PolicyRuntime {
  describe(call: { name: string; arguments: unknown; agent?: AgentId }): Promise<CallView>
  lookup(name: string, agent?: AgentId): ToolFacts | undefined
}

/** A decision with what a grant look-up and the asking need. */
export interface PolicyJudgement {
  decision: PolicyVerb
  by: string
  reason?: string
  units: UnitVerdict[]
}

/** The policy of this package: `Policy` plus what the tap, the ask service and the command line use. */
export interface RulePolicy extends Policy {
  readonly preset: PolicyPreset
  /** Of the most trusted layer that says it, in ms. */
  readonly askExpiresMs: number | undefined
  /** One line each: what is inert and why, where an answer is remembered. */
  readonly notices: readonly string[]
  /** The same decision as `explain`, without the list of rules considered. */
  judge(call: PolicyCall): Promise<PolicyJudgement>
  /** `judge` as a value for `tools/pre-execute`. `by` is the deciding rule. */
  decide(call: PolicyCall): Promise<PreToolDecision>
  /** Connects a runtime made after the policy. */
  attach(runtime: PolicyRuntime): void
  /** Once the registry is complete: every tool named must be there, unless in `later`. Throws `POLICY_INVALID`. */
  checkTools(names: readonly string[]): void
  /** Runs `examples` and `tests` against the whole stack. Rejects with `POLICY_INVALID`. Needs views: from the tests or the runtime. */
  runTests(): Promise<{ passed: number; skipped: number }>
  /** What an ask about these units may be remembered as. */
  offerGrants(call: PolicyCall, judgement: PolicyJudgement): ApprovalOffer
  /** Why a rule may not be granted for this call; undefined where it may (A-25: offered or narrower, and covering the call). */
  refuseGrantRule(rule: string, call: PolicyCall, judgement: PolicyJudgement): string | undefined
  /** Whether a granted rule covers this asking unit. */
  ruleCovers(rule: string, call: PolicyCall, unit: UnitVerdict): boolean
}
