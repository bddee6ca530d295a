/**
 * What an approval may be remembered as, and whether a remembered rule covers a unit of a call.
 */
import type { PolicyCall, PolicyJudgement, StandingAsk, UnitVerdict } from '../definition/policy.ts'
import { type ApprovalOffer, GRANT_SCOPES, type GrantScope } from '../definition/record.ts'
import { baseName, quoteCommand } from './command-pattern.ts'
import { coversRule } from './cover.ts'
import { type CompiledRule, compileText, type RuleContext } from './rule.ts'
import { matchTool } from './tool-pattern.ts'

/** Programs that run others, by name: a grant for one would be a grant for anything. */
const RUNNERS = new Set(
  `sh bash dash zsh ksh fish ash csh tcsh pwsh powershell cmd busybox eval exec source . command builtin
   python python2 python3 node deno bun tsx ts-node ruby perl php lua awk gawk mawk nawk osascript Rscript julia
   env sudo doas su runuser chroot unshare nsenter setpriv nice nohup time timeout stdbuf setsid script watch flock ionice taskset
   xargs parallel ssh mosh find fd make gmake ninja just task rake
   npx pnpx bunx uvx pipx dlx uv poetry docker podman kubectl tmux screen at batch trap strace gdb`.split(/\s+/),
)

/** Package managers that run what a package brings, by their first word. */
const RUNNING_WORDS = new Map([
  ['npm', new Set(['exec', 'x', 'init', 'create', 'explore'])],
  ['pnpm', new Set(['exec', 'dlx', 'create'])],
  ['yarn', new Set(['exec', 'dlx', 'create', 'node'])],
  ['cargo', new Set(['run'])],
  ['go', new Set(['run', 'generate'])],
  ['git', new Set(['filter-branch', 'bisect', 'submodule', 'rebase', 'difftool', 'mergetool'])],
])

/** Programs whose first word is what they work on, not what they do. */
const NO_SUBCOMMAND = new Set(
  'rm mv cp ln ls cat touch mkdir rmdir chmod chown chgrp echo printf cd head tail wc sort uniq diff patch tar zip unzip gzip curl wget kill pkill killall sed grep rg tee dd du df stat file tree which vi vim nano'.split(
    ' ',
  ),
)

/** Tools whose words run as commands: their name alone is never a grant. */
const NEVER_BARE = ['bash', 'bash_input']

export interface GrantContext extends RuleContext {
  covers(rule: CompiledRule, unit: UnitVerdict): boolean
}

/** The widest scope that every standing ask permits; undefined where none may be remembered. */
export function widestScope(asks: readonly StandingAsk[]): GrantScope | undefined {
  let widest: number = GRANT_SCOPES.length - 1
  for (const { remember } of asks) {
    if (remember === 'none') return undefined
    widest = Math.min(widest, GRANT_SCOPES.indexOf(remember))
  }
  return GRANT_SCOPES[widest]
}

export function offerGrants(call: PolicyCall, judgement: PolicyJudgement, context: GrantContext): ApprovalOffer {
  const asking = askingUnits(judgement)
  const widest = widestScope(asking.flatMap((unit) => unit.asks))
  if (widest === undefined || asking.length === 0) return { scopes: ['once'], rules: [] }
  const scopes = GRANT_SCOPES.slice(0, GRANT_SCOPES.indexOf(widest) + 1).filter((scope) => scope !== 'turn' || call.turnId !== undefined)
  const [first] = asking
  if (first === undefined || asking.some((unit) => unit.asks.some((ask) => ask.exactOnly))) return { scopes, rules: [] }
  const rules = rulesFor(call.tool, first, context).filter((text) => {
    const rule = compileGrant(text, context)
    return rule !== undefined && asking.every((unit) => context.covers(rule, unit))
  })
  return { scopes, rules }
}

