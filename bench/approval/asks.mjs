/**
 * Asks on the store `files`: the two commits of one ask and its decision, and whole calls through the runtime.
 */
import { createHash } from 'node:crypto'
import { openStore, approval, callback, argumentsHash } from '@toolseam/approval'
import { createToolRuntime } from '@toolseam/core-tools'

const by = { kind: 'callback', id: 'bench', verified: false }
const sha = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`

function draft(index) {
  const key = sha(`bench ${index}`)
  const args = { text: `call ${index}` }
  return {
    v: 1,
    id: `apr_${key.slice(7, 39)}`,
    key,
    call: { callId: `c${index}`, rootCallId: `c${index}`, session: 's', agents: [], parents: [], caller: 'agent' },
    tool: { name: 'demo', source: 'local', schemaHash: sha('{}') },
    args,
    argsHash: argumentsHash(args),
    view: { title: 'demo', kind: 'other' },
    trail: [],
    offer: { scopes: ['once'], rules: [] },
    requester: { kind: 'runtime', id: 'bench', host: 'bench', pid: process.pid },
    createdAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 600_000).toISOString(),
  }
}

/** Asks and decisions per second, one after the other. */
export async function askAndDecide(path, count) {
  const store = await openStore({ kind: 'files', path })
  const start = performance.now()
  for (let index = 0; index < count; index += 1) {
    const { record } = await store.request(draft(index))
    const decision = { outcome: 'approve', by, at: new Date().toISOString(), revision: record.revision, mac: 'none' }
    await store.decide(record.id, { expectedRevision: record.revision, decision })
  }
  const perSecond = count / ((performance.now() - start) / 1000)
  await store.dispose()
  return perSecond
}

/** Whole calls per second: policy, ask, decision, claim, dispatch, body, consumed. */
export async function wholeCalls(root, count) {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  const runtime = await createToolRuntime({
    plugins: [approval({ root, answerers: [callback(async () => ({ outcome: 'approve' }), { id: 'bench' })], secret: 'bench' })],
    logger: quiet,
  })
  runtime.register({
    name: 'demo',
    description: 'Asks',
    input: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
    execute: async ({ text }) => text,
  })
  const start = performance.now()
  for (let index = 0; index < count; index += 1) {
    const result = await runtime.execute({ callId: `call-${index}`, name: 'demo', arguments: { text: `call ${index}` } })
    if (result.isError) throw new Error(result.error.message)
  }
  const perSecond = count / ((performance.now() - start) / 1000)
  await runtime.dispose()
  return perSecond
}
