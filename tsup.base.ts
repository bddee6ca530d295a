/**
 * One build recipe for every package: ESM for Node 20.19+, one output file an entry, declarations by tsc.
 */
import { defineConfig, type Options } from 'tsup'

export function packageBuild(entry: Record<string, string>, options: Options = {}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry,
    format: 'esm',
    target: 'node20.19',
    platform: 'node',
    dts: false,
    clean: false,
    sourcemap: true,
    splitting: true,
    ...options,
  })
}