/** Why `text` may not be granted for this call; undefined where it may. */
export function refuseGrantRule(
  text: string,
  call: PolicyCall,
  parts: { judgement: PolicyJudgement; context: GrantContext },
): string | undefined {
  const { judgement, context } = parts
  const rule = compileGrant(text, context)
  if (rule === undefined) return 'the rule cannot be read'
  if (NEVER_BARE.some((name) => matchTool(rule.tool, { name })) && rule.command === undefined)
    return 'a rule for commands must name a command'
  if (rule.command !== undefined && runsOthers(rule)) return 'a rule may not be for a program that runs other programs'
  const asking = askingUnits(judgement)
  if (!asking.every((unit) => context.covers(rule, unit))) return 'the rule does not cover the call'
  const offered = offerGrants(call, judgement, context).rules.map((offer) => compileGrant(offer, context))
  if (!offered.some((offer) => offer !== undefined && coversRule(offer, rule))) return 'the rule is wider than what was offered'
  return undefined
}

/** A grant reads as an allow rule of the session layer. */
export function compileGrant(text: string, context: RuleContext): CompiledRule | undefined {
  const compiled = compileText(text, { verb: 'allow', index: 0, context })
  return Array.isArray(compiled) ? undefined : compiled
}

function askingUnits(judgement: PolicyJudgement): UnitVerdict[] {
  return judgement.units.filter((unit) => unit.decision === 'ask')
}

/** Narrowest first. */
function rulesFor(tool: string, { unit }: UnitVerdict, context: GrantContext): string[] {
  switch (unit.kind) {
    case 'command':
      return commandRules(tool, unit.argv)
    case 'path':
      return unit.of === 'call' ? pathRules(tool, unit, context) : pathRules('Edit', unit, context)
    case 'call': {
      if (NEVER_BARE.includes(tool)) return []
      const [domain, ...more] = unit.domains ?? []
      return domain !== undefined && more.length === 0 && !domain.includes('*') ? [`${tool}(domain:${domain})`, tool] : [tool]
    }
    default:
      return unit satisfies never
  }
}

function commandRules(tool: string, argv: readonly (string | null)[]): string[] {
  const words = argv.filter((word) => word !== null)
  const [program, ...rest] = words
  if (program === undefined || words.length !== argv.length || isRunner(program, rest[0])) return []
  const exact = `${tool}(${quoteCommand(words)})`
  const prefix = subcommand(program, rest)
  return prefix === undefined ? [exact] : [exact, `${tool}(${quoteCommand(prefix)} *)`]
}

/** The words that say what is done: `git push`, `npm run build`. */
function subcommand(program: string, rest: readonly string[]): string[] | undefined {
  const [first, second] = rest
  if (NO_SUBCOMMAND.has(baseName(program)) || first === undefined || !isName(first)) return undefined
  if (first !== 'run' && first !== 'run-script') return [program, first]
  return second !== undefined && /^[A-Za-z][\w:.-]*$/.test(second) ? [program, first, second] : undefined
}

function isName(word: string): boolean {
  return /^[A-Za-z][A-Za-z0-9-]*$/.test(word)
}

function isRunner(program: string, first: string | undefined): boolean {
  const name = baseName(program)
  if (RUNNERS.has(name) || /^(python|pip|node|ruby|perl|php|lua)[\d.]+$/.test(name)) return true
  return first !== undefined && RUNNING_WORDS.get(name)?.has(first) === true
}

/** Also where the program is not literal, or the word that decides is a wildcard. */
function runsOthers(rule: CompiledRule): boolean {
  const [program, first] = rule.command?.words ?? []
  if (program === undefined || program.length !== 1) return true
  const name = program[0] ?? ''
  if (isRunner(name, first?.length === 1 ? first[0] : undefined)) return true
  return (
    RUNNING_WORDS.has(baseName(name)) && (first === undefined || first.length !== 1) && (first !== undefined || rule.command?.rest === true)
  )
}

function pathRules(tool: string, unit: { path: string; resolved?: string }, context: GrantContext): string[] {
  const path = unit.resolved
  if (path === undefined || path.includes('*') || path === '/') return []
  const written = shorten(path, context.base)
  const folder = path.slice(0, path.lastIndexOf('/'))
  const exact = `${tool}(${written})`
  return folder === '' || folder === context.base || folder === context.home
    ? [exact]
    : [exact, `${tool}(${shorten(folder, context.base)}/**)`]
}

function shorten(path: string, root: string): string {
  return path.startsWith(`${root}/`) ? `.${path.slice(root.length)}` : path
}
