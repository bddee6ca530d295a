/**
 * Reading a filter: each part once, every name known and inherited, nothing that would filter in vain (P-6).
 */
import { isCodeEntry } from './code-entries.ts'
import type { Layer, Restriction } from './layer.ts'
import { refuse } from './refusal.ts'
import { inheritedBy } from './visibility.ts'

export function readRestriction<Extras>(filter: unknown, layer: Layer<Extras>): Restriction {
  const subject = `restriction of scope "${layer.agent ?? ''}"`
  if (typeof filter !== 'object' || filter === null) throw refuse(subject, 'must be an object with allow or deny')
  const { allow, deny } = filter as { readonly allow?: unknown; readonly deny?: unknown }
  const allowed = allow === undefined ? undefined : readNames(allow, { subject, field: 'allow' })
  const denied = deny === undefined ? new Set<string>() : readNames(deny, { subject, field: 'deny' })
  // An allow list that names nothing is a filter (it shuts out everything); a deny list that names nothing is none.
  if (allowed === undefined && denied.size === 0) throw refuse(subject, 'is empty: name tools to allow or to deny')
  for (const name of [...(allowed ?? []), ...denied]) checkName(name, { subject, layer })
  return { allow: allowed, deny: denied }
}

function readNames(names: unknown, { subject, field }: { subject: string; field: string }): ReadonlySet<string> {
  if (!Array.isArray(names)) throw refuse(subject, `${field} must be a list of tool names`, { field })
  const read = Array.from(names as readonly unknown[])
  if (!read.every((name) => typeof name === 'string')) throw refuse(subject, `${field} must be a list of tool names`, { field })
  return new Set(read)
}

function checkName<Extras>(name: string, { subject, layer }: { subject: string; layer: Layer<Extras> }): void {
  if (isCodeEntry(name)) throw refuse(subject, `"${name}" is reserved and cannot be restricted`)
  if (layer.own.has(name)) throw refuse(subject, `"${name}" is the scope's own tool; only what is inherited can be restricted`)
  if (!inheritedBy(layer).has(name)) throw refuse(subject, `"${name}" is no tool that the scope inherits`)
}
