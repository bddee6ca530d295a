/**
 * Plugins: checked and ordered before any is applied (P-80), applied one by one, each owning what it registers (P-81).
 */
import { ErrorCode, errorCode, ToolSeamError } from '../contracts/errors.ts'
import type { AsyncDisposer, ToolPlugin, ToolRuntime } from '../contracts/runtime.ts'
import type { ServiceToken } from '../contracts/services.ts'
import { createAsyncDisposer, createOwnership, disposeBackwards, type Ownership } from './ownership.ts'
import { ownedRuntime } from './owned-runtime.ts'
import { readPlugin, refusePlugin, type ReadPlugin } from './read-plugin.ts'
import { serviceMissing } from './services.ts'

/**
 * The plugins in the order to apply them: a provider before its users, otherwise as given. `provided` tells what is there already,
 * `taken` which names are. Throws, naming plugins and service, for a missing service, a cycle, a name or service given twice.
 */
export function orderPlugins(
  plugins: readonly ToolPlugin[],
  provided: (token: ServiceToken) => boolean,
  options: { taken?: (name: string) => boolean } = {},
): ToolPlugin[] {
  const read = plugins.map(readPlugin)
  checkNames(read, options.taken ?? (() => false))
  const providers = providersById(read)
  for (const plugin of read) {
    for (const token of plugin.requires) {
      if (!providers.has(token.id) && !provided(token)) throw serviceMissing(token, `plugin "${plugin.name}"`)
    }
  }
  return inOrder(read, providers).map(({ plugin }) => plugin)
}

function checkNames(plugins: readonly ReadPlugin[], taken: (name: string) => boolean): void {
  const names = new Set<string>()
  for (const { name } of plugins) {
    if (names.has(name) || taken(name)) throw refusePlugin(name, 'a plugin of this name is there already')
    names.add(name)
  }
}

function providersById(plugins: readonly ReadPlugin[]): ReadonlyMap<string, ReadPlugin> {
  const providers = new Map<string, ReadPlugin>()
  for (const plugin of plugins) {
    for (const { id } of plugin.provides) {
      const other = providers.get(id)
      if (other !== undefined && other !== plugin)
        throw refusePlugin(plugin.name, `provides the service "${id}", and so does plugin "${other.name}"`)
      providers.set(id, plugin)
    }
  }
  return providers
}

function inOrder(plugins: readonly ReadPlugin[], providers: ReadonlyMap<string, ReadPlugin>): ReadPlugin[] {
  const placed = new Set<ReadPlugin>()
  const waiting = [...plugins]
  const isReady = ({ requires }: ReadPlugin): boolean =>
    requires.every(({ id }) => {
      const provider = providers.get(id)
      return provider === undefined || placed.has(provider)
    })
  while (waiting.length > 0) {
    const index = waiting.findIndex(isReady)
    const [next] = index === -1 ? [] : waiting.splice(index, 1)
    if (next === undefined) throw cycleAmong(waiting, providers)
    placed.add(next)
  }
  return [...placed]
}

/** Follows needs from the first that waits until a plugin comes round again. */
function cycleAmong(waiting: readonly ReadPlugin[], providers: ReadonlyMap<string, ReadPlugin>): ToolSeamError {
  const path: ReadPlugin[] = []
  const needs: string[] = []
  let at = waiting[0]
  while (at !== undefined && !path.includes(at)) {
    path.push(at)
    const unmet = at.requires.find(({ id }) => waiting.some((plugin) => providers.get(id) === plugin))
    if (unmet === undefined) break
    needs.push(unmet.id)
    at = providers.get(unmet.id)
  }
  const start = at === undefined ? 0 : path.indexOf(at)
  const steps = path.slice(start).map(({ name }, index) => `"${name}" needs "${needs[start + index] ?? ''}"`)
  const names = path.slice(start).map(({ name }) => name)
  return new ToolSeamError(ErrorCode.INVALID_PLUGIN, `plugins need each other in a cycle: ${steps.join(', ')} of "${at?.name ?? ''}"`, {
    details: { plugins: names, services: needs.slice(start) },
  })
}

/**
 * Applies one plugin. If it fails, or keeps not to what it said it provides, all of it is taken back and the error names it and its cause.
 * The disposer runs the plugin's own, then takes back its contributions, last first.
 */
export async function applyPlugin(plugin: ToolPlugin, runtime: ToolRuntime): Promise<AsyncDisposer> {
  const read = readPlugin(plugin)
  const ownership = createOwnership(`plugin "${read.name}"`)
  let ownDisposer: (() => void | Promise<void>) | undefined
  try {
    ownDisposer = checkDisposer(read, await read.apply(ownedRuntime(runtime, ownership)))
    checkProvides(read, runtime)
  } catch (thrown) {
    throw await rollBack(read, { ownership, ownDisposer, thrown })
  }
  return createAsyncDisposer(() => takeOut(ownership, ownDisposer))
}

function checkDisposer({ name }: ReadPlugin, returned: unknown): (() => void | Promise<void>) | undefined {
  if (returned === undefined) return undefined
  if (typeof returned === 'function') return () => returned() as void | Promise<void>
  throw refusePlugin(name, 'apply must return nothing or a disposer')
}

function checkProvides({ name, provides }: ReadPlugin, { services }: ToolRuntime): void {
  const missing = provides.find((token) => !services.has(token))
  if (missing !== undefined) throw refusePlugin(name, `says that it provides the service "${missing.id}" and has not`)
}

function takeOut(ownership: Ownership, ownDisposer: (() => void | Promise<void>) | undefined): Promise<void> {
  const contributions = (): Promise<void> => ownership.disposeAll()
  return disposeBackwards(ownDisposer === undefined ? [contributions] : [contributions, ownDisposer], ownership.owner)
}

interface Failure {
  readonly ownership: Ownership
  readonly ownDisposer: (() => void | Promise<void>) | undefined
  readonly thrown: unknown
}

async function rollBack({ name }: ReadPlugin, { ownership, ownDisposer, thrown }: Failure): Promise<ToolSeamError> {
  const remains = await takeOut(ownership, ownDisposer).then(
    () => undefined,
    (failure: unknown) => failure,
  )
  const code = errorCode(thrown)
  const trouble = remains === undefined ? '' : `; taking it back failed too: ${text(remains)}`
  return new ToolSeamError(ErrorCode.INVALID_PLUGIN, `plugin "${name}" failed: ${text(thrown)}${trouble}`, {
    details: { plugin: name, ...(code === undefined ? {} : { code }) },
    cause: thrown,
  })
}

function text(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'something was thrown that cannot be shown'
  }
}
