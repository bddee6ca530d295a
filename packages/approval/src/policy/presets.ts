/**
 * The presets (section 7) as data, cell by cell. `docs/presets.md` is made from this table; a test holds the two together.
 */
import type { PolicyPreset, PolicyVerb } from '../definition/policy-file.ts'
import type { CallFacts } from './call-facts.ts'
import type { PathFact } from './path-facts.ts'

/** A row of the table: what kind of call it is, and what each preset says. */
export interface PresetRow {
  call: string
  cells: { readonly [preset in PolicyPreset]: PolicyVerb }
}

function row(call: string, readOnly: PolicyVerb, workspaceWrite: PolicyVerb, askAlways: PolicyVerb, fullAccess: PolicyVerb): PresetRow {
  return { call, cells: { 'read-only': readOnly, 'workspace-write': workspaceWrite, 'ask-always': askAlways, 'full-access': fullAccess } }
}

export type PresetRowId =
  | 'read-inside'
  | 'read-outside'
  | 'write-inside'
  | 'write-outside'
  | 'state'
  | 'protected'
  | 'bash-reads-inside'
  | 'bash-reads-outside'
  | 'bash-other'
  | 'job'
  | 'program'
  | 'reader-closed'
  | 'reader-open'
  | 'other'

/** In the order of the table. */
export const PRESET_TABLE: { readonly [id in PresetRowId]: PresetRow } = {
  'read-inside': row('read, list, glob, grep inside the root', 'allow', 'allow', 'ask', 'allow'),
  'read-outside': row('the same outside the root', 'ask', 'ask', 'ask', 'allow'),
  'write-inside': row('write, edit, patch, move, delete inside', 'deny', 'allow', 'ask', 'allow'),
  'write-outside': row('the same outside', 'deny', 'ask', 'ask', 'allow'),
  state: row('any fs tool on `.toolseam/**` (reads of `output/` there: as inside)', 'deny', 'deny', 'deny', 'deny'),
  protected: row('writing another protected path', 'deny', 'ask', 'ask', 'allow'),
  'bash-reads-inside': row('bash, verdict read-only, all paths inside', 'allow', 'allow', 'ask', 'allow'),
  'bash-reads-outside': row('bash, verdict read-only, some path outside', 'ask', 'ask', 'ask', 'allow'),
  'bash-other': row('bash, mutating or unknown or unparsable; `bash_input`', 'deny', 'ask', 'ask', 'allow'),
  job: row('`bash_output`, `bash_kill` on a job of the same agent', 'allow', 'allow', 'ask', 'allow'),
  program: row('`run_code`, `search_tools` (nested calls are decided one by one)', 'allow', 'allow', 'ask', 'allow'),
  'reader-closed': row('other tool, trusted `readOnlyHint: true`, not open world', 'allow', 'allow', 'ask', 'allow'),
  'reader-open': row('the same, open world', 'ask', 'ask', 'ask', 'allow'),
  other: row('other tool: anything else, or untrusted annotations', 'deny', 'ask', 'ask', 'allow'),
}

const FILE_TOOLS: ReadonlyMap<string, 'read' | 'write'> = new Map([
  ['read', 'read'],
  ['list', 'read'],
  ['glob', 'read'],
  ['grep', 'read'],
  ['write', 'write'],
  ['edit', 'write'],
  ['patch', 'write'],
  ['move', 'write'],
  ['delete', 'write'],
])

/** An imported tool is never one of ours, whatever its name. */
export function fileToolAccess(facts: CallFacts): 'read' | 'write' | undefined {
  return facts.definition?.source === undefined ? FILE_TOOLS.get(facts.tool.name) : undefined
}

/** The row of a path that a file tool works on, or that the shell writes. */
export function pathRow(path: PathFact, access: 'read' | 'write'): PresetRowId {
  return `${access}-${path.inside ? 'inside' : 'outside'}`
}

/** The row of a call as a whole: for its commands, and for calls without paths. */
export function callRow(facts: CallFacts): PresetRowId {
  const access = fileToolAccess(facts)
  if (access !== undefined) return `${access}-outside`
  const local = facts.definition?.source === undefined
  if (local && facts.tool.name === 'bash') return bashRow(facts)
  if (local && facts.tool.name === 'bash_input') return 'bash-other'
  if (local && (facts.tool.name === 'bash_output' || facts.tool.name === 'bash_kill')) return 'job'
  if (local && (facts.tool.name === 'run_code' || facts.tool.name === 'search_tools')) return 'program'
  if (!facts.annotations.trusted || !facts.annotations.readOnlyHint) return 'other'
  return facts.annotations.openWorldHint ? 'reader-open' : 'reader-closed'
}

function bashRow(facts: CallFacts): PresetRowId {
  const { effects } = facts.view
  const parts = facts.commands ?? []
  if (facts.incomplete || effects?.verdict !== 'read-only' || parts.some((part) => part.unparsable)) return 'bash-other'
  // A word that is not literal may name any path.
  const inside = facts.cwdInside && facts.paths.every((path) => path.inside || isNothing(path)) && !parts.some((part) => part.unknown)
  return inside ? 'bash-reads-inside' : 'bash-reads-outside'
}

/** Reading it tells nothing, wherever it is. */
function isNothing({ path, access }: PathFact): boolean {
  return access === 'read' && path === '/dev/null'
}

export function presetVerb(preset: PolicyPreset, rowId: PresetRowId): PolicyVerb {
  return PRESET_TABLE[rowId].cells[preset]
}
