/**
 * The layers as found on disk or given in code. A file that is not there is no layer; one that cannot be read is an error, never "no rules".
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PolicyError } from '../../definition/policy-errors.ts'
import { type LayerName, POLICY_LAYERS, type PolicyContent, type PolicySource } from '../../definition/policy-file.ts'
import type { RawLayer } from '../../policy/assemble.ts'

export const POLICY_FILE_NAME = 'toolseam.policy.json'

export const MANAGED_POLICY_FILE = '/etc/toolseam/policy.json'

export interface LayerPlaces {
  root: string
  configDir: string
  managedFile: string
}

/** Given layers replace the files found. `trustedHash`: of the project file that the user has trusted. */
export async function readLayers(
  source: PolicySource | undefined,
  places: LayerPlaces,
  trustedHash: string | undefined,
): Promise<RawLayer[]> {
  const given = givenLayers(source)
  const files: { [layer in LayerName]?: string } = {
    managed: places.managedFile,
    user: join(places.configDir, 'policy.json'),
    project: join(places.root, POLICY_FILE_NAME),
  }
  const layers = await Promise.all(
    POLICY_LAYERS.map(async (name): Promise<RawLayer | undefined> => {
      const content = given[name]
      if (content !== undefined) return givenLayer(name, content)
      const file = files[name]
      const layer = file === undefined ? undefined : await readLayerFile(name, file)
      if (layer === undefined || name !== 'project') return layer
      return { ...layer, found: true, trusted: layer.hash === trustedHash }
    }),
  )
  return layers.filter((layer) => layer !== undefined)
}

/** Undefined where the file is not there. */
export async function readLayerFile(name: LayerName, file: string): Promise<RawLayer | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    return { name, text, file, hash: hashText(text), found: false, trusted: true }
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unreadable(file, String(code))
  }
}

/** A text that starts with a brace is content, any other a path. */
async function givenLayer(name: LayerName, content: PolicyContent): Promise<RawLayer> {
  if (typeof content === 'string' && !content.trimStart().startsWith('{')) {
    const layer = await readLayerFile(name, content)
    if (layer === undefined) throw unreadable(content, 'there is no such file')
    return layer
  }
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
  return { name, text, hash: hashText(text), found: false, trusted: true }
}

function givenLayers(source: PolicySource | undefined): { [layer in LayerName]?: PolicyContent } {
  if (source === undefined) return {}
  return typeof source === 'string' || !isByLayer(source) ? { session: source as PolicyContent } : source
}

function isByLayer(source: Exclude<PolicySource, string>): source is { [layer in LayerName]?: PolicyContent } {
  return Object.keys(source).every((key) => (POLICY_LAYERS as readonly string[]).includes(key))
}

function hashText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function unreadable(file: string, why: string): PolicyError {
  return new PolicyError([{ code: 'POLICY_SYNTAX', file, line: 1, column: 1, pointer: '', message: `the file cannot be read: ${why}` }])
}
