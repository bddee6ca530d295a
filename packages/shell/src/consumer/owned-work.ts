/**
 * `OwnedWork` of core-tools over the shell (S-42): what a halt of a turn uses. Neither side knows the other's package.
 */
import type { OwnedWork, ReleaseOrder } from '@toolseam/core-tools'
import type { CancelOrder, Shell } from '../definition/shell.ts'

export function ownedWork(shell: Shell): OwnedWork {
  return {
    release: async (order) => {
      const { survivors, ended, kept } = await shell.cancelForeground(cancelOrder(order))
      return { ended, kept, stuck: survivors }
    },
  }
}

function cancelOrder({ deadlineMs, ...order }: ReleaseOrder): CancelOrder {
  return deadlineMs === undefined ? order : { ...order, signal: AbortSignal.timeout(Math.max(0, deadlineMs)) }
}
