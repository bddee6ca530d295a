/**
 * Services by token. A token is equal to another of the same id, whichever copy of this package made it.
 */
import type { Disposer } from './disposer.ts'

declare const serviceType: unique symbol

export interface ServiceToken<T = unknown> {
  readonly id: string
  /** The package that brings a provider; named in the error when there is none. */
  readonly package?: string
  readonly [serviceType]?: T
}

/** Makes a token. `id` is `toolseam/` and the name in kebab case for our own, `<package>/<name>` for others. */
export function defineService<T>(id: string, options: { package?: string } = {}): ServiceToken<T> {
  if (typeof id !== 'string' || id === '') throw new TypeError('defineService: id must be a non-empty string')
  return Object.freeze(options.package === undefined ? { id } : { id, package: options.package })
}

export interface ServiceContainer {
  /** One provider per token at a time; a second is refused (`INVALID_PLUGIN`). The disposer withdraws it. */
  provide<T>(token: ServiceToken<T>, implementation: T, options?: { by?: string }): Disposer
  get<T>(token: ServiceToken<T>): T | undefined
  /** Throws `SERVICE_MISSING` with the token's id and the package that brings it. */
  require<T>(token: ServiceToken<T>): T
  has(token: ServiceToken): boolean
}
