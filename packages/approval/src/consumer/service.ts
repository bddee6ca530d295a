/**
 * The approval service: asks, decisions from anywhere, looking on, grants and resuming, over one store.
 */
import { createDisposer, errorCode, type Disposer } from '@toolseam/core-tools'
import type { Answerer } from '../definition/answerer.ts'
import type { Approval, ApprovalEvent } from '../definition/approval.ts'
import { ApprovalError } from '../definition/errors.ts'
import type { ApprovalFilter, ApprovalRecord, Grant } from '../definition/record.ts'
import { createFeed, type Feed } from '../record/change-feed.ts'
import { matchesFilter } from '../record/filter.ts'
import { maskRecord } from '../record/mask.ts'
import { ask, pendingForm } from './ask.ts'
import { keepClaims, type ClaimKeeper } from './claims.ts'
import { identityOf, parseDecision, sealDecision } from './decision.ts'
import { createGatherer } from './gather.ts'
import type { ApprovalParts } from './parts.ts'
import { adoptResumed, resume } from './resume.ts'
import { createHub } from './watch-hub.ts'

export type ServiceOptions = Pick<ApprovalParts, 'runtime' | 'store' | 'policy' | 'seal' | 'session' | 'worker' | 'asks'> & {
  answerers: readonly Answerer[]
}

export interface ApprovalService extends Approval {
  readonly claims: ClaimKeeper
  /** Ends open asks as cancelled, waits until every mark is durable. */
  close(): Promise<void>
}

export function createApprovalService(options: ServiceOptions): ApprovalService {
  const closing = new AbortController()
  const events = new Set<Feed<ApprovalEvent>>()
  const open = new Set<Promise<unknown>>()
  const { store, runtime } = options
  const claims = keepClaims({ store, logger: runtime.logger, adopt: (execution) => adoptResumed(parts, execution) })
  const parts: ApprovalParts = {
    ...options,
    answerers: { list: [...options.answerers] },
    gatherer: createGatherer(() => crypto.randomUUID()),
    hub: createHub({ store, logger: runtime.logger, closing: closing.signal }),
    claims,
    resumed: new Map(),
    closing: closing.signal,
    tell(event) {
      if (event.kind !== 'current' && event.kind !== 'changed') runtime.logger.warn(`approval: ${event.kind}`, event)
      for (const feed of events) feed.push(event)
    },
  }

  return {
    claims,
    ask: async (request) => tracked(ask(parts, request)),
    async askAll(requests) {
      const batch = `all ${crypto.randomUUID()}`
      return Promise.all(requests.map(async (request) => tracked(ask(parts, request, batch))))
    },
    async decide(id, said, { by, expectedRevision }) {
      const record = await requireRecord(parts, id)
      const decision = parseDecision(said)
      if (decision === undefined) throw new ApprovalError('APPROVAL_INVALID_DECISION', { id })
      if (record.state !== 'pending')
        throw new ApprovalError('APPROVAL_ALREADY_DECIDED', { id, state: record.state, revision: record.revision })
      const revision = expectedRevision ?? record.revision
      if (revision !== record.revision)
        throw new ApprovalError('APPROVAL_STALE_REVISION', { id, expected: revision, actual: record.revision })
      return maskRecord(await store.decide(id, { expectedRevision: revision, ...(await sealDecision(parts, record, { decision, by })) }))
    },
    async list(filter) {
      // The state that is shown is the one to filter by: a forged decision reads as pending.
      const { state, ...rest } = filter ?? {}
      const shown = await Promise.all((await store.list(rest)).map(async (record) => present(parts, record)))
      return shown.filter((record) => matchesFilter(record, filter))
    },
    async get(id) {
      const record = await store.get(id)
      return record === undefined ? undefined : present(parts, record)
    },
    watch: (filter, watching) => watch(parts, events, { filter, signal: watching?.signal }),
    async grants(filter) {
      const all = await store.grants(filter)
      const fits = await Promise.all(all.map(async (grant) => fitsStore(parts, grant)))
      return all.filter((_, index) => fits[index])
    },
    revoke: async (grantId, change) => store.revoke(grantId, change),
    resume: (resuming) => resume(parts, resuming),
    addAnswerer: (answerer) => addAnswerer(parts, answerer),
    async close() {
      closing.abort(new ApprovalError('APPROVAL_CLOSED'))
      await Promise.allSettled(open)
      await claims.drain()
      for (const feed of events) feed.end()
    },
  }

  async function tracked<T>(asking: Promise<T>): Promise<T> {
    open.add(asking)
    try {
      return await asking
    } finally {
      open.delete(asking)
    }
  }
}

async function requireRecord(parts: ApprovalParts, id: string): Promise<ApprovalRecord> {
  const record = await parts.store.get(id)
  if (record === undefined) throw new ApprovalError('APPROVAL_NOT_FOUND', { id })
  return record.decision === undefined || (await parts.seal.fits(record)) ? record : pendingForm(record)
}

/** As shown to people. */
async function present(parts: ApprovalParts, record: ApprovalRecord): Promise<ApprovalRecord> {
  const trusted = record.decision === undefined || (await parts.seal.fits(record))
  return maskRecord(trusted ? record : pendingForm(record))
}

async function fitsStore(parts: ApprovalParts, grant: Grant): Promise<boolean> {
  return parts.seal.grantFits(grant, identityOf(parts))
}

function addAnswerer(parts: ApprovalParts, answerer: Answerer): Disposer {
  parts.answerers.list = [answerer, ...parts.answerers.list]
  return createDisposer(() => {
    // One registration of it, should the same answerer be there twice.
    const index = parts.answerers.list.indexOf(answerer)
    parts.answerers.list = parts.answerers.list.filter((_, place) => place !== index)
  })
}

/** Current state first, then changes of the store and what this runtime has to tell beside them. */
async function* watch(
  parts: ApprovalParts,
  events: Set<Feed<ApprovalEvent>>,
  { filter, signal }: { filter: ApprovalFilter | undefined; signal: AbortSignal | undefined },
): AsyncGenerator<ApprovalEvent> {
  const stop = new AbortController()
  const over = AbortSignal.any([stop.signal, parts.closing, ...(signal === undefined ? [] : [signal])])
  const feed: Feed<ApprovalEvent> = createFeed<ApprovalEvent>(over, () => events.delete(feed))
  events.add(feed)
  const told = new Map<string, number>()
  try {
    const changes = parts.store.watch({ signal: over })
    for (const record of await parts.store.list()) {
      if (!matchesFilter(record, filter)) continue
      told.set(record.id, record.revision)
      yield { kind: 'current', id: record.id, revision: record.revision, record: await present(parts, record) }
    }
    void forward().then(feed.end, feed.fail)
    yield* feed.values

    async function forward(): Promise<void> {
      for await (const { id, revision, problem } of changes) {
        if (problem !== undefined) feed.push({ kind: problem, id, revision })
        if (problem === 'unreadable' || (told.get(id) ?? 0) >= revision) continue
        const record = await read(parts, id)
        if (record === undefined || !matchesFilter(record, filter)) continue
        told.set(id, record.revision)
        feed.push({ kind: 'changed', id, revision: record.revision, record: await present(parts, record) })
      }
    }
  } finally {
    stop.abort()
  }
}

/** A record that cannot be read is told as a problem, not as a change. */
async function read(parts: ApprovalParts, id: string): Promise<ApprovalRecord | undefined> {
  try {
    return await parts.store.get(id)
  } catch (error) {
    if (errorCode(error) === 'APPROVAL_RECORD_UNREADABLE') return undefined
    throw error
  }
}
