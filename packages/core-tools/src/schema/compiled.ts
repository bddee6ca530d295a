/**
 * A schema ready for use.
 */
import type { JsonIssue, JsonSchema, JsonValue } from '../contracts/json.ts'

/** `changed`: the validator gave another value than the one put in. */
export type Validation =
  | { readonly ok: true; readonly value: unknown; readonly changed: boolean }
  | { readonly ok: false; readonly issues: readonly JsonIssue[] }

/** Never throws and never rejects: a validator that does counts as a violation. Sync validators give no promise. */
export type Validate = (value: JsonValue) => Validation | Promise<Validation>

export interface CompiledSchema {
  /** Deep frozen. */
  readonly jsonSchema: JsonSchema
  readonly validate: Validate
  /** What a frozen definition carries in place of the schema it was given: a frozen snapshot, or the library's own object as it is. */
  readonly kept: unknown
}
