/**
 * The store on files, the embedded default: a folder per ask, each revision a new file published by an exclusive hard link, file and folder
 * synced. Ended processes leave nothing locked, and what was acknowledged is on the disk.
 *
 *   approvals/store.json            kind and identity
 *   approvals/asks/ID/N.json        revisions of one ask
 *   approvals/grants/ID/grant.json  grants; `confirmed`, `revoked.json` beside it (for the user: in the configuration folder)
 */
import { basename, dirname, join, resolve } from 'node:path'
import { ApprovalError } from '../../definition/errors.ts'
import type { ApprovalRecord } from '../../definition/record.ts'
import type { Seal } from '../../definition/seal.ts'
import type { ApprovalStore, StoreChange } from '../../definition/store.ts'
import { createFeed, type Feed } from '../../record/change-feed.ts'
import { byCreation, matchesFilter } from '../../record/filter.ts'
import { ID_PATTERN } from '../../record/keys.ts'
import { claimMove, closeMove, decideMove, expireMove, isTerminal, markMove, type Move } from '../../record/moves.ts'
import { deepFreeze } from '../../record/shape.ts'
import { fileOf, NO_CHAIN, readChain, type Chain } from './chain.ts'
import { grantFiles } from './grant-files.ts'
import { openFolder } from './marker.ts'
import { createPoller } from './poller.ts'
import { makeFolder, namesIn, publish, requireFolder, syncFolder } from './safe-files.ts'

export interface FilesStoreOptions {
  /** The folder of the store; in a project `.toolseam/approvals`. */
  path: string
  /** The user's configuration folder, for grants that hold in every project. */
  userPath: string
  /** With it, rows whose codes do not fit are left alone and named by `watch`. */
  seal?: Seal
}

/** Asks read at the same time by `list`. */
const READ_WIDTH = 32
/** Chains kept in memory; the rest is read again. */
const CACHED_CHAINS = 10_000

