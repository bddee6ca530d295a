/**
 * A user surface lent to one block. It is revoked when the block closes or is cut: cached methods and pending questions reject at once, the
 * prompt is withdrawn through its signal, and an answer that comes late is dropped, also where the port ignores the signal (E-34).
 */
import { deniedSurface, SurfaceDeniedError } from '@toolseam/core-tools'
import type { SurfaceCapability, ToolDomainSurface, UserFacingSurface } from '../../definition/surface.ts'
import { attempt, callGuarded } from '../../guarding/attempt.ts'

export interface SurfaceLease {
  readonly surface: ToolDomainSurface
  revoke(): void
}

const REVOKED = 'revoked'

export function leaseSurface(lent: ToolDomainSurface, report: (error: unknown) => void): SurfaceLease {
  if (lent.kind !== 'user_facing') return { surface: deniedSurface(lent.reason), revoke() {} }
  const lease = new Lease(lent, report)
  return { surface: lease.surface(), revoke: () => lease.revoke() }
}

class Lease {
  readonly #port: UserFacingSurface
  readonly #report: (error: unknown) => void
  readonly #pending = new Set<() => void>()
  readonly #withdraw = new AbortController()
  #revoked = false
  #diffShown = false

  constructor(port: UserFacingSurface, report: (error: unknown) => void) {
    this.#port = port
    this.#report = report
  }

  surface(): UserFacingSurface {
    const port = this.#port
    return Object.freeze<UserFacingSurface>({
      kind: 'user_facing',
      ask: (question, options) => handled(this.#prompt('ask', options?.signal, (signal) => port.ask(question, { signal }))),
      openInteraction: (request, options) =>
        handled(this.#prompt('openInteraction', options?.signal, (signal) => port.openInteraction(request, { signal }))),
      say: (message) => handled(this.#guard('say', () => port.say(message))),
      diff: Object.freeze({
        show: (change: unknown) => handled(this.#guard('diff', () => this.#showDiff(change))),
        close: () => handled(this.#guard('diff', () => this.#closeDiff())),
      }),
    })
  }

  #showDiff(change: unknown): Promise<void> {
    this.#diffShown = true
    return this.#port.diff.show(change)
  }

  #closeDiff(): Promise<void> {
    this.#diffShown = false
    return this.#port.diff.close()
  }

  revoke(): void {
    if (this.#revoked) return
    this.#revoked = true
    for (const reject of this.#pending) reject()
    this.#pending.clear()
    this.#withdraw.abort(REVOKED)
    if (this.#diffShown) callGuarded(() => this.#port.diff.close(), this.#report)
  }

  /** A call of the port that ends with the lease at the latest. */
  #guard<T>(capability: SurfaceCapability, call: () => Promise<T>): Promise<T> {
    if (this.#revoked) return Promise.reject(new SurfaceDeniedError(capability, REVOKED))
    return new Promise<T>((resolve, reject) => {
      const revoked = (): void => reject(new SurfaceDeniedError(capability, REVOKED))
      this.#pending.add(revoked)
      void attempt(call).then((outcome) => {
        this.#pending.delete(revoked)
        if (this.#revoked) revoked()
        else if (outcome.ok) resolve(outcome.value)
        else reject(outcome.error)
      })
    })
  }

  /** The prompt's signal fuses the asker's own with the withdrawal; listeners are gone when the prompt is over. */
  async #prompt<T>(capability: SurfaceCapability, own: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const fused = new AbortController()
    const withdraw = (): void => fused.abort(REVOKED)
    const cancel = (): void => fused.abort(own?.reason)
    this.#withdraw.signal.addEventListener('abort', withdraw)
    own?.addEventListener('abort', cancel)
    if (own?.aborted) cancel()
    try {
      return await this.#guard(capability, () => call(fused.signal))
    } finally {
      this.#withdraw.signal.removeEventListener('abort', withdraw)
      own?.removeEventListener('abort', cancel)
    }
  }
}

/** A body may drop what it was given; a revocation must not end the process for it. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.then(undefined, () => {})
  return promise
}
