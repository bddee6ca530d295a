/**
 * The policy as a service: layers and a preset, put together and kept; calls judged and explained.
 */
import type { CallView, PreToolDecision } from '@toolseam/core-tools'
import type { PathResolver } from '../definition/paths.ts'
import { PolicyError } from '../definition/policy-errors.ts'
import type { PolicyPreset } from '../definition/policy-file.ts'
import type { Explanation, LoadedLayer, PolicyCall, PolicyJudgement, PolicyRuntime, RulePolicy, UnitVerdict } from '../definition/policy.ts'
import type { ApprovalOffer } from '../definition/record.ts'
import { assemble, type Assembly, type RawLayer } from './assemble.ts'
import { type CallFacts, gatherFacts } from './call-facts.ts'
import type { FactSources, PathFact } from './path-facts.ts'
import { unknownTools } from './check-tools.ts'
import { explainFacts } from './explain.ts'
import { type FoldContext, judgeFacts } from './fold.ts'
import { compileGrant, type GrantContext, offerGrants, refuseGrantRule } from './grants.ts'
import { isDoubtful, matchRule, namesPlace } from './match.ts'
import { absolutePath, isInside } from './path-pattern.ts'
import type { CompiledRule } from './rule.ts'
import { RuleIndex } from './rule-index.ts'
import { runTests } from './run-tests.ts'
import { matchTool } from './tool-pattern.ts'
import { coversShown, splitUnits } from './unit-facts.ts'

export interface PolicyOptions {
  layers: readonly RawLayer[]
  /** The option `--preset`; a managed file's wins over it. */
  preset?: PolicyPreset
  /** Absolute. */
  root: string
  /** The root with links followed. Default: `root`. */
  resolvedRoot?: string
  /** More folders that count as inside, absolute, links followed. */
  roots?: readonly string[]
  home?: string
  /** Default: paths are taken as they are written; for tests and for hosts without a file system. */
  resolver?: PathResolver
  runtime?: PolicyRuntime
  /** Milliseconds since the epoch. */
  now?(): number
  /** Where `reload` gets the layers from. Default: the same again. */
  reload?(): Promise<readonly RawLayer[]>
}

/** Throws `POLICY_INVALID` with every problem of every layer. */
export function createPolicy(options: PolicyOptions): RulePolicy {
  return new LayeredPolicy(options)
}

/** Paths as they are written: nothing is a link, every name is its own. */
export const LEXICAL_PATHS: PathResolver = {
  resolve: (path) => Promise.resolve(absolutePath(path, '/')),
  fold: (path) => path,
}

/** Compiled grants kept. */
const MOST_GRANTS = 1_000

class LayeredPolicy implements RulePolicy {
  readonly #options: PolicyOptions
  readonly #sources: FactSources
  readonly #now: () => number
  readonly #grants = new Map<string, CompiledRule | undefined>()
  #runtime: PolicyRuntime | undefined
  #assembly: Assembly
  #fold: FoldContext
  #isNamed: FactSources['isNamed']

  constructor(options: PolicyOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#runtime = options.runtime
    this.#sources = factSources(options)
    this.#assembly = this.#assemble(options.layers)
    this.#fold = this.#makeFold(this.#assembly)
    this.#isNamed = namedBy(this.#assembly)
  }

  get layers(): readonly LoadedLayer[] {
    return this.#assembly.layers.map(({ loaded }) => loaded)
  }

  get preset(): PolicyPreset {
    return this.#assembly.preset
  }

  get askExpiresMs(): number | undefined {
    return this.#assembly.askExpiresMs
  }

  get notices(): readonly string[] {
    return this.#assembly.notices
  }

  attach(runtime: PolicyRuntime): void {
    this.#runtime = runtime
  }

