/**
 * Model-based test of the domain: random interleavings of everything that can happen to it, the invariants checked after every step.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { World, type Watched } from './world.ts'

/** Runs to try; more with TOOLSEAM_MODEL_RUNS. */
const RUNS = Number(process.env['TOOLSEAM_MODEL_RUNS'] ?? 2200)

type Step = { readonly name: string; readonly run: (world: World) => unknown }

const step = (name: string, run: (world: World) => unknown): Step => ({ name, run })
const small = fc.nat(5)
const reason = fc.constantFrom('cancel', 'terminate', 'detach') as fc.Arbitrary<'cancel' | 'terminate' | 'detach'>
const whichDomain = fc.nat(3)

function at(world: World, index: number): Watched {
  return world.all()[index % world.all().length] ?? world.top
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: whichDomain.map((d) => step(`handle ${d}`, (world) => at(world, d).handle())) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(whichDomain, fc.constantFrom('abandon' as const, { graceMs: 30 }, { graceMs: 0 }))
      .map(([d, stop]) => step(`handle ${d} ${JSON.stringify(stop)}`, (world) => at(world, d).handle(stop))),
  },
  { weight: 1, arbitrary: fc.tuple(whichDomain, small).map(([d, n]) => step(`duplicate ${d} ${n}`, (world) => at(world, d).duplicate(n))) },
  {
    weight: 5,
    arbitrary: fc.tuple(whichDomain, small).map(([d, n]) =>
      step(`settle ${d} ${n}`, (world) =>
        at(world, d)
          .running()
          .at(n % Math.max(1, at(world, d).running().length))
          ?.resolve('v'),
      ),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(whichDomain, small).map(([d, n]) =>
      step(`throw ${d} ${n}`, (world) =>
        at(world, d)
          .running()
          .at(n % Math.max(1, at(world, d).running().length))
          ?.reject(undefined),
      ),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(whichDomain, small, reason)
      .map(([d, n, why]) => step(`halt ${d} h${n} ${why}`, (world) => at(world, d).halt(`h${n}`, why))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(whichDomain, fc.constantFrom(0, 50, 1000, 5000), reason)
      .map(([d, budget, why]) => step(`bounded ${d} ${budget}`, (world) => at(world, d).haltBounded(why, budget))),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(whichDomain, fc.constantFrom(undefined, 'h0', 'h1', 'nobody'))
      .map(([d, id]) => step(`rearm ${d} ${String(id)}`, (world) => at(world, d).rearm(id))),
  },
  { weight: 4, arbitrary: fc.constantFrom(0, 10, 60, 500, 3000).map((ms) => step(`advance ${ms}`, (world) => world.clock.advance(ms))) },
  { weight: 3, arbitrary: fc.constant(step('settle all that is ready', (world) => world.clock.settle())) },
  { weight: 1, arbitrary: fc.constant(step('blocked loop', (world) => world.blockLoop(2000))) },
  {
    weight: 1,
    arbitrary: whichDomain.map((d) =>
      step(`listener throws ${d}`, (world) =>
        at(world, d).domain.subscribe(() => {
          throw new Error('listener')
        }),
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(whichDomain, fc.constantFrom('ok', 'throw', 'hang', 'slow')).map(([d, mode]) =>
      step(`release ${d} ${mode}`, (world) => {
        at(world, d).runner.onRelease = releases(world, mode)
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(whichDomain, fc.constantFrom('ok', 'throw', 'hang', 'slow')).map(([d, mode]) =>
      step(`interrupt ${d} ${mode}`, (world) => {
        at(world, d).runner.onInterrupt = releases(world, mode)
      }),
    ),
  },
  { weight: 2, arbitrary: fc.constant(step('open child', (world) => world.openChild())) },
  {
    weight: 2,
    arbitrary: fc.tuple(whichDomain, small).map(([d, n]) => step(`acquire ${d} ${n}`, (world) => world.acquire(at(world, d), n))),
  },
  {
    weight: 1,
    arbitrary: small.map((n) =>
      step(`ask denied ${n}`, (world) => world.children[n % 3] && world.askDenied(world.children[n % 3] ?? world.top)),
    ),
  },
  { weight: 1, arbitrary: small.map((n) => step(`say ${n}`, (world) => world.askUser(n))) },
  {
    weight: 1,
    arbitrary: fc.tuple(whichDomain, small).map(([d, n]) =>
      step(`outlive ${d} ${n}`, (world) => {
        const { bodies } = at(world, d).runner
        bodies[n % Math.max(1, bodies.length)]?.context.outlived(new Promise((resolve) => world.after(700, () => resolve(undefined))))
      }),
    ),
  },
)

function releases(world: World, mode: string): () => Promise<void> | void {
  if (mode === 'throw') {
    return () => {
      throw new Error('release')
    }
  }
  if (mode === 'hang') return () => new Promise(() => {})
  if (mode === 'slow') return () => new Promise((resolve) => world.after(200, () => resolve()))
  return () => {}
}

test(`I1-I12: every interleaving of handle, settle, throw, hang, halt, rearm, clock and children keeps the invariants (${RUNS} runs)`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 40 }), async (script) => {
      const world = new World()
      for (const { run } of script) {
        const pending = run(world)
        if (pending instanceof Promise) await pending
        world.check()
      }
      await world.end()
      expect(world.failures.slice(0, 5), script.map((s) => s.name).join(' | ')).toEqual([])
    }),
    { numRuns: RUNS, seed: 20_240_601, endOnFailure: false },
  )
}, 240_000)
