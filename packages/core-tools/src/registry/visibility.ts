/**
 * Which tools a layer sees, and which layers a change reaches. A change is followed name by name down the tree: where the name is
 * shadowed or shut out nothing changed, and the view there stays the same object (P-8).
 */
import type { ToolMode } from '../contracts/registry.ts'
import { isCodeEntry } from './code-entries.ts'
import { modeOf, type Layer, type RegisteredTool, type Restriction } from './layer.ts'

/** Own tools over what is inherited and let through. */
export function visibleIn<Extras>(layer: Layer<Extras>): ReadonlyMap<string, RegisteredTool> {
  layer.visible ??= collect(layer)
  return layer.visible
}

/** What the layer above hands down, before this layer's own restrictions. */
export function inheritedBy<Extras>(layer: Layer<Extras>): ReadonlyMap<string, RegisteredTool> {
  return layer.above === undefined ? NOTHING : visibleIn(layer.above)
}

const NOTHING: ReadonlyMap<string, RegisteredTool> = new Map()

function collect<Extras>(layer: Layer<Extras>): ReadonlyMap<string, RegisteredTool> {
  const visible = new Map<string, RegisteredTool>()
  for (const [name, tool] of inheritedBy(layer)) {
    if (letsThrough(layer, name)) visible.set(name, tool)
  }
  for (const [name, tool] of layer.own) visible.set(name, tool)
  return visible
}

/** All restrictions of the layer must agree. Code entries cannot be restricted. */
export function letsThrough<Extras>(layer: Layer<Extras>, name: string): boolean {
  if (layer.restrictions.size === 0 || isCodeEntry(name)) return true
  for (const restriction of layer.restrictions) {
    if (!admits(restriction, name)) return false
  }
  return true
}

function admits({ allow, deny }: Restriction, name: string): boolean {
  return (allow === undefined || allow.has(name)) && !deny.has(name)
}

/** The names whose visibility in this layer a restriction alone decides: nothing else shuts them out, and none is shadowed here. */
export function decidedBy<Extras>(layer: Layer<Extras>, restriction: Restriction): string[] {
  const others = [...layer.restrictions].filter((other) => other !== restriction)
  return [...inheritedBy(layer).keys()].filter(
    (name) => !isCodeEntry(name) && !layer.own.has(name) && !admits(restriction, name) && others.every((other) => admits(other, name)),
  )
}

/** Raises the version wherever one of the names is seen from. */
export function spreadNames<Extras>(layer: Layer<Extras>, names: readonly string[], version: number): void {
  renew(layer, version)
  for (const child of layer.below) {
    const reaching = names.filter((name) => !child.own.has(name) && letsThrough(child, name))
    if (reaching.length > 0) spreadNames(child, reaching, version)
  }
}

/** Raises the version wherever the layer's mode holds: down to the next that sets its own. */
export function spreadMode<Extras>(layer: Layer<Extras>, version: number): void {
  renew(layer, version)
  for (const child of layer.below) {
    if (child.mode === undefined) spreadMode(child, version)
  }
}

/** Raises the version of the layer and everything below it. */
export function spreadAll<Extras>(layer: Layer<Extras>, version: number): void {
  renew(layer, version)
  for (const child of layer.below) spreadAll(child, version)
}

function renew<Extras>(layer: Layer<Extras>, version: number): void {
  layer.version = version
  layer.visible = undefined
  layer.cachedView = undefined
}

/** True if both layers see the same tools in the same mode. */
export function seesTheSame<Extras>(layer: Layer<Extras>, other: Layer<Extras>, base: ToolMode): boolean {
  const mine = visibleIn(layer)
  const theirs = visibleIn(other)
  if (modeOf(layer, base) !== modeOf(other, base) || mine.size !== theirs.size) return false
  return [...mine].every(([name, tool]) => theirs.get(name) === tool)
}
