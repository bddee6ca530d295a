/**
 * Plugins by package name: found from the folder of the configuration file, so that what is installed beside it is what is loaded.
 */
import { pathToFileURL } from 'node:url'
import { dirname } from 'node:path'
import type { JsonValue, ToolPlugin } from '@toolseam/core-tools'
import { ToolSeamError } from '@toolseam/core-tools'
import { resolve as resolveModule } from 'import-meta-resolve'
import type { PluginEntry, ToolseamConfig } from './file.ts'

/** Loads every plugin that the configuration names. Throws `TOOLSEAM_PLUGIN_FAILED` naming plugin, file and fault. */
export async function loadPlugins({ file, plugins }: Pick<ToolseamConfig, 'file' | 'plugins'>): Promise<ToolPlugin[]> {
  const loaded: ToolPlugin[] = []
  for (const entry of plugins) loaded.push(await loadPlugin(file, entry))
  return loaded
}

async function loadPlugin(file: string, { name, options }: PluginEntry): Promise<ToolPlugin> {
  const failed = (fault: string, cause?: unknown): ToolSeamError => {
    const more = { details: { plugin: name, file }, ...(cause !== undefined && { cause }) }
    return new ToolSeamError('TOOLSEAM_PLUGIN_FAILED', `${file}: plugin "${name}" ${fault}`, more)
  }
  const url = locate(file, { name, failed })
  const module = await importing(url, failed)
  const { plugin } = module
  if (typeof plugin === 'function') return checked(await calling(plugin as PluginFactory, { options, failed }), failed)
  if (plugin === undefined) throw failed(`has no export named "plugin" (it exports ${Object.keys(module).join(', ') || 'nothing'})`)
  if (options !== undefined) throw failed('takes no options: its "plugin" is not a function')
  return checked(plugin, failed)
}

type Failed = (fault: string, cause?: unknown) => ToolSeamError
type PluginFactory = (options: JsonValue | undefined) => unknown

function locate(file: string, { name, failed }: { name: string; failed: Failed }): string {
  try {
    return resolveModule(name, pathToFileURL(file).href)
  } catch (error) {
    throw failed(`cannot be found from ${dirname(file)}: is it installed there?`, error)
  }
}

async function importing(url: string, failed: Failed): Promise<Record<string, unknown>> {
  try {
    return (await import(url)) as Record<string, unknown>
  } catch (error) {
    throw failed(`failed while loading: ${describe(error)}`, error)
  }
}

async function calling(factory: PluginFactory, { options, failed }: { options: JsonValue | undefined; failed: Failed }): Promise<unknown> {
  try {
    return await factory(options)
  } catch (error) {
    throw failed(`refused its options: ${describe(error)}`, error)
  }
}

/** By shape, never by class: the plugin may come with its own copy of core-tools. */
function checked(value: unknown, failed: Failed): ToolPlugin {
  if (typeof value !== 'object' || value === null) throw failed('is not a plugin: an object with "name" and "apply" is expected')
  const { name, apply } = value as Partial<ToolPlugin>
  if (typeof name !== 'string' || name === '') throw failed('is not a plugin: its "name" is not a non-empty string')
  if (typeof apply !== 'function') throw failed('is not a plugin: its "apply" is not a function')
  return value as ToolPlugin
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
