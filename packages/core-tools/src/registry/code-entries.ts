/**
 * The two reserved names through which a program is run and its catalogue searched (P-9). They live in the global layer only.
 */

export const RUN_CODE = 'run_code'
export const SEARCH_TOOLS = 'search_tools'

export function isCodeEntry(name: string): boolean {
  return name === RUN_CODE || name === SEARCH_TOOLS
}
