/** The contract suite on every provider. */
import { expect, test } from 'vitest'
import { createQuickjsProcessRuntime, createQuickjsRuntime } from '../src/index.ts'
import { createInlineRuntime, runCodeRuntimeConformance } from '../src/testing.ts'

runCodeRuntimeConformance('inline', { create: () => createInlineRuntime({ trustedCodeOnly: true }) })
runCodeRuntimeConformance('quickjs', { create: () => createQuickjsRuntime({ workers: 2 }) })
runCodeRuntimeConformance('quickjs-process', { create: () => createQuickjsProcessRuntime({ processes: 2 }) })

test('C-8, C-18: isolation is honest: what is not built is not claimed', async () => {
  const engines = [createInlineRuntime({ trustedCodeOnly: true }), createQuickjsRuntime(), createQuickjsProcessRuntime()]
  expect(engines.map(({ id, isolation }) => [id, isolation])).toEqual([
    ['inline', { boundary: 'none', preemptible: false, memory: 'none', snapshot: false }],
    ['quickjs', { boundary: 'wasm', preemptible: true, memory: 'hard', snapshot: false }],
    ['quickjs-process', { boundary: 'process', preemptible: true, memory: 'hard', snapshot: false }],
  ])
  await Promise.all(engines.map((engine) => engine.dispose()))
})
