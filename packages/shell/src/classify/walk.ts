/**
 * Visits every command position of a text through the parser's documented traversal (S-60). Constructs that assign, define, evaluate or are not
 * understood are unknown; the rest is as good as the commands in it.
 */
import { forEachChild, parse, type Assignment, type Command, type ParsedScript, type Redirect, type SyntaxNode, type Word } from 'unbash'
import type { Effects, Span } from './effects.ts'
import { hasStrayText } from './gaps.ts'
import { isHarmlessVariable, judge, type Invocation } from './judge.ts'
import { fedBy, judgeRedirect, redirectFact } from './redirects.ts'
import { argOf, type Arg } from './words.ts'

export function walkText(text: string, effects: Effects, wrappedBy: readonly string[] = []): void {
  effects.deeper(() => walkScript(parse(text), { effects, wrappedBy, source: text }))
}

function walkScript(
  script: ParsedScript,
  { effects, wrappedBy, source }: { effects: Effects; wrappedBy: readonly string[]; source: string },
): void {
  if (hasStrayText(script, source)) effects.worsen('unknown', 'syntax', { start: script.pos, end: script.end })
  for (const error of script.errors ?? []) effects.worsen('unknown', 'syntax', { start: error.pos, end: error.pos + 1 })
  if (script.commands.length === 0) effects.worsen('unknown', 'empty', { start: script.pos, end: script.end })
  const context: Visit = { effects, source, wrappedBy, fed: undefined }
  for (const statement of script.commands) visit(statement, context)
}

/** Passed on as it is wherever nothing changes: texts have thousands of nodes. */
interface Visit {
  readonly effects: Effects
  /** The text that positions count in: a script in backticks has its own. */
  readonly source: string
  readonly wrappedBy: readonly string[]
  /** What flows in from the construct around it, see `Invocation`. */
  readonly fed: string | null | undefined
}

function withFed(context: Visit, fed: Visit['fed']): Visit {
  if (context.fed === fed) return context
  return { effects: context.effects, source: context.source, wrappedBy: context.wrappedBy, fed }
}

