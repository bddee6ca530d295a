/**
 * What every package's vitest.config.ts shares: our packages are read from source, so no build is needed to test.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const root = import.meta.dirname

/** One alias per public entry point of each package, to its source file. */
export function sourceAliases(): { find: RegExp; replacement: string }[] {
  const packages = join(root, 'packages')
  return readdirSync(packages).flatMap((folder) => {
    const manifest = join(packages, folder, 'package.json')
    if (!existsSync(manifest)) return []
    const { name, exports } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      name: string
      exports: Record<string, { default: string } | string>
    }
    return Object.entries(exports).flatMap(([subpath, target]) => {
      if (typeof target === 'string') return []
      const file = target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')
      return [{ find: new RegExp(`^${name}${subpath.slice(1)}$`), replacement: join(packages, folder, file) }]
    })
  })
}

/**
 * In CI a test may fail once: many of ours watch real processes and files race, on whatever machine there is. A second failure counts,
 * and locally every failure does.
 */
export const onBusyMachines: { retry: number } = { retry: process.env['CI'] === undefined ? 0 : 1 }

export function packageTests(name: string, test: ViteUserConfig['test'] = {}): ViteUserConfig {
  return defineConfig({
    resolve: { alias: sourceAliases() },
    test: {
      name,
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      testTimeout: 30_000,
      hookTimeout: 30_000,
      ...onBusyMachines,
      ...test,
    },
  })
}
