/**
 * The way of a tool to a user. It is granted or withdrawn where a runtime is assembled; a body cannot obtain another.
 */

export type SurfaceCapability = 'ask' | 'say' | 'openInteraction' | 'diff'

/** A live route to a user. Question, answer, request and change are the host's own shapes. */
export interface UserFacingSurface {
  readonly kind: 'user_facing'
  ask(question: unknown, options?: { signal?: AbortSignal }): Promise<unknown>
  say(message: string): Promise<void>
  openInteraction(request: unknown, options?: { signal?: AbortSignal }): Promise<unknown>
  readonly diff: { show(change: unknown): Promise<void>; close(): Promise<void> }
}

/** No user: `reason` says why (`no_domain`, `nested_call`, `subagent_execution`, `code_mode`, `revoked`, ...). */
export interface DeniedSurface {
  readonly kind: 'denied'
  readonly reason: string
}

export type ToolDomainSurface = UserFacingSurface | DeniedSurface

/** A capability was needed and the surface was withdrawn. A body that lets it pass fails with `SURFACE_DENIED`. */
export class SurfaceDeniedError extends Error {
  readonly code = 'SURFACE_DENIED'
  readonly capability: SurfaceCapability
  readonly reason: string
  readonly details: { capability: SurfaceCapability; reason: string }

  constructor(capability: SurfaceCapability, reason: string) {
    super(`The user surface is withdrawn here (${reason}), so '${capability}' cannot be used`)
    this.name = 'SurfaceDeniedError'
    this.capability = capability
    this.reason = reason
    this.details = { capability, reason }
  }
}

export function deniedSurface(reason: string): DeniedSurface {
  return Object.freeze({ kind: 'denied', reason })
}

export interface SurfaceAccess {
  /** Throws `SurfaceDeniedError` where the surface is denied. */
  require<C extends SurfaceCapability>(capability: C): UserFacingSurface[C]
  optional<C extends SurfaceCapability>(capability: C): UserFacingSurface[C] | undefined
}

/** Capabilities of a surface, bound, so that a body can take just the one it needs. */
export function surfaceFor(surface: ToolDomainSurface): SurfaceAccess {
  const optional = <C extends SurfaceCapability>(capability: C): UserFacingSurface[C] | undefined => {
    if (surface.kind === 'denied') return undefined
    const value = surface[capability]
    return (typeof value === 'function' ? value.bind(surface) : value) as UserFacingSurface[C]
  }
  return {
    optional,
    require(capability) {
      const found = optional(capability)
      if (found === undefined) throw new SurfaceDeniedError(capability, surface.kind === 'denied' ? surface.reason : 'not offered')
      return found
    },
  }
}
