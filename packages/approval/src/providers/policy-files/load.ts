/**
 * Finds and loads the policy of a root: managed, user, project and session layer, the trust of the project file, the paths of this host.
 */
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import type { PathResolver } from '../../definition/paths.ts'
import type { PolicyPreset, PolicySource } from '../../definition/policy-file.ts'
import type { PolicyRuntime, RulePolicy } from '../../definition/policy.ts'
import { createPolicy } from '../../policy/create-policy.ts'
import { localPaths } from '../paths/resolver.ts'
import { configFolder } from './config-folder.ts'
import { MANAGED_POLICY_FILE, readLayers } from './read-layers.ts'
import { trustOf } from './trust.ts'

export interface LoadPolicyOptions {
  root: string
  /** The option `--preset`. */
  preset?: PolicyPreset
  /** More folders that count as inside. */
  roots?: readonly string[]
  /** Default: `TOOLSEAM_CONFIG_DIR` and so on. */
  configDir?: string
  /** Default `/etc/toolseam/policy.json`. */
  managedFile?: string
  /** Default: the user's home folder. */
  home?: string
  runtime?: PolicyRuntime
  resolver?: PathResolver
  now?(): number
}

/**
 * `source`: a file's content or path (session layer), or content or path by layer; given layers replace the files found.
 * Rejects with `POLICY_INVALID` and every problem of every layer. Tools, examples and tests are checked when the registry is complete:
 * `checkTools`, `runTests`.
 */
export async function loadPolicy(source: PolicySource | undefined, options: LoadPolicyOptions): Promise<RulePolicy> {
  const { configDir = configFolder(), managedFile = MANAGED_POLICY_FILE, home = homedir(), runtime, preset, now } = options
  const root = resolve(options.root)
  const resolver = options.resolver ?? (await localPaths(root))
  const read = async (): Promise<Awaited<ReturnType<typeof readLayers>>> => {
    const trust = await trustOf({ root, configDir })
    return readLayers(source, { root, configDir, managedFile }, trust?.hash)
  }
  return createPolicy({
    layers: await read(),
    reload: read,
    root,
    resolvedRoot: await real(root),
    roots: await Promise.all((options.roots ?? []).map((folder) => real(resolve(root, folder)))),
    resolver,
    ...(isAbsolute(home) ? { home } : {}),
    ...(runtime === undefined ? {} : { runtime }),
    ...(preset === undefined ? {} : { preset }),
    ...(now === undefined ? {} : { now }),
  })
}

async function real(folder: string): Promise<string> {
  try {
    return await realpath(folder)
  } catch {
    return folder
  }
}
