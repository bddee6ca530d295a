/**
 * Sees what other processes write: looks at the folder of asks every 200 ms while somebody watches. What can no longer change is looked at
 * once. One poller serves all watches of a store.
 */
import { stat } from 'node:fs/promises'
import { isTerminal } from '../../record/moves.ts'
import type { StoreChange } from '../../definition/store.ts'
import type { ApprovalRecord } from '../../definition/record.ts'
import type { Feed } from '../../record/change-feed.ts'
import { fileOf, type Chain } from './chain.ts'

/** A change of another process is seen within a second, also on a busy machine. */
const POLL_MS = 200

interface PollerParts {
  ids(): Promise<string[]>
  read(id: string): Promise<Chain>
  folderOf(id: string): string
}

export interface Poller {
  add(feed: Feed<StoreChange>, after: string | undefined): void
  remove(feed: Feed<StoreChange>): void
  /** A change of this process: told at once. */
  tell(record: ApprovalRecord): void
  stop(): void
}

/** File times lag behind the clock by a tick of the kernel, and by more on a network file system. */
const CLOCK_SLACK_MS = 2000

/** What one watch was told last about each ask. */
interface Watch {
  told: Map<string, string>
  /** Undefined once the first look is over. */
  since?: number
}

export function createPoller(parts: PollerParts): Poller {
  const watches = new Map<Feed<StoreChange>, Watch>()
  let timer: NodeJS.Timeout | undefined
  let looking = false

  return {
    add(feed, after) {
      watches.set(feed, { told: new Map(), since: after === undefined ? Infinity : Date.parse(after) })
      void look()
    },
    remove(feed) {
      watches.delete(feed)
      if (watches.size === 0) pause()
    },
    tell(record) {
      for (const [feed, watch] of watches) tellOne(feed, watch, { id: record.id, revision: record.revision })
    },
    stop() {
      for (const feed of watches.keys()) feed.end()
    },
  }

  function pause(): void {
    clearTimeout(timer)
    timer = undefined
  }

  async function look(): Promise<void> {
    // A look in progress began before this watch was there; the next one serves it.
    if (looking) return
    pause()
    looking = true
    const served = [...watches]
    try {
      for (const id of await parts.ids()) await lookAt(id, served)
      for (const [, watch] of served) delete watch.since
    } catch (error) {
      for (const [feed] of served) feed.fail(error)
    } finally {
      looking = false
    }
    if (watches.size > 0) timer = setTimeout(() => void look(), served.length < watches.size ? 0 : POLL_MS)
  }

  async function lookAt(id: string, served: readonly [Feed<StoreChange>, Watch][]): Promise<void> {
    const chain = await parts.read(id).catch((): Chain => ({ last: 0, forged: 0, unreadable: true }))
    const revision = chain.record?.revision ?? 0
    for (const [feed, watch] of served) {
      if (chain.unreadable || chain.forged > 0) tellProblem(feed, watch, id, revision, chain)
      if (chain.record === undefined || chain.unreadable) continue
      if (watch.since !== undefined && isTerminal(chain.record.state) && !(await isSince(id, chain, watch.since)))
        watch.told.set(id, String(revision))
      else tellOne(feed, watch, { id, revision })
    }
  }

  async function isSince(id: string, chain: Chain, since: number): Promise<boolean> {
    if (since === Infinity) return false
    const file = await stat(fileOf(parts.folderOf(id), chain.last)).catch(() => undefined)
    return file === undefined || file.mtimeMs >= since - CLOCK_SLACK_MS
  }
}

function tellOne(feed: Feed<StoreChange>, watch: Watch, change: StoreChange): void {
  const before = Number(watch.told.get(change.id) ?? 0)
  if (before >= change.revision) return
  watch.told.set(change.id, String(change.revision))
  feed.push(change)
}

function tellProblem(feed: Feed<StoreChange>, watch: Watch, id: string, revision: number, chain: Chain): void {
  const problem = chain.unreadable ? 'unreadable' : 'forged'
  const mark = `${problem} ${chain.last}`
  if (watch.told.get(`${id} problem`) === mark) return
  watch.told.set(`${id} problem`, mark)
  feed.push({ id, revision, problem })
}
