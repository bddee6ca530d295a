/**
 * Policies and call views for the tests of the policy half: layers given as data, paths as they are written.
 */
import type { CallKind, CallView, CommandEffects, SimpleCommand } from '@toolseam/core-tools'
import type { LayerName, PolicyFile } from '../../src/definition/policy-file.ts'
import type { PolicyCall, RulePolicy, ToolFacts } from '../../src/definition/policy.ts'
import type { RawLayer } from '../../src/policy/assemble.ts'
import { createPolicy, type PolicyOptions } from '../../src/policy/create-policy.ts'

export const ROOT = '/w'
export const HOME = '/home/u'

export type Layers = { [layer in LayerName]?: Omit<PolicyFile, 'version'> & { version?: 1 } }

export interface PolicyParts extends Partial<Omit<PolicyOptions, 'layers'>> {
  /** The project file was found and not trusted. */
  untrusted?: boolean
  tools?: { [name: string]: ToolFacts }
}

export function policyOf(layers: Layers, parts: PolicyParts = {}): RulePolicy {
  const { untrusted = false, tools = {}, ...options } = parts
  const raw = Object.entries(layers).map(([name, file]) => rawLayer(name as LayerName, file, untrusted))
  return createPolicy({
    root: ROOT,
    home: HOME,
    layers: raw,
    runtime: {
      describe: ({ name }) => Promise.resolve({ title: name, kind: 'other' }),
      lookup: (name) => tools[name] ?? {},
    },
    ...options,
  })
}

export function rawLayer(name: LayerName, file: Layers[LayerName], untrusted = false): RawLayer {
  const found = name === 'project' && untrusted
  return { name, text: JSON.stringify({ version: 1, ...file }, null, 2), hash: `sha256:${name}`, found, trusted: !found }
}

export interface ViewParts {
  resolved?: string
  protected?: boolean
  kind?: CallKind
}

const WRITERS: { readonly [tool: string]: CallKind } = { write: 'edit', edit: 'edit', patch: 'edit', move: 'move', delete: 'delete' }

/** A call of a file tool on one path. */
export function fileCall(tool: string, path: string, parts: ViewParts = {}): PolicyCall {
  const { resolved = path.startsWith('/') ? path : `${ROOT}/${path.replace(/^\.\//, '')}`, kind = WRITERS[tool] ?? 'read' } = parts
  const access = tool in WRITERS ? 'write' : 'read'
  const flag = parts.protected === true ? { protected: true } : {}
  return { tool, arguments: { path }, view: { title: tool, kind, paths: [{ path, resolved, access, ...flag }] } }
}

export interface CommandParts {
  verdict?: CommandEffects['verdict']
  paths?: CommandEffects['paths']
  cwd?: string
  reasons?: CommandEffects['reasons']
}

/** A call of `bash` with the simple commands that a parser would have seen. A text is split at blanks; `$…` words are not literal. */
export function bashCall(commands: readonly (string | Partial<SimpleCommand>)[], parts: CommandParts = {}): PolicyCall {
  const { verdict = 'unknown', paths = [], cwd, reasons = [] } = parts
  const effects: CommandEffects = { verdict, paths, reasons, commands: commands.map(simple) }
  const view: CallView = {
    title: 'bash',
    kind: 'execute',
    command: 'as parsed',
    effects,
    paths: effects.paths,
    ...(cwd === undefined ? {} : { cwd }),
  }
  return { tool: 'bash', arguments: { command: 'as parsed' }, view }
}

export function simple(command: string | Partial<SimpleCommand>): SimpleCommand {
  if (typeof command !== 'string') return { argv: [], dynamic: false, redirects: [], ...command }
  const argv = command.split(' ').map((word) => (word.startsWith('$') ? null : word))
  return { argv, dynamic: argv.includes(null), redirects: [] }
}

/** A call of any other tool. */
export function otherCall(tool: string, args: unknown = {}, view: Partial<CallView> = {}): PolicyCall {
  return { tool, arguments: args, view: { title: tool, kind: 'other', ...view } }
}

export async function verdict(policy: RulePolicy, call: PolicyCall): Promise<string> {
  return (await policy.judge(call)).decision
}

/** `deny by project:deny[0]`. */
export async function told(policy: RulePolicy, call: PolicyCall): Promise<string> {
  const { decision, by } = await policy.judge(call)
  return `${decision} by ${by}`
}
