/**
 * Delivery: events in the order of `seq`, to every listener, synchronously. What a listener triggers waits behind the event being delivered,
 * so that nobody sees two events out of order and nothing recurses (E-7).
 */
import { createDisposer, type Disposer } from '@toolseam/core-tools'
import type { ToolDomainEvent, ToolDomainEventBody } from '../../definition/events.ts'
import { callGuarded } from '../../guarding/attempt.ts'

export interface Feed<Message> {
  send(message: Message): void
  subscribe(listener: (message: Message) => void): Disposer
}

interface Subscription<Message> {
  readonly listener: (message: Message) => void
  open: boolean
}

export function createFeed<Message>(report: (error: unknown) => void): Feed<Message> {
  let subscriptions: readonly Subscription<Message>[] = []
  const waiting: Message[] = []
  let delivering = false

  function deliver(message: Message): void {
    for (const subscription of subscriptions) {
      if (subscription.open) callGuarded(() => subscription.listener(message), report)
    }
  }

  function drain(): void {
    delivering = true
    let next = 0
    for (; next < waiting.length; next += 1) {
      const message = waiting[next]
      if (message !== undefined) deliver(message)
    }
    waiting.length = 0
    delivering = false
  }

  return {
    send(message) {
      waiting.push(message)
      if (!delivering) drain()
    },
    subscribe(listener) {
      const subscription: Subscription<Message> = { listener, open: true }
      subscriptions = [...subscriptions, subscription]
      return createDisposer(() => {
        subscription.open = false
        subscriptions = subscriptions.filter((other) => other !== subscription)
      })
    },
  }
}

/** Stamps bodies into events: gapless `seq`, current epoch, the clock's time. */
export function createEventStamp(epoch: () => number, now: () => number): <R>(body: ToolDomainEventBody<R>) => ToolDomainEvent<R> {
  let seq = 0
  return (body) => {
    seq += 1
    return Object.freeze({ seq, epoch: epoch(), at: now(), ...body })
  }
}
