/**
 * What can be wrong with a policy. All problems of all files are reported at once; the outer error is `POLICY_INVALID`.
 */
export const POLICY_PROBLEM_CODES = [
  'POLICY_SYNTAX',
  'POLICY_VERSION',
  'POLICY_UNKNOWN_KEY',
  'POLICY_UNKNOWN_TOOL',
  'POLICY_BAD_PATTERN',
  'POLICY_DUPLICATE_ID',
  'POLICY_RULE_UNREACHABLE',
  'POLICY_EXAMPLE_FAILED',
] as const

export type PolicyProblemCode = (typeof POLICY_PROBLEM_CODES)[number]

export interface PolicyProblem {
  code: PolicyProblemCode
  /** A path, or `session policy` and the like for a policy given in code. */
  file: string
  /** From 1; of the pretty-printed form where the policy was given in code. */
  line: number
  column: number
  /** JSON Pointer into the file. */
  pointer: string
  message: string
  /** The nearest valid name. */
  suggestion?: string
}

/** A problem before its place in the text is looked up. */
export interface PolicyFault {
  code: PolicyProblemCode
  pointer: string
  message: string
  suggestion?: string
}

const brand = Symbol.for('toolseam.policy.error')

export class PolicyError extends Error {
  override readonly name: string = 'PolicyError'
  readonly code = 'POLICY_INVALID' as const
  readonly details: { problems: PolicyProblem[] }

  constructor(problems: readonly PolicyProblem[]) {
    super(problems.map(problemLine).join('\n'))
    this.details = { problems: [...problems] }
    Object.defineProperty(this, brand, { value: true })
  }
}

export function isPolicyError(error: unknown): error is PolicyError {
  return typeof error === 'object' && error !== null && brand in error
}

/** One line for a log: place, code, message, suggestion. */
export function problemLine(problem: PolicyProblem): string {
  const hint = problem.suggestion === undefined ? '' : ` (did you mean ${JSON.stringify(problem.suggestion)}?)`
  return `${problem.file}:${problem.line}:${problem.column} ${problem.code} at ${problem.pointer || '/'}: ${problem.message}${hint}`
}
