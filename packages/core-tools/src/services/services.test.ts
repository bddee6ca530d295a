import { expect, test } from 'vitest'
import { defineService } from '../contracts/services.ts'
import { createServices } from './services.ts'

const Clock = defineService<{ now(): number }>('acme/clock', { package: '@acme/clock' })
const clock = { now: () => 1 }

test('P-79: tokens are equal by id, whichever copy made them', () => {
  const services = createServices()
  services.provide(Clock, clock)
  expect(services.get(defineService<typeof clock>('acme/clock'))).toBe(clock)
  expect(services.has({ id: 'acme/clock' })).toBe(true)
  expect(services.get(defineService('acme/other'))).toBeUndefined()
})

test('P-79: a second provider is refused naming both; the disposer withdraws, exactly', () => {
  const services = createServices()
  const withdraw = services.provide(Clock, clock, { by: 'plugin "one"' })
  expect(() => services.provide({ id: 'acme/clock' }, clock, { by: 'plugin "two"' })).toThrow(/acme\/clock.*"one".*"two"/)
  expect(() => services.provide(Clock, clock)).toThrow(expect.objectContaining({ code: 'INVALID_PLUGIN' }))
  withdraw()
  expect(services.has(Clock)).toBe(false)
  services.provide(Clock, { now: () => 2 })
  withdraw()
  withdraw[Symbol.dispose]()
  expect(services.require(Clock).now()).toBe(2)
})

test('P-79: require of a missing service throws SERVICE_MISSING with the id and the package that brings it', () => {
  const services = createServices()
  expect(() => services.require(Clock)).toThrow(expect.objectContaining({ code: 'SERVICE_MISSING' }))
  expect(() => services.require(Clock)).toThrow(/"acme\/clock".*@acme\/clock/)
  expect(() => services.require(defineService('acme/bare'))).toThrow('"acme/bare"')
})

test('P-79: what is no token and an undefined provider are refused; null and false are providers', () => {
  const services = createServices()
  for (const odd of [undefined, null, 'acme/clock', {}, { id: 5 }, { id: '' }]) {
    expect(() => services.get(odd as never)).toThrow(expect.objectContaining({ code: 'INVALID_PLUGIN' }))
    expect(() => services.provide(odd as never, clock)).toThrow('token')
  }
  expect(() => services.provide(Clock, undefined as never)).toThrow('undefined')
  services.provide(defineService('acme/off'), false)
  expect(services.require(defineService('acme/off'))).toBe(false)
})
