/**
 * What the tests of the registry share: one without a runtime, and what a refusal said.
 */
import type { ToolMode } from '../src/contracts/registry.ts'
import type { ToolDefinition } from '../src/contracts/tool.ts'
import { createRegistry, type Registry } from '../src/registry/registry.ts'
import { createServices } from '../src/services/services.ts'

export interface RegistryHarness {
  readonly registry: Registry<{ agent: string | undefined }>
  readonly changes: () => number
  readonly services: ReturnType<typeof createServices>
}

export function harness(mode: ToolMode = 'native', onChange: () => void = () => undefined): RegistryHarness {
  let changes = 0
  const services = createServices()
  const registry = createRegistry({
    createExtras: (agent) => ({ agent }),
    services,
    emitChange() {
      changes++
      onChange()
    },
    mode,
  })
  return { registry, changes: () => changes, services }
}

export function tool(name: string, extra: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, description: `does ${name}`, input: { type: 'object' }, execute: () => name, ...extra }
}

export function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (thrown) {
    return (thrown as { code: string }).code
  }
  throw new Error('was not refused')
}

export function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (thrown) {
    return (thrown as Error).message
  }
  throw new Error('was not refused')
}
