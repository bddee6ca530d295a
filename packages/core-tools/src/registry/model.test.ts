/**
 * Views against a model: after any sequence of changes over a tree of scopes, each scope sees what a plain recount says it should,
 * unaffected views are the same object, and every visible change was told once.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ToolMode } from '../contracts/registry.ts'
import { createServices } from '../services/services.ts'
import { createRegistry, type Registry } from './registry.ts'

const NAMES = ['a', 'b', 'c', 'd'] as const
const AGENTS = ['root', 'left', 'right', 'leaf'] as const
const PARENT: { readonly [agent: string]: string | undefined } = { left: 'root', right: 'root', leaf: 'left' }
const LAYERS: readonly (string | undefined)[] = [undefined, ...AGENTS]

type Step =
  | { kind: 'register'; agent: string | undefined; name: string }
  | { kind: 'restrict'; agent: string; allow?: string[]; deny?: string[] }
  | { kind: 'present'; agent: string; mode: ToolMode }
  | { kind: 'dispose'; pick: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('register' as const), agent: fc.constantFrom(...LAYERS), name: fc.constantFrom(...NAMES) }),
  fc.record({
    kind: fc.constant('restrict' as const),
    agent: fc.constantFrom(...AGENTS),
    allow: fc.subarray([...NAMES]),
  }),
  fc.record({ kind: fc.constant('restrict' as const), agent: fc.constantFrom(...AGENTS), deny: fc.subarray([...NAMES]) }),
  fc.record({
    kind: fc.constant('present' as const),
    agent: fc.constantFrom(...AGENTS),
    mode: fc.constantFrom<ToolMode>('native', 'code', 'both'),
  }),
  fc.record({ kind: fc.constant('dispose' as const), pick: fc.nat() }),
)

/** The model: what stands, and nothing cached. */
interface Standing {
  readonly kind: Step['kind']
  readonly agent: string | undefined
  readonly step: Step
  readonly label: string
}

function expectedTools(standing: readonly Standing[], agent: string | undefined): Map<string, string> {
  const mine = standing.filter((entry) => entry.agent === agent)
  const inherited = agent === undefined ? new Map<string, string>() : expectedTools(standing, PARENT[agent])
  const filters = mine.flatMap(({ step: filter }) => (filter.kind === 'restrict' ? [filter] : []))
  const visible = new Map(
    [...inherited].filter(([name]) =>
      filters.every(({ allow, deny }) => name === 'run_code' || ((allow?.includes(name) ?? true) && !(deny?.includes(name) ?? false))),
    ),
  )
  for (const { step: own, label } of mine) if (own.kind === 'register') visible.set(own.name, label)
  return visible
}

function expectedMode(standing: readonly Standing[], agent: string | undefined): ToolMode {
  if (agent === undefined) return 'native'
  for (const { step: own, agent: at } of standing) if (own.kind === 'present' && at === agent) return own.mode
  return expectedMode(standing, PARENT[agent])
}

function expectedView(standing: readonly Standing[], agent: string | undefined): string {
  const tools = [...expectedTools(standing, agent)].toSorted(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([expectedMode(standing, agent), tools])
}

function actualView(registry: Registry<undefined>, agent: string | undefined): string {
  const view = registry.view(agent)
  return JSON.stringify([view.mode, view.names.map((name) => [name, view.get(name)?.description])])
}

function apply(registry: Registry<undefined>, change: Exclude<Step, { kind: 'dispose' }>, label: string): () => void {
  switch (change.kind) {
    case 'register':
      return registry.register({ name: change.name, description: label, input: {}, execute: () => null }, change.agent)
    case 'restrict':
      return registry.restrict(change.agent, change)
    case 'present':
      return registry.present(change.agent, change.mode)
    default:
      return change satisfies never
  }
}

test('P-6, P-8, P-10: views follow every change as a plain recount does (property)', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let told = 0
      const registry = createRegistry({
        createExtras: () => undefined,
        services: createServices(),
        emitChange: () => told++,
        mode: 'native',
      })
      registry.register({ name: 'run_code', description: 'entry', input: {}, execute: () => null })
      for (const agent of AGENTS) registry.scope(agent, PARENT[agent] === undefined ? {} : { extends: PARENT[agent] })
      const entry: Standing = {
        kind: 'register',
        agent: undefined,
        step: { kind: 'register', agent: undefined, name: 'run_code' },
        label: 'entry',
      }
      let standing: { entry: Standing; dispose: () => void }[] = [{ entry, dispose: () => undefined }]
      const model = (): Standing[] => standing.map(({ entry: each }) => each)

      for (const [index, change] of steps.entries()) {
        const before = LAYERS.map((agent) => ({ view: registry.view(agent), text: expectedView(model(), agent) }))
        told = 0
        if (change.kind === 'dispose') {
          const victim = standing[1 + (change.pick % Math.max(1, standing.length - 1))]
          if (victim === undefined) continue
          victim.dispose()
          standing = standing.filter((each) => each !== victim)
        } else {
          const label = `#${index}`
          try {
            const dispose = apply(registry, change, label)
            standing.push({ entry: { kind: change.kind, agent: change.agent, step: change, label }, dispose })
          } catch (thrown) {
            expect((thrown as { code?: string }).code).toBe('INVALID_REGISTRATION')
          }
        }
        const changed = LAYERS.map((agent, at) => {
          const text = expectedView(model(), agent)
          expect(actualView(registry, agent)).toBe(text)
          const was = before[at]
          const isSame = text === was?.text
          expect(registry.view(agent) === was?.view, `view of ${agent} after ${JSON.stringify(change)}`).toBe(isSame)
          if (!isSame) expect(registry.view(agent).version).toBeGreaterThan(was?.view.version ?? 0)
          return !isSame
        })
        expect(told).toBe(changed.includes(true) ? 1 : 0)
      }
    }),
    { numRuns: 150, seed: 20_26 },
  )
})
