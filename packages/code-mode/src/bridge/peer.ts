/**
 * The other side of the boundary, as a provider gives it: something that takes messages, tells some, and can be killed.
 */
import type { HostMessage } from './messages.ts'

export interface PeerEvents {
  /** Anything that came; nothing about it is believed. */
  message(raw: unknown): void
  /** The peer is gone, asked for or not. */
  exit(reason: string): void
}

export interface GuestPeer {
  post(message: HostMessage): void
  /** The hard stop. Resolves when the peer is gone. */
  kill(): Promise<void>
  /** Whether an idle peer keeps the process alive. */
  hold(on: boolean): void
}

export type PeerFactory = (events: PeerEvents) => GuestPeer
