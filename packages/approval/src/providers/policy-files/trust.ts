/**
 * Which project files the user has trusted: root and content hash, in `trust.json` of the user's configuration folder. A changed file is
 * untrusted again.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLayerFile } from './read-layers.ts'

export interface TrustEntry {
  hash: string
  /** RFC 3339. */
  at: string
}

interface TrustFile {
  version: 1
  roots: { [root: string]: TrustEntry }
}

export interface TrustOptions {
  root: string
  configDir: string
}

/** The trust recorded for a root; undefined where there is none, or the record cannot be read. */
export async function trustOf({ root, configDir }: TrustOptions): Promise<TrustEntry | undefined> {
  const { roots } = await readTrust(configDir)
  const key = await realRoot(root)
  return Object.hasOwn(roots, key) ? roots[key] : undefined
}

/** Trusts the project file as it is now; gives undefined where there is none. */
export async function trustProject(options: TrustOptions): Promise<{ file: string; hash: string } | undefined> {
  const layer = await readLayerFile('project', join(options.root, 'toolseam.policy.json'))
  if (layer?.file === undefined) return undefined
  await changeTrust(options, { hash: layer.hash, at: new Date().toISOString() })
  return { file: layer.file, hash: layer.hash }
}

/** Takes the trust back. */
export async function distrustProject(options: TrustOptions): Promise<void> {
  await changeTrust(options, undefined)
}

async function changeTrust({ root, configDir }: TrustOptions, entry: TrustEntry | undefined): Promise<void> {
  const trust = await readTrust(configDir)
  const key = await realRoot(root)
  const others = Object.entries(trust.roots).filter(([known]) => known !== key)
  const roots = Object.fromEntries(entry === undefined ? others : [...others, [key, entry]])
  await mkdir(configDir, { recursive: true, mode: 0o700 })
  const draft = join(configDir, `.trust.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await writeFile(draft, `${JSON.stringify({ version: 1, roots } satisfies TrustFile, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(draft, join(configDir, 'trust.json'))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** What cannot be read trusts nothing. */
async function readTrust(configDir: string): Promise<TrustFile> {
  try {
    const value: unknown = JSON.parse(await readFile(join(configDir, 'trust.json'), 'utf8'))
    if (isTrustFile(value)) return value
  } catch {
    // Absent, unreadable or not JSON.
  }
  return { version: 1, roots: {} }
}

function isTrustFile(value: unknown): value is TrustFile {
  if (typeof value !== 'object' || value === null) return false
  const { version, roots } = value as { version?: unknown; roots?: unknown }
  if (version !== 1 || typeof roots !== 'object' || roots === null) return false
  return Object.values(roots).every((entry: unknown) => typeof (entry as TrustEntry | null)?.hash === 'string')
}

async function realRoot(root: string): Promise<string> {
  try {
    return await realpath(root)
  } catch {
    return root
  }
}
