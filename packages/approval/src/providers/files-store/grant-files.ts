/**
 * Grants on files. A grant is published before the decision that gives it and is valid only once that decision is durable: a crash between
 * the two leaves a file that means nothing. Grants for the user lie in the user's configuration folder, so that every project sees them;
 * they name the store of their decision, and `confirmed` keeps them valid when that project is gone.
 */
import { dirname, join } from 'node:path'
import type { JsonValue } from '@toolseam/core-tools'
import { ApprovalError } from '../../definition/errors.ts'
import type { ApprovalRecord, Approver, Grant, GrantFilter } from '../../definition/record.ts'
import type { Seal } from '../../definition/seal.ts'
import { byCreation, matchesGrantFilter } from '../../record/filter.ts'
import { ID_PATTERN, recordIdOfGrant } from '../../record/keys.ts'
import { deepFreeze, isApprover, isFields, readGrant } from '../../record/shape.ts'
import { NO_CHAIN, readChain } from './chain.ts'
import { ensureFolder, ensureFolders, namesIn, publish, readText, requireFolder } from './safe-files.ts'

export interface GrantFiles {
  /** Before the decision. */
  prepare(grant: Grant): Promise<void>
  /** After it. */
  confirm(grant: Grant): Promise<void>
  list(filter: GrantFilter | undefined): Promise<Grant[]>
  revoke(id: string, change: { by: Approver; reason?: string }): Promise<Grant>
}

interface GrantParts {
  /** `asks/` and `grants/` of the project. */
  path: string
  /** The user's configuration folder. */
  userPath: string
  identity: string
  seal: Seal | undefined
  /** A record of this store. */
  read(id: string): Promise<ApprovalRecord | undefined>
}

const SCRATCH = '.drafts'

export function grantFiles(parts: GrantParts): GrantFiles {
  const own = join(parts.path, 'grants')
  const user = join(parts.userPath, 'grants')
  /** Grants never change; only whether they are confirmed and revoked is looked up again. */
  const known = new Map<string, { grant: Grant; origin: string }>()
  const confirmed = new Set<string>()

  const baseOf = (grant: Grant): string => (grant.scope === 'user' ? user : own)

  return {
    async prepare(grant) {
      const base = baseOf(grant)
      await ensureBase(base)
      await ensureFolder(join(base, grant.id))
      await publish(JSON.stringify({ v: 1, grant, origin: parts.path }), join(base, grant.id, 'grant.json'), join(base, SCRATCH))
    },
    async confirm(grant) {
      await publish('', join(baseOf(grant), grant.id, 'confirmed'), join(baseOf(grant), SCRATCH))
    },
    async list(filter) {
      const now = Date.now()
      const found = await Promise.all([own, user].map(listIn))
      return found
        .flat()
        .filter((grant) => matchesGrantFilter(grant, now, filter))
        .toSorted(byCreation)
    },
    async revoke(id, change) {
      if (!ID_PATTERN.test(id)) throw new ApprovalError('APPROVAL_NOT_FOUND', { id })
      for (const base of [own, user]) {
        const grant = await readIn(base, id)
        if (grant === undefined) continue
        const entry = {
          revokedAt: new Date().toISOString(),
          revokedBy: change.by,
          ...(change.reason === undefined ? {} : { revokedReason: change.reason }),
        }
        await publish(JSON.stringify(entry), join(base, id, 'revoked.json'), join(base, SCRATCH))
        return (await readIn(base, id)) ?? grant
      }
      throw new ApprovalError('APPROVAL_NOT_FOUND', { id })
    },
  }

  async function ensureBase(base: string): Promise<void> {
    ensureFolders(dirname(base))
    await ensureFolder(base)
    await ensureFolder(join(base, SCRATCH))
  }

  async function listIn(base: string): Promise<Grant[]> {
    if (!requireFolder(base)) return []
    const ids = namesIn(base).filter((name) => ID_PATTERN.test(name))
    const grants = await Promise.all(ids.map(async (id) => readIn(base, id)))
    return grants.filter((grant) => grant !== undefined)
  }

  /** Undefined: no grant of this id, or one that nothing vouches for. */
  async function readIn(base: string, id: string): Promise<Grant | undefined> {
    const at = join(base, id)
    let entry = known.get(at)
    if (entry === undefined) {
      entry = await readEntry(base, id)
      if (entry === undefined) return undefined
      known.set(at, entry)
    }
    if (!confirmed.has(at)) {
      if (!(await isGiven(entry, at))) return undefined
      confirmed.add(at)
    }
    const revoked = readText(join(at, 'revoked.json'))
    return revoked === undefined ? entry.grant : deepFreeze({ ...entry.grant, ...revocationOf(revoked) })
  }

  async function readEntry(base: string, id: string): Promise<{ grant: Grant; origin: string } | undefined> {
    if (!requireFolder(join(base, id))) return undefined
    const text = readText(join(base, id, 'grant.json'))
    if (text === undefined) return undefined
    const stored = parse(text)
    if (!isFields(stored) || stored['v'] !== 1 || typeof stored['origin'] !== 'string') return undefined
    const grant = readGrant(stored['grant'])
    if (grant === undefined || grant.id !== id || (grant.scope === 'user') !== (base === user)) return undefined
    if (parts.seal !== undefined && !(await parts.seal.grantFits(grant, parts.identity))) return undefined
    return { grant: deepFreeze(grant), origin: stored['origin'] }
  }

  async function isGiven({ grant, origin }: { grant: Grant; origin: string }, at: string): Promise<boolean> {
    if (readText(join(at, 'confirmed')) !== undefined) return true
    const recordId = recordIdOfGrant(grant.id)
    const record =
      grant.scope !== 'user' || origin === parts.path
        ? await parts.read(recordId)
        : (await readChain(join(origin, 'asks', recordId), undefined, parts.seal).catch(() => NO_CHAIN)).record
    return record?.decision?.outcome === 'approve' && record.decision.grantId === grant.id
  }
}

/** A revocation that cannot be read still revokes. */
function revocationOf(text: string): Pick<Grant, 'revokedAt' | 'revokedBy' | 'revokedReason'> {
  const entry = parse(text)
  const fields = isFields(entry) ? entry : {}
  const { revokedAt, revokedBy, revokedReason } = fields
  return {
    revokedAt: typeof revokedAt === 'string' ? revokedAt : new Date(0).toISOString(),
    ...(isApprover(revokedBy) ? { revokedBy } : {}),
    ...(typeof revokedReason === 'string' ? { revokedReason } : {}),
  }
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