/** Throws `APPROVAL_STORE_KIND`, `APPROVAL_STORE_UNSAFE` or `APPROVAL_STORE_FAILED` where the folder cannot be used. */
export async function openFilesStore(options: FilesStoreOptions): Promise<ApprovalStore & { readonly identity: string }> {
  const path = resolve(options.path)
  const { seal } = options
  const identity = await openFolder(path)
  const asks = join(path, 'asks')
  const scratch = join(path, '.drafts')
  const chains = new Map<string, Chain>()
  const folderOf = (id: string): string => join(asks, id)
  const poller = createPoller({ ids: askIds, read: chainOf, folderOf })
  const grants = grantFiles({ path, userPath: resolve(options.userPath), identity, seal, read: async (id) => (await chainOf(id)).record })
  let closed = false

  return {
    identity,
    async request(draft) {
      requireOpen()
      requireId(draft.id)
      const there = await requireReadable(draft.id)
      if (there.record !== undefined) return { record: sameAsk(there.record, draft.key), created: false }
      makeFolder(folderOf(draft.id))
      const record = deepFreeze<ApprovalRecord>({ ...structuredClone(draft), revision: 1, state: 'pending' })
      const created = await append(there, record)
      // Also where another process made the folder: it may not have come this far. After the file, when little is left to be written.
      await syncFolder(asks)
      if (created) return { record, created: true }
      const winner = await requireReadable(draft.id)
      if (winner.record === undefined) throw new ApprovalError('APPROVAL_STORE_FAILED', { id: draft.id, operation: 'request' })
      return { record: sameAsk(winner.record, draft.key), created: false }
    },
    async decide(id, change) {
      requireOpen()
      const decision = structuredClone(change.decision)
      const before = await readable(id)
      if (seal !== undefined && !(await seal.fits({ ...before, decision }))) throw new ApprovalError('APPROVAL_FORGED', { id })
      if (change.grant !== undefined && before.state === 'pending') await grants.prepare(change.grant)
      const decided = await apply(id, (record, now) => decideMove(record, now, { ...change, decision }))
      if (change.grant !== undefined) await grants.confirm(change.grant)
      return decided
    },
    close: async (id, change) => apply(id, (record) => closeMove(record, change)),
    claim: async (id, claim) => apply(id, (record, now) => claimMove(record, now, claim)),
    mark: async (id, change) => apply(id, (record, now) => markMove(record, now, change)),
    async get(id) {
      requireOpen()
      return ID_PATTERN.test(id) ? (await requireReadable(id)).record : undefined
    },
    async list(filter) {
      requireOpen()
      return (await readAll(filter?.ids)).filter((record) => matchesFilter(record, filter)).toSorted(byCreation)
    },
    async expire() {
      requireOpen()
      const now = Date.now()
      const over = (await readAll(undefined)).filter((record) => expireMove(record, now) !== undefined)
      const done = await Promise.all(
        over.map(async ({ id }) => apply(id, (record) => expireMove(record, now) ?? { next: [], result: () => false })),
      )
      return over.filter((_, index) => done[index] === true).map(({ id }) => id)
    },
    async grants(filter) {
      requireOpen()
      return grants.list(filter)
    },
    async revoke(id, change) {
      requireOpen()
      return grants.revoke(id, change)
    },
    watch({ signal, after }) {
      requireOpen()
      const feed: Feed<StoreChange> = createFeed<StoreChange>(signal, () => poller.remove(feed))
      poller.add(feed, after)
      return feed.values
    },
    async dispose() {
      closed = true
      poller.stop()
    },
  }

  /** Reads, moves, publishes; where another process published first, reads again. */
  async function apply<T>(id: string, mover: (record: ApprovalRecord, now: number) => Move<T>): Promise<T> {
    requireOpen()
    for (;;) {
      const chain = await requireReadable(id)
      if (chain.record === undefined) throw new ApprovalError('APPROVAL_NOT_FOUND', { id })
      const move = mover(chain.record, Date.now())
      const last = await appendAll(chain, move.next)
      if (last !== undefined) return move.result(last)
    }
  }

  /** The last record, or undefined where the race was lost. */
  async function appendAll(chain: Chain, next: readonly ApprovalRecord[]): Promise<ApprovalRecord | undefined> {
    let current = chain
    for (const record of next) {
      if (!(await append(current, record))) return undefined
      current = chains.get(record.id) ?? (await chainOf(record.id))
    }
    return current.record
  }

  async function append(chain: Chain, record: ApprovalRecord): Promise<boolean> {
    // It may have been replaced since it was opened.
    for (const folder of [...(basename(dirname(path)) === '.toolseam' ? [dirname(path)] : []), path, asks]) requireFolder(folder)
    const number = chain.last + 1
    if (!(await publish(JSON.stringify(record), fileOf(folderOf(record.id), number), scratch))) return false
    remember(record.id, { ...chain, last: number, record: deepFreeze(record) })
    poller.tell(record)
    return true
  }

  async function chainOf(id: string): Promise<Chain> {
    const known = chains.get(id)
    if (known?.record !== undefined && isTerminal(known.record.state)) return known
    const chain = await readChain(folderOf(id), known, seal)
    if (chain !== NO_CHAIN) remember(id, chain)
    return chain
  }

  function remember(id: string, chain: Chain): void {
    const known = chains.get(id)
    // A slower read of fewer files must not take back what is known.
    if (known !== undefined && known.last > chain.last) return
    chains.delete(id)
    chains.set(id, chain)
    if (chains.size <= CACHED_CHAINS) return
    for (const oldest of chains.keys()) {
      chains.delete(oldest)
      return
    }
  }

  async function requireReadable(id: string): Promise<Chain> {
    if (!ID_PATTERN.test(id)) throw new ApprovalError('APPROVAL_NOT_FOUND', { id })
    const chain = await chainOf(id)
    if (chain.unreadable) throw new ApprovalError('APPROVAL_RECORD_UNREADABLE', { id })
    return chain
  }

  async function readable(id: string): Promise<ApprovalRecord> {
    const { record } = await requireReadable(id)
    if (record === undefined) throw new ApprovalError('APPROVAL_NOT_FOUND', { id })
    return record
  }

  async function askIds(): Promise<string[]> {
    return namesIn(asks).filter((name) => ID_PATTERN.test(name))
  }

  /** Unreadable records are left out here; `watch` names them. */
  async function readAll(only: readonly string[] | undefined): Promise<ApprovalRecord[]> {
    const ids = only === undefined ? await askIds() : [...new Set(only)].filter((id) => ID_PATTERN.test(id))
    const found: ApprovalRecord[] = []
    for (let start = 0; start < ids.length; start += READ_WIDTH) {
      const read = await Promise.all(ids.slice(start, start + READ_WIDTH).map(async (id) => chainOf(id)))
      // Others have their turn between two groups.
      await new Promise((resolve) => setImmediate(resolve))
      for (const chain of read) if (chain.record !== undefined && !chain.unreadable) found.push(chain.record)
    }
    return found
  }

  function requireId(id: string): void {
    if (!ID_PATTERN.test(id)) throw new ApprovalError('APPROVAL_STORE_FAILED', { id, why: 'not an id' })
  }

  function requireOpen(): void {
    if (closed) throw new ApprovalError('APPROVAL_CLOSED')
  }
}

function sameAsk(record: ApprovalRecord, key: string): ApprovalRecord {
  if (record.key !== key) throw new ApprovalError('APPROVAL_STORE_FAILED', { id: record.id, why: 'another ask has this id' })
  return record
}
