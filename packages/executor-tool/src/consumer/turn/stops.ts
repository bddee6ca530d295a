/**
 * Stops of a driver: recorded first, but never late. Where the journal hangs, the domain is stopped all the same, under the same id, so that
 * whatever comes second is a join without effect (E-17, E-46).
 */
import type { ToolResult } from '@toolseam/core-tools'
import type { HaltReport, ToolExecutionDomain } from '../../definition/domain.ts'
import type { HaltOrder } from '../../definition/vocabulary.ts'

/** How long a stop may wait for its record. */
const RECORD_MS = 100

export interface Stops {
  mint(): string
  /** Carries out a recorded order. */
  execute(order: HaltOrder): void
  /** The report of an order that was posted; carries it out itself where the record does not come. */
  request(order: HaltOrder, options: { posted: Promise<unknown> | undefined; budgetMs?: number }): Promise<HaltReport>
}

export function createStops(domain: ToolExecutionDomain<ToolResult>, onExecuted: (order: HaltOrder) => void): Stops {
  const budgets = new Map<string, number>()
  // Not only counted: a journal that is gone on with holds the ids of an earlier process.
  const session = Date.now().toString(36)
  let minted = 0

  /** From inside a block this answers at acceptance; the same id joins. */
  function stop({ haltId, reason }: HaltOrder): Promise<HaltReport> {
    const budgetMs = budgets.get(haltId)
    budgets.delete(haltId)
    return domain.haltToolDomain(reason, { haltId, ...(budgetMs === undefined ? {} : { budgetMs }) })
  }

  function execute(order: HaltOrder): void {
    void stop(order)
    onExecuted(order)
  }

  return {
    mint() {
      minted += 1
      return `stop-${session}-${minted}`
    },
    execute,
    async request(order, { posted, budgetMs }) {
      if (budgetMs !== undefined) budgets.set(order.haltId, budgetMs)
      if (posted !== undefined) await atMost(RECORD_MS, posted)
      execute(order)
      // Asked once more by the one who waits: whether he waits for himself depends on who asks.
      return stop(order)
    },
  }
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const overdue = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  // Recorded or not: it is stopped all the same.
  await Promise.race([work.then(undefined, () => {}), overdue])
  clearTimeout(timer)
}