function visit(node: SyntaxNode, context: Visit): void {
  const { effects, source } = context
  effects.spend()
  const span = { start: node.pos, end: node.end }
  const fixed = fixedText(node)
  if (fixed !== undefined) return hasOpenExpansion(fixed) ? refuseNode(node, effects) : undefined
  const inside = withFed(context, undefined)
  const children = (): void => forEachChild(node, (child) => visit(child, inside))
  if (hasStrayText(node, source)) refuse('syntax')
  switch (node.type) {
    // leaves, seen to above
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'SimpleExpansion':
    case 'FileDescriptor':
    case 'HereDocDelimiter':
    case 'Time':
    case 'Negation':
      return
    // what holds other nodes and means nothing itself
    case 'Glob':
    case 'BraceExpansion':
    case 'DoubleQuoted':
    case 'HereDocBody':
    case 'HereString':
    case 'TestLogical':
    case 'TestNot':
    case 'CaseItem':
    case 'Remove':
    case 'Replace':
    case 'CaseModification':
      return children()
    case 'Word':
    case 'TestGroup':
      return effects.deeper(children)
    case 'Default':
      // `${x:=1}` assigns.
      if (node.operator.includes('=')) refuse('assignment')
      return effects.deeper(children)
    case 'CompoundList':
      return effects.deeper(children)
    // commands and what strings them together
    case 'Command':
      return visitCommand(node, context)
    case 'Redirected':
      return visitRedirected(node, context)
    case 'Pipeline':
      return visitPipeline(node, context)
    case 'AndOr':
      return visitAndOr(node, context)
    case 'Subshell':
      return effects.apart(() => visit(node.body, context))
    case 'BraceGroup':
      return visit(node.body, context)
    case 'Statement':
      return void effects.settling(children)
    case 'If':
    case 'Elif':
    case 'Case':
      return effects.deeper(children)
    case 'While':
      return looping(effects, { span, run: children })
    case 'For':
      if (!isPlainVariable(node.name.value)) refuse('assignment')
      return looping(effects, { span, run: children })
    // nested texts
    case 'Script':
      return effects.deeper(() => walkScript(node, { effects, wrappedBy: context.wrappedBy, source: node.source ?? source }))
    case 'CommandExpansion':
      if (node.script === undefined || node.text.startsWith('${')) refuse('substitution')
      return effects.apart(() => effects.anchored(span, children))
    case 'ProcessSubstitution':
      if (node.script === undefined) refuse('substitution')
      return effects.apart(() => effects.anchored(span, children))
    // what can assign or evaluate
    case 'ParameterExpansion':
      if (node.prefix === '!' || !isPlainIndex(node.index)) refuse('expansion')
      return effects.deeper(children)
    case 'Slice':
      if (!isNumber(node.offset) || (node.length !== undefined && !isNumber(node.length))) refuse('arithmetic')
      return children()
    case 'ArithmeticExpansion':
      // `$[…]` is undocumented in bash, and the parser is lax about it.
      if (node.expression === undefined || node.text.startsWith('$[')) refuse('arithmetic')
      return effects.deeper(children)
    case 'ArithmeticCommand':
      if (node.expression === undefined) refuse('arithmetic')
      return effects.deeper(children)
    case 'ArithmeticWord':
      // A name is evaluated, and its value again: `a[$(…)]` may be in it.
      if (!/^\s*(?:\d+|0[xX][0-9a-fA-F]+|\d+#\w+)\s*$/.test(node.value)) refuse('arithmetic')
      return children()
    case 'ArithmeticBinary':
    case 'ArithmeticTernary':
    case 'ArithmeticGroup':
    case 'ArithmeticUnary':
      return effects.deeper(children)
    case 'TestCommand':
      return effects.deeper(children)
    case 'TestUnary':
      if (node.operator === '-v' || node.operator === '-R') refuse('test')
      return children()
    case 'TestBinary':
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) && !(isNumber(node.left) && isNumber(node.right))) refuse('arithmetic')
      return children()
    case 'Redirect':
      return visitRedirect(node, context)
    case 'HereDoc':
      if (node.closing === undefined || node.delimiter === undefined) refuse('heredoc')
      return children()
    case 'Function':
      refuse('function')
      return effects.apart(children)
    case 'Coproc':
      refuse('coproc')
      return effects.apart(children)
    case 'Select':
    case 'ArithmeticFor':
    case 'Assignment':
    case 'ArrayValue':
    case 'ArithmeticCommandExpansion':
    case 'ExtendedGlob':
    case 'LocaleString':
    case 'Transform':
    case 'Names':
    case 'Unknown':
    case 'FileDescriptorVariable':
      refuse(node.type === 'Assignment' || node.type === 'ArrayValue' ? 'assignment' : 'construct')
      return effects.deeper(children)
    default:
      node satisfies never
      return refuse('construct')
  }

  function refuse(code: string): void {
    effects.worsen('unknown', code, span)
  }
}

/** Most nodes are fixed text, and are passed by quickly. Undefined: not one of them. */
function fixedText(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal') return node.text
  return node.type === 'Word' && node.parts === undefined ? node.text : undefined
}

function refuseNode(node: SyntaxNode, effects: Effects): void {
  effects.worsen('unknown', 'syntax', { start: node.pos, end: node.end })
}

