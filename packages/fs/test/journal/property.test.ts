/**
 * Random histories: undo never loses a byte of the user's, and without the user it is exact.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diskWorld, memoryWorld, type World } from './worlds.ts'

const FILES = ['a.txt', 'b.txt', 'd/c.txt'] as const

type Action =
  | { kind: 'agent-line'; file: string; at: number; tag: string }
  | { kind: 'agent-insert'; file: string; at: number; tag: string }
  | { kind: 'agent-remove-line'; file: string; at: number; tag: string }
  | { kind: 'agent-move'; file: string; to: string; tag: string }
  | { kind: 'agent-delete'; file: string; tag: string }
  | { kind: 'user-insert'; file: string; at: number }
  | { kind: 'user-touches-agent'; file: string; at: number }
  | { kind: 'revert'; tag: string }
  | { kind: 'revert-undo' }

const file = fc.constantFrom(...FILES)
const tag = fc.constantFrom('T1', 'T2', 'T3')
const at = fc.nat({ max: 12 })
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('agent-line' as const), file, at, tag }),
  fc.record({ kind: fc.constant('agent-insert' as const), file, at, tag }),
  fc.record({ kind: fc.constant('agent-remove-line' as const), file, at, tag }),
  fc.record({ kind: fc.constant('agent-move' as const), file, to: file, tag }),
  fc.record({ kind: fc.constant('agent-delete' as const), file, tag }),
  fc.record({ kind: fc.constant('user-insert' as const), file, at }),
  fc.record({ kind: fc.constant('user-touches-agent' as const), file, at }),
  fc.record({ kind: fc.constant('revert' as const), tag }),
  fc.record({ kind: fc.constant('revert-undo' as const) }),
)

/** Lines of the user's begin with `U`; an agent never touches them. */
class History {
  readonly world: World
  readonly tokens: string[] = []
  private count = 0
  private undos: string[] = []

  constructor(world: World) {
    this.world = world
  }

  async run(step: Action): Promise<void> {
    if (step.kind === 'revert' || step.kind === 'revert-undo') {
      const target = step.kind === 'revert' ? step.tag : this.undos.at(-1)
      if (target !== undefined) this.undos.push((await this.world.journal.revert({ tag: target })).tag)
      return
    }
    const text = this.world.user.get(step.file)
    const lines = text === undefined ? [] : text.split('\n').slice(0, -1)
    this.count += 1
    if (step.kind === 'user-insert') return this.user(step.file, lines, step.at)
    if (step.kind === 'user-touches-agent') return this.userTouches(step.file, lines, step.at)
    await this.agent(step, lines, text !== undefined)
  }

  private user(path: string, lines: string[], place: number): void {
    const token = `U${this.count}`
    this.tokens.push(token)
    this.world.user.put(path, [...lines.slice(0, place), `${token} mine`, ...lines.slice(place)].map((line) => `${line}\n`).join(''))
  }

  /** An agent's line becomes the user's. */
  private userTouches(path: string, lines: string[], place: number): void {
    const line = lines[place]
    if (line === undefined || line.startsWith('U')) return
    const token = `U${this.count}`
    this.tokens.push(token)
    this.world.user.put(path, lines.map((one, index) => `${index === place ? `${token} was ${one}` : one}\n`).join(''))
  }

  private async agent(
    step: Exclude<Action, { kind: 'revert' | 'revert-undo' | 'user-insert' | 'user-touches-agent' }>,
    lines: string[],
    exists: boolean,
  ): Promise<void> {
    const write = (next: string[]): Promise<void> => this.world.write(step.file, next.map((line) => `${line}\n`).join(''), step.tag)
    if (step.kind === 'agent-insert') return write([...lines.slice(0, step.at), `agent ${this.count}`, ...lines.slice(step.at)])
    if (!exists) return
    if (step.kind === 'agent-move') {
      if (step.to !== step.file && this.world.user.get(step.to) === undefined) await this.world.move(step.file, step.to, step.tag)
      return
    }
    if (step.kind === 'agent-delete') {
      if (!lines.some((line) => line.startsWith('U'))) await this.world.remove(step.file, step.tag)
      return
    }
    const line = lines[step.at]
    if (line === undefined || line.startsWith('U')) return
    const changed = step.kind === 'agent-line' ? [`agent ${this.count}`] : []
    await write([...lines.slice(0, step.at), ...changed, ...lines.slice(step.at + 1)])
  }
}

test('F-61: random interleavings of agent edits, user edits and reverts never lose a line of the user', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 25 }), async (steps) => {
      const world = await memoryWorld()
      const history = new History(world)
      for (const path of FILES) world.user.put(path, 'one\ntwo\nthree\nfour\nfive\n')
      for (const step of steps) await history.run(step)
      const left = FILES.map((path) => world.user.get(path) ?? '').join('')
      for (const token of history.tokens) expect(left).toContain(`${token} `)
    }),
    { numRuns: 300 },
  )
})

test('F-61: without later work, taking back the tags, newest first, gives every file back to the byte', { timeout: 120_000 }, async () => {
  const bytes = fc
    .array(fc.constantFrom(0x0a, 0x0d, 0x61, 0x62, 0xff, 0xef, 0xbb, 0xbf, 0xc3, 0x00), { maxLength: 40 })
    .map((list) => Buffer.from(list))
  const change = fc.record({ file, content: fc.option(bytes, { nil: undefined }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(bytes, { minLength: 2, maxLength: 2 }),
      fc.array(change, { minLength: 1, maxLength: 12 }),
      async (start, changes) => {
        const world = await memoryWorld()
        const contents = (): (string | undefined)[] => FILES.map((path) => world.user.bytes(path)?.toString('hex'))
        for (const [index, content] of start.entries()) world.user.put(FILES[index] ?? '', content)
        const before = contents()
        const tags: string[] = []
        for (const [index, { file: path, content }] of changes.entries()) {
          tags.push(`T${Math.floor(index / 2)}`)
          if (content !== undefined) await world.write(path, content, tags.at(-1))
          else if (world.user.bytes(path) !== undefined) await world.remove(path, tags.at(-1))
        }
        for (const one of [...new Set(tags)].toReversed()) expect((await world.journal.revert({ tag: one, strict: true })).kept).toEqual([])
        expect(contents()).toEqual(before)
      },
    ),
    { numRuns: 100 },
  )
})

test('F-61: the same on the local disk, in few runs', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 20 }), async (steps) => {
      const world = await diskWorld()
      try {
        const history = new History(world)
        for (const path of FILES) world.user.put(path, 'one\ntwo\nthree\nfour\nfive\n')
        for (const step of steps) await history.run(step)
        const left = FILES.map((path) => world.user.get(path) ?? '').join('')
        for (const token of history.tokens) expect(left).toContain(`${token} `)
      } finally {
        await world.close()
      }
    }),
    { numRuns: 20 },
  )
})
