/**
 * `openStore`: from a description to a store that is open. The kinds are the stores that exist here; any other is refused by name.
 */
import { join } from 'node:path'
import { ApprovalError } from '../definition/errors.ts'
import type { Seal } from '../definition/seal.ts'
import type { ApprovalStore } from '../definition/store.ts'
import { openFilesStore } from './files-store/files-store.ts'
import { configFolder } from './policy-files/config-folder.ts'
import { createSeal } from './hash/seal.ts'
import { memoryStore } from './memory-store/memory-store.ts'

export type OpenStoreOptions =
  | {
      kind: 'memory'
      /** With it, decisions whose code does not fit are refused. */
      secret?: string
    }
  | {
      kind: 'files'
      /** The folder; in a project `.toolseam/approvals`. */
      path: string
      /** With it, rows whose code does not fit are left alone. */
      secret?: string
    }

/** Where a project keeps its asks. */
export function storeFolder(root: string): string {
  return join(root, '.toolseam', 'approvals')
}

/**
 * Opens a store. Throws `APPROVAL_STORE_DRIVER_MISSING` for a kind that has no driver here, and `APPROVAL_STORE_KIND`, `APPROVAL_STORE_UNSAFE`
 * or `APPROVAL_STORE_FAILED` where the folder cannot be used.
 */
export async function openStore(options: OpenStoreOptions): Promise<ApprovalStore> {
  const { secret } = options
  return openSealed(options, secret === undefined ? undefined : createSeal(async () => secret))
}

/** The same with the seal of a runtime. */
export async function openSealed(options: OpenStoreOptions, seal: Seal | undefined): Promise<ApprovalStore> {
  const sealed = seal === undefined ? {} : { seal }
  if (options.kind === 'memory') return memoryStore(sealed)
  if (options.kind === 'files') return openFilesStore({ path: options.path, userPath: configFolder(), ...sealed })
  throw new ApprovalError('APPROVAL_STORE_DRIVER_MISSING', {
    kind: String((options as { kind: unknown }).kind),
    available: ['memory', 'files'],
  })
}
