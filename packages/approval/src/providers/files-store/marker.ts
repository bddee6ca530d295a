/**
 * The folder of a store: made 0700 on first use, with a marker that pins its kind and gives it an identity, so that two processes never
 * look at different truths. Opening proves what the store needs: a writable file system with hard links.
 */
import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { ApprovalError } from '../../definition/errors.ts'
import { isFields } from '../../record/shape.ts'
import { ensureFolder, ensureFolders, publish, readText } from './safe-files.ts'

const MARKER = 'store.json'
const STATE_FOLDER = '.toolseam'

/** Makes or checks the folder and gives its identity. Throws `APPROVAL_STORE_KIND`, `APPROVAL_STORE_UNSAFE`, `APPROVAL_STORE_FAILED`. */
export async function openFolder(path: string): Promise<string> {
  await makeParent(dirname(path))
  await ensureFolder(path)
  const identity = readMarker(path) ?? (await makeMarker(path))
  await ensureFolder(join(path, 'asks'))
  await ensureFolder(join(path, '.drafts'))
  return identity
}

async function makeParent(parent: string): Promise<void> {
  if (basename(parent) !== STATE_FOLDER) {
    ensureFolders(parent)
    return
  }
  ensureFolders(dirname(parent))
  const { created } = await ensureFolder(parent)
  // State of this machine and user: never committed with the project.
  if (created) await publish('*\n', join(parent, '.gitignore'), parent)
}

function readMarker(path: string): string | undefined {
  const text = readText(join(path, MARKER))
  if (text === undefined) return undefined
  const marker = parse(text)
  if (!isFields(marker) || marker['kind'] !== 'files' || marker['v'] !== 1 || typeof marker['id'] !== 'string') {
    const kind = isFields(marker) && typeof marker['kind'] === 'string' ? marker['kind'] : 'unknown'
    throw new ApprovalError('APPROVAL_STORE_KIND', { path, kind, expected: 'files' })
  }
  return marker['id']
}

async function makeMarker(path: string): Promise<string> {
  await ensureFolder(join(path, '.drafts'))
  const marker = { kind: 'files', v: 1, id: randomBytes(12).toString('hex') }
  await publish(JSON.stringify(marker), join(path, MARKER), join(path, '.drafts'))
  // Another process may have been first.
  const identity = readMarker(path)
  if (identity === undefined) throw new ApprovalError('APPROVAL_STORE_FAILED', { operation: 'make marker', path })
  return identity
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
