/**
 * The service container: one provider per token at a time, tokens equal by id whichever copy of the package made them (P-79).
 */
import { createDisposer, type Disposer } from '../contracts/disposer.ts'
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import type { ServiceContainer, ServiceToken } from '../contracts/services.ts'

interface Provider {
  readonly implementation: unknown
  readonly by: string | undefined
}

export function createServices(): ServiceContainer {
  const providers = new Map<string, Provider>()
  return {
    provide<T>(token: ServiceToken<T>, implementation: T, options?: { by?: string }): Disposer {
      const id = tokenId(token)
      if (implementation === undefined) throw refuse(`service "${id}": a provider cannot be undefined`, { service: id })
      const there = providers.get(id)
      if (there !== undefined) throw secondProvider(id, there.by, options?.by)
      const provider: Provider = { implementation, by: options?.by }
      providers.set(id, provider)
      return createDisposer(() => {
        if (providers.get(id) === provider) providers.delete(id)
      })
    },
    get: <T>(token: ServiceToken<T>): T | undefined => providers.get(tokenId(token))?.implementation as T | undefined,
    require<T>(token: ServiceToken<T>): T {
      const provider = providers.get(tokenId(token))
      if (provider === undefined) throw serviceMissing(token)
      return provider.implementation as T
    },
    has: (token: ServiceToken): boolean => providers.has(tokenId(token)),
  }
}

/** `needs` says who asked, for example `plugin "fs"`. */
export function serviceMissing(token: ServiceToken, needs?: string): ToolSeamError {
  const who = needs === undefined ? `service "${token.id}"` : `${needs} needs the service "${token.id}", which`
  const hint = token.package === undefined ? '' : `; ${token.package} brings it`
  return new ToolSeamError(ErrorCode.SERVICE_MISSING, `${who} has no provider${hint}`, {
    details: {
      service: token.id,
      ...(needs === undefined ? {} : { needs }),
      ...(token.package === undefined ? {} : { package: token.package }),
    },
  })
}

export function isServiceToken(value: unknown): value is ServiceToken {
  if (typeof value !== 'object' || value === null) return false
  const { id } = value as { readonly id?: unknown }
  return typeof id === 'string' && id !== ''
}

function tokenId(token: unknown): string {
  if (isServiceToken(token)) return token.id
  throw refuse('not a service token: a token is made by defineService and has an id', {})
}

function secondProvider(id: string, first: string | undefined, second: string | undefined): ToolSeamError {
  return refuse(
    `service "${id}" is provided by ${first ?? 'another provider'} already; ${second ?? 'a second one'} cannot provide it too`,
    {
      service: id,
      ...(first === undefined ? {} : { provider: first }),
      ...(second === undefined ? {} : { refused: second }),
    },
  )
}

function refuse(message: string, details: { [key: string]: string }): ToolSeamError {
  return new ToolSeamError(ErrorCode.INVALID_PLUGIN, message, { details })
}
