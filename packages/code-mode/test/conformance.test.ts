/** The contract suite on every provider. */
import { createQuickjsProcessRuntime, createQuickjsRuntime } from '../src/index.ts'
import { createInlineRuntime, runCodeRuntimeConformance } from '../src/testing.ts'

runCodeRuntimeConformance('inline', { create: () => createInlineRuntime({ trustedCodeOnly: true }) })
runCodeRuntimeConformance('quickjs', { create: () => createQuickjsRuntime({ workers: 2 }) })
runCodeRuntimeConformance('quickjs-process', { create: () => createQuickjsProcessRuntime({ processes: 2 }) })
