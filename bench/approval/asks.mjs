/**
 * Asks on the store `files`: the two commits of one ask and its decision, beside the same file steps and nothing else, as the disk of the
 * moment decides about both; and whole calls through the runtime.
 */
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
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

/** Asks and decisions per second, one after the other; `bare`: their file steps alone. In turns, so that both meet the same disk. */
export async function askAndDecide(path, { blocks = 20, size = 50 } = {}) {
  const store = await openStore({ kind: 'files', path: join(path, 'store') })
  mkdirSync(join(path, 'bare'))
  const ms = { stored: 0, bare: 0 }
  for (let block = 0; block < blocks; block += 1) {
    const start = performance.now()
    for (let index = 0; index < size; index += 1) await askOnce(store, block * size + index)
    const between = performance.now()
    for (let index = 0; index < size; index += 1) fileSteps(join(path, 'bare'), block * size + index)
    ms.stored += between - start
    ms.bare += performance.now() - between
  }
  await store.dispose()
  const perSecond = (all) => (blocks * size) / (all / 1000)
  return { stored: perSecond(ms.stored), bare: perSecond(ms.bare) }
}

async function askOnce(store, index) {
  const { record } = await store.request(draft(index))
  const decision = { outcome: 'approve', by, at: new Date().toISOString(), revision: record.revision, mac: 'none' }
  await store.decide(record.id, { expectedRevision: record.revision, decision })
}

/** A folder, two files made whole under their names, files and folders on the disk. */
function fileSteps(path, index) {
  const folder = join(path, `ask-${index}`)
  mkdirSync(folder)
  for (const name of ['1.json', '2.json']) {
    const draftFile = join(path, 'draft')
    const file = openSync(draftFile, 'wx')
    writeSync(file, 'x'.repeat(1200))
    fsyncSync(file)
    closeSync(file)
    linkSync(draftFile, join(folder, name))
    syncFolder(folder)
    unlinkSync(draftFile)
  }
  syncFolder(path)
}

function syncFolder(path) {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
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
