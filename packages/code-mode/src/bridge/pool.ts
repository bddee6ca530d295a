/**
 * Peers, as many as asked for, and a queue before them. A peer serves one run at a time, is used again after a clean one and replaced
 * after any other (C-17).
 */
import type { CodeRunRequest, CodeRunResult } from '../definition/code-runtime.ts'
import { CodeModeError } from '../definition/errors.ts'
import { readMessage } from './messages.ts'
import type { GuestPeer, PeerFactory } from './peer.ts'
import { describeEnd, describeQueueFull } from './render-end.ts'
import { type AfterRun, GuestRun } from './run.ts'

interface Waiting {
  readonly request: CodeRunRequest
  readonly resolve: (result: CodeRunResult) => void
  readonly enqueuedAt: number
  onAbort(): void
}

interface Member {
  readonly peer: GuestPeer
  state: 'starting' | 'idle' | 'busy' | 'gone'
  run: GuestRun | undefined
}

// A peer that has not said "ready" by then never will.
const START_MS = 60_000
const QUEUE_LENGTH = 64

export class GuestPool {
  readonly #start: PeerFactory
  readonly #size: number
  readonly #queueLength: number
  readonly #members = new Set<Member>()
  readonly #queue: Waiting[] = []
  readonly #leaving = new Set<Promise<void>>()
  #runs = 0
  #closed: Promise<void> | undefined

  constructor(options: { start: PeerFactory; size: number; queueLength?: number }) {
    this.#start = options.start
    this.#size = options.size
    this.#queueLength = options.queueLength ?? QUEUE_LENGTH
  }

  run(request: CodeRunRequest): Promise<CodeRunResult> {
    if (this.#closed !== undefined) return Promise.reject(new CodeModeError('CODE_CLOSED', 'the code runtime is disposed'))
    const free = [...this.#members].some(({ state }) => state === 'idle')
    if (!free && this.#queue.length >= this.#queueLength && this.#members.size >= this.#size) {
      return Promise.resolve(unrun('engine', describeQueueFull(this.#queue.length)))
    }
    if (request.signal?.aborted === true) return Promise.resolve(unrun('abort', describeEnd('abort', request.limits)))
    return new Promise((resolve) => {
      const waiting: Waiting = { request, resolve, enqueuedAt: performance.now(), onAbort: () => this.#giveUp(waiting) }
      request.signal?.addEventListener('abort', waiting.onAbort, { once: true })
      this.#queue.push(waiting)
      this.#next()
    })
  }

  /** Cancels every run and waits until all peers are gone. */
  dispose(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    for (const waiting of this.#queue.splice(0)) this.#refuse(waiting, unrun('abort', describeEnd('abort', waiting.request.limits)))
    for (const member of this.#members) {
      member.run?.cancel()
      this.#remove(member)
    }
    while (this.#leaving.size > 0) await Promise.all(this.#leaving)
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#members].find(({ state }) => state === 'idle')
      if (idle === undefined) {
        const coming = [...this.#members].filter(({ state }) => state === 'starting').length
        if (this.#members.size < this.#size && coming < this.#queue.length) this.#add()
        return
      }
      const waiting = this.#queue.shift()
      if (waiting !== undefined) this.#begin(idle, waiting)
    }
  }

  #begin(member: Member, { request, resolve, onAbort }: Waiting): void {
    request.signal?.removeEventListener('abort', onAbort)
    member.state = 'busy'
    member.peer.hold(true)
    const run = new GuestRun({
      id: (this.#runs += 1),
      request,
      post: (message) => member.peer.post(message),
      over: (result, after) => {
        member.run = undefined
        this.#after(member, after)
        resolve(result)
      },
    })
    member.run = run
    run.begin()
  }

  /** A clean peer says `ready` when it has cleared up; until then it takes nothing, and is held for those that wait for it. */
  #after(member: Member, after: AfterRun): void {
    if (after === 'clean') return
    this.#remove(member)
    this.#next()
  }

  #add(): void {
    const member: Member = { peer: this.#startPeer(() => member), state: 'starting', run: undefined }
    this.#members.add(member)
  }

  #startPeer(member: () => Member): GuestPeer {
    const late = setTimeout(() => this.#lost(member(), 'it did not start'), START_MS)
    return this.#start({
      message: (raw) => {
        const message = readMessage(raw)
        if (message === undefined) return
        if (message.type === 'ready') {
          clearTimeout(late)
          this.#ready(member())
        } else if (message.type === 'broken' && member().run === undefined) this.#lost(member(), message.message)
        else member().run?.hear(message)
      },
      exit: (reason) => {
        clearTimeout(late)
        this.#lost(member(), reason)
      },
    })
  }

  #ready(member: Member): void {
    if (member.state === 'gone' || member.run !== undefined) return
    member.state = 'idle'
    member.peer.hold(false)
    this.#next()
  }

  #lost(member: Member, reason: string): void {
    if (member.state === 'gone') return
    const failedToStart = member.state === 'starting'
    this.#remove(member)
    member.run?.gone(reason)
    // Where peers cannot start at all, who waits must not wait for ever.
    const first = failedToStart ? this.#queue.shift() : undefined
    if (first !== undefined) this.#refuse(first, unrun('engine', `${describeEnd('engine', first.request.limits)} (${reason})`))
    if (this.#closed === undefined) this.#next()
  }

  #remove(member: Member): void {
    if (member.state === 'gone') return
    member.state = 'gone'
    this.#members.delete(member)
    const left = member.peer.kill().finally(() => this.#leaving.delete(left))
    this.#leaving.add(left)
  }

  #giveUp(waiting: Waiting): void {
    const place = this.#queue.indexOf(waiting)
    if (place === -1) return
    this.#queue.splice(place, 1)
    this.#refuse(waiting, unrun('abort', describeEnd('abort', waiting.request.limits)))
  }

  #refuse({ request, resolve, onAbort }: Waiting, result: CodeRunResult): void {
    request.signal?.removeEventListener('abort', onAbort)
    resolve(result)
  }
}

function unrun(kind: 'abort' | 'engine', message: string): CodeRunResult {
  return {
    ok: false,
    error: { kind, name: 'Error', message },
    logs: { text: '', truncated: false },
    usage: { busyMs: 0, wallMs: 0, calls: 0 },
    unfinished: [],
  }
}
