/**
 * From the texts of the layers to the rules in force: read, check, decide on trust, compile, and report every problem of every file at once.
 */
import { PolicyError, type PolicyFault, type PolicyProblem } from '../definition/policy-errors.ts'
import { type LayerName, POLICY_LAYERS, type PolicyFile, type PolicyPreset } from '../definition/policy-file.ts'
import type { LoadedLayer } from '../definition/policy.ts'
import { checkFile } from './check-file.ts'
import { type PlacedFault, readText, type TextPlaces } from './read-text.ts'
import { type CompiledRule, compileRules, readableFaults, type RuleContext } from './rule.ts'
import { unreachableRules } from './unreachable.ts'

/** A layer as found or given. */
export interface RawLayer {
  name: LayerName
  text: string
  /** A path; absent for a policy given in code. */
  file?: string
  hash: string
  /** A project file that was merely found: inert until trusted. */
  found: boolean
  /** The user has trusted this very content. */
  trusted: boolean
}

export interface InertRule {
  rule: CompiledRule
  why: 'untrusted' | 'expired'
}

export interface CompiledLayer {
  loaded: LoadedLayer
  label: string
  file: PolicyFile
  rules: readonly CompiledRule[]
  inert: readonly InertRule[]
  places: TextPlaces
}

export interface Assembly {
  layers: readonly CompiledLayer[]
  preset: PolicyPreset
  /** In force; most trusted layer first, then as in the file. */
  rules: readonly CompiledRule[]
  askExpiresMs: number | undefined
  notices: readonly string[]
  later: readonly string[]
}

export interface AssembleOptions {
  /** The option `--preset`. */
  preset?: PolicyPreset
  root: string
  home?: string
  /** The form in which paths are compared. */
  fold(path: string): string
  now: number
}

/** Throws `POLICY_INVALID` with the problems of all layers. */
export function assemble(raw: readonly RawLayer[], options: AssembleOptions): Assembly {
  const problems: PolicyProblem[] = []
  const read = POLICY_LAYERS.flatMap((name) => {
    const layer = raw.find((candidate) => candidate.name === name)
    return layer === undefined ? [] : [readLayer(layer, { problems, context: contextOf(name, options) })]
  })
  const override = trustOverride(read.map(({ file }) => file))
  const layers = read.flatMap(({ layer, file, places }) =>
    file === undefined ? [] : [compileLayer({ layer, file, places }, { options, override, problems })],
  )
  if (problems.length > 0) throw new PolicyError(problems)
  return {
    layers,
    preset: choosePreset(layers, options.preset),
    rules: layers.flatMap((layer) => layer.rules),
    askExpiresMs: layers.map(({ file }) => file.askExpiresMs).find((value) => value !== undefined),
    notices: layers.flatMap(noticesOf),
    later: layers.flatMap(({ file }) => file.later ?? []),
  }
}

interface ReadLayer {
  layer: RawLayer
  places: TextPlaces
  file: PolicyFile | undefined
}

function readLayer(layer: RawLayer, { problems, context }: { problems: PolicyProblem[]; context: RuleContext }): ReadLayer {
  const text = readText(layer.text)
  problems.push(...text.faults.map((fault) => toProblem(fault, labelOf(layer), text)))
  if (text.faults.length > 0) return { layer, places: text, file: undefined }
  const checked = checkFile(text.value, layer.name)
  if (checked.ok) return { layer, places: text, file: checked.file }
  problems.push(...[...checked.faults, ...readableFaults(text.value, context)].map((fault) => toProblem(fault, labelOf(layer), text)))
  return { layer, places: text, file: undefined }
}

/** `managed` before `user`. */
function trustOverride(files: readonly (PolicyFile | undefined)[]): 'always' | 'never' | undefined {
  return files.map((file) => file?.projectTrust).find((value) => value !== undefined)
}

interface CompileParts {
  options: AssembleOptions
  override: 'always' | 'never' | undefined
  problems: PolicyProblem[]
}

function compileLayer(
  { layer, file, places }: ReadLayer & { file: PolicyFile },
  { options, override, problems }: CompileParts,
): CompiledLayer {
  const trusted = !layer.found || (override === undefined ? layer.trusted : override === 'always')
  const compiled = compileRules(file, contextOf(layer.name, options))
  const faults = [...compiled.faults, ...unreachableRules(compiled.rules, options.now)]
  problems.push(...faults.map((fault) => toProblem(fault, labelOf(layer), places)))
  const isExpired = (rule: CompiledRule): boolean => rule.expiresAt !== undefined && rule.expiresAt <= options.now
  const isInert = (rule: CompiledRule): boolean => rule.verb === 'allow' && !trusted
  const rules = compiled.rules.filter((rule) => !isExpired(rule) && !isInert(rule))
  const inert: InertRule[] = []
  for (const rule of compiled.rules) {
    if (isInert(rule)) inert.push({ rule, why: 'untrusted' })
    else if (isExpired(rule)) inert.push({ rule, why: 'expired' })
  }
  const count = (verb: CompiledRule['verb']): number => rules.filter((rule) => rule.verb === verb).length
  return {
    label: labelOf(layer),
    file,
    places,
    rules,
    inert,
    loaded: {
      name: layer.name,
      ...(layer.file === undefined ? {} : { file: layer.file }),
      trusted,
      ...(file.preset === undefined ? {} : { preset: file.preset }),
      rules: { allow: count('allow'), ask: count('ask'), deny: count('deny') },
      inert: inert.map(({ rule, why }) => ({ rule: rule.label, why })),
      hash: layer.hash,
    },
  }
}

function contextOf(layer: LayerName, { root, home, fold }: AssembleOptions): RuleContext {
  return { layer, base: root, ...(home === undefined ? {} : { home }), fold }
}

/** Managed's, else the option's, else session's, user's, trusted project's. */
function choosePreset(layers: readonly CompiledLayer[], option: PolicyPreset | undefined): PolicyPreset {
  const said = (name: LayerName): PolicyPreset | undefined =>
    layers.find(({ loaded }) => loaded.name === name && loaded.trusted)?.file.preset
  return said('managed') ?? option ?? said('session') ?? said('user') ?? said('project') ?? 'workspace-write'
}

function noticesOf({ loaded, label, file, inert }: CompiledLayer): string[] {
  const notices: string[] = []
  const untrusted = inert.filter(({ why }) => why === 'untrusted').length
  const preset = !loaded.trusted && file.preset !== undefined
  if (untrusted > 0 || preset) {
    const parts = [
      untrusted > 0 ? `${untrusted} allow ${untrusted === 1 ? 'rule' : 'rules'}` : '',
      preset ? `the preset ${file.preset}` : '',
    ]
    notices.push(
      `${label} is not trusted: ${parts.filter((part) => part !== '').join(' and ')} inert; "toolseam policy trust" after reading it puts them in force`,
    )
  }
  const expired = inert.filter(({ why }) => why === 'expired').map(({ rule }) => rule.label)
  if (expired.length > 0) notices.push(`${label}: expired and inert: ${expired.join(', ')}`)
  return notices
}

function labelOf(layer: RawLayer): string {
  return layer.file ?? `${layer.name} policy`
}

export function toProblem(fault: PlacedFault | PolicyFault, file: string, places: TextPlaces): PolicyProblem {
  const at = places.locate(fault.pointer)
  const { line = at.line, column = at.column } = fault as PlacedFault
  const { code, pointer, message, suggestion } = fault
  return { code, file, line, column, pointer, message, ...(suggestion === undefined ? {} : { suggestion }) }
}
