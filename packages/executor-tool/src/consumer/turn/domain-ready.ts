/**
 * Who begins new work rearms (E-23): a turn waits until no stop is open, and then takes the domain up again.
 */
import type { ToolResult } from '@toolseam/core-tools'
import type { ToolExecutionDomain } from '../../definition/domain.ts'

/** Resolves when no stop of the domain is open and what it told has been taken in. */
export async function domainReady(domain: ToolExecutionDomain<ToolResult>, idle: () => Promise<void> | undefined): Promise<void> {
  await idle()
  while (domain.snapshot().phase === 'halting') {
    await new Promise<void>((resolve) => {
      const unsubscribe = domain.subscribe((event) => {
        if (event.kind !== 'tool.halted' && event.kind !== 'tool.halt_failed') return
        unsubscribe()
        resolve()
      })
    })
    await idle()
  }
}

/** A stop that the reducer did not ask for may be newer than the one it knows; once no stop is open, either may be taken up from. */
export function rearmDomain(domain: ToolExecutionDomain<ToolResult>, haltId: string): void {
  if (domain.rearm(haltId) === 'superseded') domain.rearm()
}
