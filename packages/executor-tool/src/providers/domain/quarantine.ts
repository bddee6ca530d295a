/**
 * The end of a block, and the blocks that a stop gave up. Those are set aside: whatever they do later makes one diagnostic and nothing else.
 */
import { type Block, diagnose, type Stop } from './state.ts'

/** Notices that nothing of a block runs any more, and lets the stops that waited for it go on. */
export function blockEnded<R>(block: Block<R>): void {
  if (block.ended || !block.bodyDone || block.outlived > 0) return
  const { domain } = block
  block.ended = true
  domain.working.delete(block)
  if (domain.quarantine.delete(block)) diagnose(domain, { kind: 'late_settlement', ident: block.ident })
  for (const stop of domain.stops.slice()) {
    if (stop.waiting.delete(block)) domain.advance(stop)
  }
}

/** A stop gives a block up: it leaves the drain sets, acquires nothing more, and counts against the capacity until it truly ends (E-24). */
export function abandon<R>(block: Block<R>, stop: Stop<R>): void {
  const { domain, ident } = block
  block.abandoned = true
  domain.active.delete(ident.commandId)
  domain.closedIds.set(ident.commandId, true)
  domain.working.delete(block)
  domain.quarantine.add(block)
  block.scope?.seal()
  for (const open of domain.stops) open.waiting.delete(block)
  stop.leftBehind.push(block)
}
