import { defineConfig } from 'vitest/config'
import { onBusyMachines } from '../vitest.shared.ts'

export default defineConfig({
  test: { name: 'scripts', include: ['test/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000, ...onBusyMachines },
})
