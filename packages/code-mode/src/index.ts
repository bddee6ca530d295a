/**
 * @toolseam/code-mode: `run_code`, one program instead of many calls, each of which is still guarded.
 */

// the plugin
export { codeMode, codeMode as plugin } from './plugin.ts'
export type { CodeModeOptions } from './plugin.ts'

// the services
export { CodeRuntime } from './definition/code-runtime.ts'
export type {
  CodeCall,
  CodeCallAnswer,
  CodeIsolation,
  CodeLogs,
  CodeRunRequest,
  CodeRunResult,
  CodeUsage,
  PreparedProgram,
} from './definition/code-runtime.ts'
export { CodeCatalogue } from './definition/catalogue.ts'
export type { CatalogueHit, CataloguePage, CatalogueQuery } from './definition/catalogue.ts'

// limits and errors
export { resolveLimits } from './definition/limits.ts'
export type { CodeLimits } from './definition/limits.ts'
export { CodeModeError, codeOfKind } from './definition/errors.ts'
export type { CodeError, CodeErrorKind } from './definition/errors.ts'

// for hosts that run programs without the tool
export { prepareProgram } from './prepare/prepare.ts'
export type { PreparedOrNot } from './prepare/prepare.ts'
export { renderSdk } from './sdk/render-sdk.ts'
export type { SdkTool } from './sdk/render-sdk.ts'
export { createQuickjsRuntime } from './providers/quickjs/quickjs.ts'
export type { QuickjsOptions } from './providers/quickjs/quickjs.ts'
export { createQuickjsProcessRuntime } from './providers/quickjs-process/quickjs-process.ts'
export type { QuickjsProcessOptions } from './providers/quickjs-process/quickjs-process.ts'
