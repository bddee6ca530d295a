/**
 * Where the engine lies: in its own package, wherever that was installed, links followed.
 */
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'

const resolve = (specifier: string): string => realpathSync(createRequire(import.meta.url).resolve(specifier))

export function wasmFile(): string {
  return resolve('quickjs-wasi/quickjs.wasm')
}

export function engineFile(): string {
  return resolve('quickjs-wasi')
}