  async judge(call: PolicyCall): Promise<PolicyJudgement> {
    return judgeFacts(await this.#facts(call), this.#fold)
  }

  async decide(call: PolicyCall): Promise<PreToolDecision> {
    return toDecision(await this.judge(call))
  }

  async explain(call: PolicyCall): Promise<Explanation> {
    const assembly = this.#assembly
    return explainFacts(await this.#facts(call), { fold: this.#fold, assembly })
  }

  checkTools(names: readonly string[]): void {
    const problems = unknownTools(this.#assembly, names)
    if (problems.length > 0) throw new PolicyError(problems)
  }

  async runTests(): Promise<{ passed: number; skipped: number }> {
    const { problems, ...counts } = await runTests(this.#assembly, {
      judge: (call) => this.judge(call),
      matches: (rule, call) => this.#ruleMatches(rule, call),
      canDescribe: (tool) => this.#runtime?.lookup(tool) !== undefined,
    })
    if (problems.length > 0) throw new PolicyError(problems)
    return counts
  }

  async reload(): Promise<void> {
    const layers = await (this.#options.reload?.() ?? Promise.resolve(this.#options.layers))
    const assembly = this.#assemble(layers)
    this.#assembly = assembly
    this.#fold = this.#makeFold(assembly)
    this.#isNamed = namedBy(assembly)
    this.#grants.clear()
  }

  offerGrants(call: PolicyCall, judgement: PolicyJudgement): ApprovalOffer {
    return offerGrants(call, judgement, this.#grantContext(call))
  }

  refuseGrantRule(rule: string, call: PolicyCall, judgement: PolicyJudgement): string | undefined {
    return refuseGrantRule(rule, call, { judgement, context: this.#grantContext(call) })
  }

  ruleCovers(rule: string, call: PolicyCall, unit: UnitVerdict): boolean {
    const context = this.#grantContext(call)
    if (!this.#grants.has(rule)) {
      if (this.#grants.size >= MOST_GRANTS) this.#grants.clear()
      this.#grants.set(rule, compileGrant(rule, context))
    }
    const compiled = this.#grants.get(rule)
    return compiled !== undefined && context.covers(compiled, unit)
  }

  #assemble(layers: readonly RawLayer[]): Assembly {
    const { preset, home } = this.#options
    const { root, fold } = this.#sources
    return assemble(layers, {
      root,
      fold,
      now: this.#now(),
      ...(preset === undefined ? {} : { preset }),
      ...(home === undefined ? {} : { home }),
    })
  }

  #makeFold(assembly: Assembly): FoldContext {
    const { fold, root } = this.#sources
    const below = (path: string): string[] => [fold(absolutePath(path, root) ?? root)]
    return {
      preset: assembly.preset,
      index: new RuleIndex(assembly.rules),
      folders: { state: below('.toolseam'), output: below('.toolseam/output') },
      policyFiles: below('toolseam.policy.json'),
      hasShellRules: assembly.rules.some((rule) => matchTool(rule.tool, { name: 'bash' })),
      now: this.#now,
    }
  }

  async #facts(call: PolicyCall): Promise<CallFacts> {
    const definition = this.#runtime?.lookup(call.tool, call.agent)
    const view = call.view ?? (await this.#describe(call))
    return gatherFacts(
      { call, view, ...(definition === undefined ? {} : { definition }) },
      this.#isNamed === undefined ? this.#sources : { ...this.#sources, isNamed: this.#isNamed },
    )
  }

  async #describe(call: PolicyCall): Promise<CallView> {
    const { tool: name, arguments: args, agent } = call
    if (this.#runtime === undefined) return { title: name, kind: 'other', incomplete: true }
    return this.#runtime.describe(agent === undefined ? { name, arguments: args } : { name, arguments: args, agent })
  }

  async #ruleMatches(rule: CompiledRule, call: PolicyCall): Promise<boolean> {
    const facts = await this.#facts(call)
    return splitUnits(facts).some((unit) => matchRule(rule, unit, facts) === 'yes')
  }

  #grantContext(call: PolicyCall): GrantContext {
    const { home } = this.#options
    const { root, fold } = this.#sources
    const definition = this.#runtime?.lookup(call.tool, call.agent)
    return {
      layer: 'session',
      base: root,
      ...(home === undefined ? {} : { home }),
      fold,
      covers: (rule, { unit }) => coversShown(rule, { unit, call, definition, root, fold }),
    }
  }
}

/** Undefined where no rule could name a word of a command. */
function namedBy({ rules }: Assembly): FactSources['isNamed'] {
  const word = { of: 'word', access: 'read' } as PathFact
  const naming = rules.filter((rule) => isDoubtful(rule, word))
  return naming.length === 0 ? undefined : (path) => naming.some((rule) => namesPlace(rule, path))
}

/** One spelling of the root: what is given below the root as written counts as below the root with links followed. */
function factSources(options: PolicyOptions): FactSources {
  const { resolver = LEXICAL_PATHS } = options
  const written = absolutePath(options.root, '/') ?? '/'
  const root = absolutePath(options.resolvedRoot ?? written, '/') ?? written
  const rebase = (path: string): string =>
    written !== root && isInside(path, written) ? root + (written === '/' ? path : path.slice(written.length)) : path
  const fold = (path: string): string => resolver.fold(written === root ? path : rebase(path))
  return { resolver, fold, root, home: options.home, insideFolders: [root, ...(options.roots ?? [])].map(fold) }
}

function toDecision({ decision, by, reason }: PolicyJudgement): PreToolDecision {
  switch (decision) {
    case 'deny':
      return { kind: 'deny', by, reason: reason ?? by }
    case 'ask':
      return reason === undefined ? { kind: 'ask', by } : { kind: 'ask', by, reason }
    case 'allow':
      return { kind: 'allow', by }
    default:
      return decision satisfies never
  }
}
