/**
 * Redirections: which write a file, and what literal text they put on a command's standard input (S-62, S-63).
 */
import type { HereDoc, Redirect, Redirection } from 'unbash'
import type { Effects } from './effects.ts'
import { argOf } from './words.ts'

export function redirectFact(redirect: Redirection): { operator: string; target: string | null; write: boolean }[] {
  if (redirect.type !== 'Redirect') return []
  const target = redirect.target === undefined ? null : argOf(redirect.target).value
  return [{ operator: redirect.operator, target, write: writesFile(redirect.operator, target) }]
}

/** The last redirection of standard input wins over a pipe. */
export function fedBy(redirects: readonly Redirection[], piped: string | null | undefined): string | null | undefined {
  let fed = piped
  for (const redirect of redirects) {
    const descriptor = redirect.descriptor
    if (descriptor !== undefined && (descriptor.type !== 'FileDescriptor' || descriptor.value !== 0)) continue
    if (redirect.type === 'HereDoc') fed = heredocText(redirect)
    else if (redirect.type === 'HereString') fed = redirect.target === undefined ? null : argOf(redirect.target).value
    else if (redirect.operator.startsWith('<')) fed = null
  }
  return fed
}

function heredocText(heredoc: HereDoc): string | null {
  const expands = heredoc.delimiter?.quoted !== true && /[$`\\]/.test(heredoc.body.text)
  return expands || heredoc.operator === '<<-' ? null : heredoc.body.text
}

const WRITERS = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&'])

function writesFile(operator: string, target: string | null): boolean {
  if (!WRITERS.has(operator)) return false
  if (target === null) return true
  if (operator === '>&' && /^(?:\d+-?|-)$/.test(target)) return false
  return target !== '/dev/null' && target !== '/dev/stdout' && target !== '/dev/stderr' && !/^\/dev\/fd\/\d+$/.test(target)
}

export function judgeRedirect(node: Redirect, effects: Effects): void {
  const span = { start: node.pos, end: node.end }
  if (node.target === undefined) return effects.worsen('unknown', 'redirect', span)
  const { value } = argOf(node.target)
  const writes = writesFile(node.operator, value)
  if (value !== null && /^\/dev\/(?:tcp|udp)\//.test(value)) effects.worsen('unknown', 'network', span)
  if (writes) effects.worsen(value === null ? 'unknown' : 'mutating', 'redirect', span)
  if (node.operator === '<&' && (value === null || !/^(?:\d+-?|-)$/.test(value))) effects.worsen('unknown', 'redirect', span)
  if (value === null || node.operator === '<&' || (node.operator === '>&' && !writes)) return
  effects.path(value, writes ? 'write' : 'read', span)
}