/** The parser takes an expansion that it cannot read for text; bash does not. */
function hasOpenExpansion(text: string): boolean {
  return (text.includes('$') || text.includes('`')) && /(?:^|[^\\])(?:\\\\)*(?:\$[[({]|`)/.test(text)
}

function visitCommand(node: Command, context: Visit): void {
  const inside = withFed(context, undefined)
  for (const child of node.prefix) {
    if (child.type === 'Assignment') visitAssignment(child, { inside, alone: node.name === undefined })
    else visit(child, inside)
  }
  for (const child of node.suffix) {
    if (child.type === 'Assignment') visitAssignment(child, { inside, alone: false })
    else visit(child, inside)
  }
  if (node.name === undefined) return
  visit(node.name, inside)
  const words = [argOf(node.name)]
  for (const word of node.args) words.push(word.type === 'Assignment' ? assignmentArg(word) : argOf(word))
  judge(invocationOf(node, words, context), context.effects)
}

/** Before a command it is for that command only; alone it changes the shell (S-62). */
function visitAssignment(node: Assignment, { inside, alone }: { inside: Visit; alone: boolean }): void {
  const harmless = isHarmlessVariable(node.name) && node.index === undefined && node.value.type === 'Word'
  if (!harmless || alone) inside.effects.worsen('unknown', 'assignment', { start: node.pos, end: node.end })
  forEachChild(node, (child) => visit(child, inside))
}

function assignmentArg(node: Assignment): Arg {
  const prefix = `${node.name}=`
  const literal = node.value.type === 'Word' && node.index === undefined ? argOf(node.value).value : null
  return { start: node.pos, end: node.end, value: literal === null ? null : prefix + literal, prefix, multi: false }
}

function invocationOf(node: Command, words: readonly Arg[], { effects, wrappedBy, fed }: Visit): Invocation {
  return {
    start: node.pos,
    end: node.end,
    words,
    redirects: node.redirects.flatMap(redirectFact),
    wrappedBy,
    fed: fedBy(node.redirects, fed),
    inner: (text, wrappers) => walkText(text, effects, wrappers),
  }
}

function visitRedirect(node: Redirect, context: Visit): void {
  const inside = withFed(context, undefined)
  if (node.descriptor !== undefined) visit(node.descriptor, inside)
  if (node.target !== undefined) visit(node.target, inside)
  judgeRedirect(node, context.effects)
}

function visitRedirected(node: Extract<SyntaxNode, { type: 'Redirected' }>, context: Visit): void {
  for (const redirect of node.redirects) visit(redirect, withFed(context, undefined))
  visit(node.command, withFed(context, fedBy(node.redirects, context.fed)))
}

/** Each part runs in a shell of its own; what `echo` says reaches the next one. */
function visitPipeline(node: Extract<SyntaxNode, { type: 'Pipeline' }>, context: Visit): void {
  if (node.commands.length === 0) context.effects.worsen('unknown', 'empty', { start: node.pos, end: node.end })
  let { fed } = context
  for (const command of node.commands) {
    const entered = withFed(context, fed)
    if (node.commands.length === 1) visit(command, entered)
    else context.effects.apart(() => visit(command, entered))
    fed = echoedText(command)
  }
}

function echoedText(node: SyntaxNode): string | null {
  if (node.type !== 'Command' || node.prefix.length > 0 || node.redirects.length > 0) return null
  if (node.name === undefined || argOf(node.name).value !== 'echo') return null
  const words = node.args.map((word) => (word.type === 'Assignment' ? assignmentArg(word) : argOf(word)).value)
  if (words.some((word) => word === null || word.startsWith('-'))) return null
  return `${words.join(' ')}\n`
}

/** A directory changed on the left of `&&` holds on its right, and nowhere else. */
function visitAndOr(node: Extract<SyntaxNode, { type: 'AndOr' }>, context: Visit): void {
  const { effects } = context
  for (const [at, command] of node.commands.entries()) {
    if (node.operators[at] === '||') effects.settling(() => visit(command, context))
    else visit(command, context)
  }
}

/** A body that moves and runs again starts elsewhere the second time. */
function looping(effects: Effects, { span, run }: { span: Span; run(): void }): void {
  effects.deeper(() => {
    if (effects.settling(run)) effects.worsen('unknown', 'loop-moves', span)
  })
}

/** Names in lower case mean nothing to bash itself; proxies mean something to others. */
function isPlainVariable(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !name.endsWith('_proxy') && name !== '_'
}

function isPlainIndex(index: Word | undefined): boolean {
  return index === undefined || /^(?:\d+|@|\*)$/.test(index.text)
}

function isNumber(word: Word): boolean {
  return /^\s*-?\d+\s*$/.test(argOf(word).value ?? '')
}
