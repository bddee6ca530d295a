/**
 * What is gathered while a text is walked: the worst verdict so far, the commands, the paths and the reasons (S-61).
 */
import type { CommandEffects, SimpleCommand } from '@toolseam/core-tools'
import { resolvePath } from './paths.ts'

export type Verdict = CommandEffects['verdict']

export interface Span {
  readonly start: number
  readonly end: number
}

/** Thrown when the time, or the depth of 100, are used up (S-60). */
export class BudgetExceeded extends Error {
  readonly reason: 'time' | 'depth'
  constructor(reason: 'time' | 'depth') {
    super(reason)
    this.reason = reason
  }
}

const MAX_MS = 20
/** A text of 9 KB has fewer steps: its verdict must not hang on how busy the machine is. The clock counts beyond them. */
const FREE_STEPS = 16_384
const MAX_DEPTH = 100
const MAX_REASONS = 50

export class Effects {
  verdict: Verdict = 'read-only'
  readonly commands: SimpleCommand[] = []
  readonly paths: CommandEffects['paths'] = []
  readonly reasons: CommandEffects['reasons'] = []
  readonly #source: string
  readonly #protect: readonly string[]
  /** Where relative paths begin; `lost` once the text may have gone elsewhere. */
  #place: { cwd: string | undefined; lost: boolean }
  #moves = 0
  readonly #began = performance.now()
  #visited = 0
  #depth = 0
  /** Positions inside a text that was unquoted, or escaped, are those of the word that held it. */
  #anchor: Span | undefined

  constructor(source: string, options: { cwd: string | undefined; protect: readonly string[] }) {
    this.#source = source
    this.#place = { cwd: options.cwd, lost: false }
    this.#protect = options.protect
  }

  /** Read-only < mutating < unknown: what is not understood is never called less. */
  worsen(verdict: Exclude<Verdict, 'read-only'>, code: string, span: Span): void {
    if (this.verdict !== 'unknown') this.verdict = verdict
    if (this.reasons.length >= MAX_REASONS) return
    const { start, end } = this.#anchor ?? span
    this.reasons.push({ code, text: this.#source.slice(start, Math.min(end, start + 200)), start, end })
  }

  /** A literal operand or redirect target (S-65). */
  path(path: string, access: 'read' | 'write', span: Span): void {
    const absolute = path.startsWith('/') ? resolvePath('/', path) : path.startsWith('~') ? undefined : this.#resolve(path)
    const guarded = access === 'write' ? isProtected(absolute ?? path, this.#protect) : isProtected(absolute ?? path, [])
    this.paths.push({ path: absolute ?? path, access, ...(guarded ? { protected: true } : {}) })
    if (access === 'write' && guarded) this.worsen('mutating', 'protected-path', span)
    if (access === 'write' && absolute === undefined && (this.#place.lost || path.startsWith('~')))
      this.worsen('unknown', 'path-unknown', span)
  }

  #resolve(path: string): string | undefined {
    return this.#place.lost || this.#place.cwd === undefined ? undefined : resolvePath(this.#place.cwd, path)
  }

  /** A `cd` whose target is known holds for what follows it by `&&`. */
  changeTo(path: string | undefined): void {
    this.#moves += 1
    if (path?.startsWith('/') === true) this.#place = { cwd: resolvePath('/', path), lost: false }
    else this.#place = { cwd: path === undefined ? undefined : this.#resolve(path), lost: this.#place.lost || path === undefined }
  }

  /** Runs what has a directory of its own, as a subshell has. */
  apart<T>(run: () => T): T {
    const place = this.#place
    try {
      return run()
    } finally {
      this.#place = place
    }
  }

  /** Runs a part after which it is not known whether its `cd` took place. Tells whether there was one. */
  settling(run: () => void): boolean {
    const moves = this.#moves
    run()
    if (this.#moves === moves) return false
    this.#place = { cwd: undefined, lost: true }
    return true
  }

  /** Counts a step against the budget. */
  spend(): void {
    this.#visited += 1
    if (this.#visited > FREE_STEPS && this.#visited % 256 === 0 && performance.now() - this.#began > MAX_MS)
      throw new BudgetExceeded('time')
  }

  deeper<T>(run: () => T): T {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new BudgetExceeded('depth')
    try {
      return run()
    } finally {
      this.#depth -= 1
    }
  }

  anchored<T>(span: Span, run: () => T): T {
    const outer = this.#anchor
    this.#anchor ??= span
    try {
      return run()
    } finally {
      this.#anchor = outer
    }
  }

  result(): CommandEffects {
    return { verdict: this.verdict, commands: this.commands, paths: this.paths, reasons: this.reasons }
  }
}

/** Everything under a `.toolseam` folder, the parts of git that start programs, and what the plugin names. */
function isProtected(path: string, protect: readonly string[]): boolean {
  // Most paths hold none of the words.
  if (protect.length === 0 && !path.includes('.toolseam') && !path.includes('.git')) return false
  const parts = path.split('/')
  if (parts.includes('.toolseam')) return true
  const git = parts.lastIndexOf('.git')
  if (git !== -1 && (parts[git + 1] === 'hooks' || (parts[git + 1] === 'config' && parts.length === git + 2))) return true
  return protect.some((entry) => {
    const clean = entry.replace(/\/+$/, '')
    return clean.startsWith('/') ? path === clean || path.startsWith(`${clean}/`) : `${path}/`.includes(`/${clean}/`) || path === clean
  })
}
