/**
 * toolseam: batteries included. The packages composed into one guarded runtime; the command is `toolseam`.
 */

export { createToolseam } from './compose.ts'
export type { SandboxMode, ToolseamOptions } from './options.ts'

// configuration files, for hosts that read them too
export { readConfig } from './config/file.ts'
export type { PluginEntry, ToolseamConfig } from './config/file.ts'
export { loadPlugins } from './config/plugins.ts'
