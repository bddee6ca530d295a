/**
 * @toolseam/approval: policy rules, presets, grants and asking a human, with a durable store.
 */

// the plugin
export { approval, policyRuntime } from './plugin.ts'
export type { ApprovalOptions } from './plugin.ts'

// asking
export { Approval } from './definition/approval.ts'
export type { ApprovalEvent, AskAnswer, AskForwarding, AskRequest } from './definition/approval.ts'
export { APPROVAL_STATES, GRANT_SCOPES } from './definition/record.ts'
export type {
  ApprovalCall,
  ApprovalClaim,
  ApprovalDraft,
  ApprovalFilter,
  ApprovalOffer,
  ApprovalRecord,
  ApprovalState,
  ApprovalTrailEntry,
  Approver,
  ApproverKind,
  Decision,
  Grant,
  GrantFilter,
  GrantScope,
  StoredDecision,
} from './definition/record.ts'
export { ApprovalError } from './definition/errors.ts'
export type { ApprovalErrorCode } from './definition/errors.ts'
export { exportGrants } from './grants/export.ts'
export type { GrantExport } from './grants/export.ts'

// answerers
export type { Answer, Answerer, AskView } from './definition/answerer.ts'
export { approve, callback, scripted, store } from './providers/answerers/answerers.ts'
export type { AnswerCallback, CallbackOptions } from './providers/answerers/answerers.ts'
export { terminal } from './providers/terminal/terminal.ts'
export type { TerminalOptions } from './providers/terminal/terminal.ts'
export type { TerminalInput, TerminalOutput } from './providers/terminal/screen.ts'

// the store
export { ApprovalStore } from './definition/store.ts'
export type { ClaimResult, StoreChange } from './definition/store.ts'
export { openStore, storeFolder } from './providers/open-store.ts'
export type { OpenStoreOptions } from './providers/open-store.ts'

// hashes
export { canonicalJson } from './record/canonical.ts'
export { argumentsHash } from './providers/hash/seal.ts'

// policy
export { Policy } from './definition/policy.ts'
export type {
  ConsideredRule,
  Explanation,
  LoadedLayer,
  PolicyCall,
  PolicyJudgement,
  PolicyRuntime,
  PolicyUnit,
  RulePolicy,
  StandingAsk,
  ToolFacts,
  UnitVerdict,
} from './definition/policy.ts'
export { isPolicyError, POLICY_PROBLEM_CODES, PolicyError, problemLine } from './definition/policy-errors.ts'
export type { PolicyProblem, PolicyProblemCode } from './definition/policy-errors.ts'
export { POLICY_LAYERS, POLICY_PRESETS, POLICY_VERBS } from './definition/policy-file.ts'
export type {
  AnnotationCondition,
  ArgumentCondition,
  LayerName,
  PolicyContent,
  PolicyFile,
  PolicyPreset,
  PolicyRule,
  PolicySource,
  PolicyTest,
  PolicyTestCall,
  PolicyVerb,
  Remember,
  RuleExample,
} from './definition/policy-file.ts'
export { createPolicy } from './policy/create-policy.ts'
export type { PolicyOptions } from './policy/create-policy.ts'
export { loadPolicy } from './providers/policy-files/load.ts'
export type { LoadPolicyOptions } from './providers/policy-files/load.ts'
export { distrustProject, trustOf, trustProject } from './providers/policy-files/trust.ts'
export type { TrustEntry, TrustOptions } from './providers/policy-files/trust.ts'
export { importClaude } from './policy/import-claude.ts'
export type { ImportNote, ImportReport } from './policy/import-claude.ts'
