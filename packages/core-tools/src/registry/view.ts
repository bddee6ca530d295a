/**
 * The frozen picture of what a layer sees. Made once and kept until something that feeds it changes (P-8).
 */
import type { ToolMode, ToolView } from '../contracts/registry.ts'
import { isCodeEntry } from './code-entries.ts'
import { agentsOf, modeOf, type CachedView, type Layer } from './layer.ts'
import { visibleIn } from './visibility.ts'

export function viewOf<Extras>(layer: Layer<Extras>, base: ToolMode): CachedView {
  layer.cachedView ??= build(layer, base)
  return layer.cachedView
}

function build<Extras>(layer: Layer<Extras>, base: ToolMode): CachedView {
  const visible = visibleIn(layer)
  const mode = modeOf(layer, base)
  // Names are ASCII, so the order of UTF-16 units is that of code points.
  const names = Object.freeze([...visible.keys()].toSorted())
  const presented = Object.freeze(names.filter((name) => isPresented(name, mode)))
  const view: ToolView = Object.freeze({
    version: layer.version,
    agents: agentsOf(layer),
    mode,
    names,
    presented,
    get: (name: string) => visible.get(name)?.definition,
    schema: (name: string) => visible.get(name)?.schemaView,
  })
  const schemas = Object.freeze(
    presented.flatMap((name) => {
      const tool = visible.get(name)
      return tool === undefined ? [] : [tool.schemaView]
    }),
  )
  return { view, schemas }
}

function isPresented(name: string, mode: ToolMode): boolean {
  if (mode === 'both') return true
  return isCodeEntry(name) === (mode === 'code')
}
