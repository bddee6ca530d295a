import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['packages/*', 'examples/*', 'scripts'],
    maxWorkers: 2,
    reporters: ['default', './scripts/counts-reporter.mjs'],
  },
})
