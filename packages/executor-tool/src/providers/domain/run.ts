/**
 * Running a block: its body in its own asynchronous context, its resources closed, its outcome told once, its end noticed.
 */
import { isToolFailure } from '../../guarding/results.ts'
import { type Attempt, attempt } from '../../guarding/attempt.ts'
import { BLOCK_STOP, type StoppableContext } from '../../definition/block-stop.ts'
import type { BlockScope, HaltReason, ToolRunCommand } from '../../definition/vocabulary.ts'
import type { ToolDomainSurface } from '../../definition/surface.ts'
import { createBlockSignal } from './block-signal.ts'
import { runAs, type RunningBody } from './context.ts'
import { failureOf, failureOfResult } from './failure.ts'
import { createProgressLane } from './progress.ts'
import { blockEnded } from './quarantine.ts'
import { createScope, type OwnedScope } from './scope.ts'
import { type Ancestor, type Block, diagnose } from './state.ts'
import { leaseSurface } from './surface-lease.ts'

export async function runBlock<R>(block: Block<R>): Promise<void> {
  // Cut before it started: it never starts.
  if (block.ended) return
  block.started = true
  const { runner } = block.domain
  const outcome = await attempt(() => runAs(bodyOf(block), () => runner.runBlock(block.command, new Context(block))))
  const closing = closeBlock(block)
  if (closing !== undefined) await closing
  tellOutcome(block, outcome)
}

/** Surface and progress end with the body; what it acquired is released before its outcome is told. */
function closeBlock<R>(block: Block<R>): Promise<void> | undefined {
  block.progress?.close()
  block.lease?.revoke()
  if (block.scope === undefined) return undefined
  if (!block.scope.empty) return block.scope.close()
  block.scope.seal()
  return undefined
}

function tellOutcome<R>(block: Block<R>, outcome: Attempt<R>): void {
  const { domain, ident } = block
  block.bodyDone = true
  domain.active.delete(ident.commandId)
  domain.closedIds.set(ident.commandId, true)
  blockEnded(block)
  // The epoch tells work of before a stop from work of after it, also when ids are used again (E-12).
  if (block.cut !== undefined || block.epoch !== domain.epoch) return
  if (!outcome.ok) domain.emit({ kind: 'tool.block_failed', ...ident, failure: failureOf(outcome.error) })
  else if (isToolFailure(outcome.value)) domain.emit({ kind: 'tool.block_failed', ...ident, failure: failureOfResult(outcome.value) })
  else domain.emit({ kind: 'tool.block_result', ...ident, output: outcome.value })
}

function bodyOf<R>(block: Block<R>): RunningBody {
  return {
    live: () => !block.ended && !block.abandoned,
    runsIn(domain) {
      for (let above: Ancestor | undefined = block.domain; above !== undefined; above = above.parent?.domain) {
        if (above === domain) return true
      }
      return false
    },
    outer: block.outer,
  }
}

/** What is costly is made when it is first asked for; most bodies ask for little of it. Methods may be taken off it. */
class Context<R> implements StoppableContext {
  readonly command: ToolRunCommand
  readonly epoch: number
  readonly progress: (update: unknown) => void
  readonly requestHalt: (reason: HaltReason) => void
  readonly outlived: (work: Promise<unknown>) => void
  readonly #block: Block<R>
  #scope: BlockScope | undefined

  constructor(block: Block<R>) {
    this.#block = block
    this.command = block.command
    this.epoch = block.epoch
    this.progress = (update) => {
      if (!isSilenced(block)) progressOf(block).push(update)
    }
    this.requestHalt = (reason) => {
      if (!isSilenced(block)) block.domain.requestHalt(reason)
    }
    this.outlived = (work) => keepFor(block, work)
  }

  get signal(): AbortSignal {
    return signalOf(this.#block).signal
  }

  get [BLOCK_STOP](): AbortSignal {
    return signalOf(this.#block).stop
  }

  get surface(): ToolDomainSurface {
    return leaseOf(this.#block).surface
  }

  get scope(): BlockScope {
    const block = this.#block
    return (this.#scope ??= {
      acquire: (open, close) => scopeOf(block).acquire(open, close),
      defer: (close) => scopeOf(block).defer(close),
    })
  }
}

/** A block that closed or was cut does not speak any more. */
function isSilenced<R>(block: Block<R>): boolean {
  return block.bodyDone || block.cut !== undefined || block.abandoned
}

function signalOf<R>(block: Block<R>): NonNullable<Block<R>['signal']> {
  if (block.signal === undefined) {
    block.signal = createBlockSignal((error) => diagnose(block.domain, { kind: 'abort_listener_failed', ident: block.ident, error }))
    if (block.cut !== undefined) block.signal.abort(block.cut.order)
  }
  return block.signal
}

function leaseOf<R>(block: Block<R>): NonNullable<Block<R>['lease']> {
  if (block.lease === undefined) {
    block.lease = leaseSurface(block.domain.surface, (error) =>
      diagnose(block.domain, { kind: 'surface_failed', ident: block.ident, error }),
    )
    if (isSilenced(block)) block.lease.revoke()
  }
  return block.lease
}

function scopeOf<R>(block: Block<R>): OwnedScope {
  if (block.scope === undefined) {
    block.scope = createScope(block.ident.dlineTid, (error) => diagnose(block.domain, { kind: 'scope_failed', ident: block.ident, error }))
    if (block.bodyDone || block.abandoned) block.scope.seal()
  }
  return block.scope
}

function progressOf<R>(block: Block<R>): NonNullable<Block<R>['progress']> {
  const { domain, ident } = block
  return (block.progress ??= createProgressLane(domain.clock, (update) =>
    domain.progressFeed.send({ ...ident, at: domain.clock.now(), update }),
  ))
}

/** The block stays in the drain set until `work` settles, also after its outcome (E-9). */
function keepFor<R>(block: Block<R>, work: Promise<unknown>): void {
  const { domain } = block
  block.outlived += 1
  if (block.ended) {
    block.ended = false
    if (block.abandoned) domain.quarantine.add(block)
    else domain.working.add(block)
  }
  void attempt(() => work).then(() => {
    block.outlived -= 1
    blockEnded(block)
  })
}
