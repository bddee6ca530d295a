/**
 * The files store beside the contract: codes that do not fit, unknown versions, kinds, paths and disks.
 */
import { execFileSync } from 'node:child_process'
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ApprovalEvent, ApprovalRecord, ApprovalStore, Decision } from '../../src/index.ts'
import { openStore, scripted, store as parked, storeFolder } from '../../src/index.ts'
import { createSeal } from '../../src/providers/hash/seal.ts'
import { testDecision, testDraft, testGrant } from '../../src/testing.ts'
import { codeOf, expectCode, human, onCleanup, rig, scratch, until, yes } from '../support.ts'

const secret = 'a secret for tests'
const seal = createSeal(async () => secret)

async function open(path: string, sealed = true): Promise<ApprovalStore> {
  const opened = await openStore({ kind: 'files', path, ...(sealed ? { secret } : {}) })
  onCleanup(async () => opened.dispose())
  return opened
}

const fileOf = (path: string, id: string, number: number): string => join(path, 'asks', id, `${number}.json`)

async function readRecord(path: string, id: string, number: number): Promise<ApprovalRecord> {
  return JSON.parse(await readFile(fileOf(path, id, number), 'utf8')) as ApprovalRecord
}

describe('A-11: rows that are no decisions', () => {
  async function forge(change: (record: ApprovalRecord) => ApprovalRecord | Promise<ApprovalRecord>) {
    const path = storeFolder((await scratch()).root)
    const opened = await open(path)
    const { record } = await opened.request(testDraft())
    const pending = await readRecord(path, record.id, 1)
    await writeFile(fileOf(path, record.id, 2), JSON.stringify(await change(pending)))
    return { path, opened, record }
  }
  const approvedBy = async (record: ApprovalRecord, mac?: string): Promise<ApprovalRecord> => {
    const decision = await testDecision(record, {}, seal)
    return { ...record, revision: 2, state: 'approved', decision: mac === undefined ? decision : { ...decision, mac } }
  }

  test('A-11: a forged row without a fitting code leaves the ask pending, is named by watch, and can still be decided', async () => {
    const { opened, record, path } = await forge(async (pending) => approvedBy(pending, 'forged'))
    expect(await opened.get(record.id)).toEqual(record)
    const stop = new AbortController()
    for await (const change of opened.watch({ signal: stop.signal })) {
      if (change.problem === 'forged') break
    }
    stop.abort()
    const decided = await opened.decide(record.id, {
      expectedRevision: 1,
      decision: await testDecision(record, { outcome: 'reject' }, seal),
    })
    expect(decided).toMatchObject({ state: 'rejected', revision: 2 })
    expect(await (await open(path)).get(record.id)).toEqual(decided)
  })

  test('A-11: a decision copied from another record is none', async () => {
    const { opened, record } = await forge(async (pending) => {
      const other = await approvedBy({ ...pending, ...testDraft() })
      return { ...pending, revision: 2, state: 'approved', ...(other.decision === undefined ? {} : { decision: other.decision }) }
    })
    expect((await opened.get(record.id))?.state).toBe('pending')
  })

  test.each<[string, (record: ApprovalRecord) => ApprovalRecord]>([
    ['other arguments', (record) => ({ ...record, args: { text: 'other' } })],
    ['another outcome', (record) => ({ ...record, decision: { ...(record.decision ?? fail()), outcome: 'reject' }, state: 'rejected' })],
    ['another approver', (record) => ({ ...record, decision: { ...(record.decision ?? fail()), by: { ...human, id: 'chief' } } })],
    ['a grant', (record) => ({ ...record, decision: { ...(record.decision ?? fail()), grantId: 'grt_x_1' } })],
    [
      'an edit',
      (record) => ({
        ...record,
        decision: { ...(record.decision ?? fail()), edited: { args: { text: 'x' }, argsHash: record.argsHash, trail: [] } },
      }),
    ],
    ['another schema', (record) => ({ ...record, tool: { ...record.tool, schemaHash: 'sha256:0' } })],
    ['a skipped revision', (record) => ({ ...record, revision: 3 })],
    ['a move that does not exist', (record) => ({ ...record, state: 'consumed' })],
    ['a claim before the answer', (record) => ({ ...record, state: 'claimed' })],
  ])('A-11, A-20: a real decision with %s is none', async (_, change) => {
    const { opened, record } = await forge(async (pending) => change(await approvedBy(pending)))
    expect((await opened.get(record.id))?.state).toBe('pending')
  })

  test('A-11: a decision without a fitting code is refused by decide, in memory too', async () => {
    const path = storeFolder((await scratch()).root)
    for (const opened of [await open(path), await openStore({ kind: 'memory', secret })]) {
      const { record } = await opened.request(testDraft())
      await expectCode(opened.decide(record.id, { expectedRevision: 1, decision: await testDecision(record) }), 'APPROVAL_FORGED')
      expect((await opened.get(record.id))?.state).toBe('pending')
    }
  })

  test('A-11: the service takes a row with a code that does not fit for no decision: pending, and an event', async () => {
    const store = await openStore({ kind: 'memory' })
    const r = await rig({ store, answerers: [parked()] })
    const events: ApprovalEvent[] = []
    const stop = new AbortController()
    onCleanup(() => stop.abort())
    void (async () => {
      for await (const event of r.approval.watch(undefined, { signal: stop.signal })) events.push(event)
    })()
    const call = r.call('c1', { text: 'hello' }, { signal: stop.signal })
    await until(async () => (await store.list()).length === 1)
    const [record] = await store.list()
    if (record === undefined) return fail()
    await store.decide(record.id, { expectedRevision: 1, decision: await testDecision(record) })
    await until(() => events.some((event) => event.kind === 'forged' && event.id === record.id))
    expect(await r.approval.get(record.id)).toMatchObject({ state: 'pending' })
    expect(await r.approval.list({ state: 'pending' })).toHaveLength(1)
    stop.abort()
    expect(codeOf(await call)).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
    expect(r.ran).toEqual([])
  })

  test('A-11, A-24: a grant with a code that does not fit, or from another project, lifts nothing', async () => {
    const { root } = await scratch()
    const path = storeFolder(root)
    const remember: Decision = { outcome: 'approve', scope: 'project' }
    const r = await rig({ root, store: { kind: 'files', path }, answerers: [scripted([remember])] })
    await r.call('c1')
    const [id = ''] = (await readdir(join(path, 'grants'))).filter((name) => name.startsWith('grt_'))
    // Copied into another project.
    const other = storeFolder(`${root}-other`)
    await (await open(other)).list()
    await mkdir(join(other, 'grants', id), { recursive: true, mode: 0o700 })
    for (const name of await readdir(join(path, 'grants', id))) await link(join(path, 'grants', id, name), join(other, 'grants', id, name))
    const elsewhere = await rig({ root: `${root}-other`, store: { kind: 'files', path: other } })
    expect(await elsewhere.approval.grants()).toEqual([])
    expect(codeOf(await elsewhere.call('c2'))).toBe('APPROVAL_UNAVAILABLE')
    // Made up.
    const unsealed = await open(path, false)
    const { record } = await unsealed.request(testDraft())
    const grant = testGrant(record, 'project', { tool: 'demo' })
    await unsealed.decide(record.id, { expectedRevision: 1, decision: await testDecision(record, { grantId: grant.id }), grant })
    expect((await r.approval.grants()).map((known) => known.id)).toEqual([id])
  })
})

describe('A-18: unknown versions and states', () => {
  test.each([
    ['version', { v: 2 }],
    ['state', { state: 'postponed' }],
  ])('A-18: a row of an unknown %s: the record is left alone and reported', async (_, change) => {
    const path = storeFolder((await scratch()).root)
    const opened = await open(path)
    const { record } = await opened.request(testDraft())
    const row = JSON.stringify({ ...(await readRecord(path, record.id, 1)), revision: 2, ...change })
    await writeFile(fileOf(path, record.id, 2), row)
    await expectCode(opened.get(record.id), 'APPROVAL_RECORD_UNREADABLE')
    await expectCode(opened.claim(record.id, { worker: 'one', leaseMs: 1 }), 'APPROVAL_RECORD_UNREADABLE')
    await expectCode(
      opened.decide(record.id, { expectedRevision: 1, decision: await testDecision(record, {}, seal) }),
      'APPROVAL_RECORD_UNREADABLE',
    )
    expect(await opened.list()).toEqual([])
    for await (const change_ of opened.watch({ signal: new AbortController().signal })) {
      expect(change_).toMatchObject({ id: record.id, problem: 'unreadable' })
      break
    }
    expect(await readFile(fileOf(path, record.id, 2), 'utf8')).toBe(row)
    expect(await readdir(join(path, 'asks', record.id))).toEqual(['1.json', '2.json'])
  })
})

describe('A-29, A-32: the folder', () => {
  test('A-32: folders 0700, files 0600, and a .gitignore in the state folder', async () => {
    const { root } = await scratch()
    const r = await rig({
      root,
      store: { kind: 'files', path: storeFolder(root) },
      answerers: [scripted([{ outcome: 'approve', scope: 'user' }])],
    })
    await r.call('c1')
    await r.runtime.dispose()
    const base = join(root, '.toolseam')
    expect(await readFile(join(base, '.gitignore'), 'utf8')).toBe('*\n')
    const entries = await readdir(base, { recursive: true, withFileTypes: true })
    for (const entry of entries) {
      const { mode } = await stat(join(entry.parentPath, entry.name))
      expect([entry.name, (mode & 0o777).toString(8)]).toEqual([entry.name, entry.isDirectory() ? '700' : '600'])
    }
    expect(((await stat(base)).mode & 0o777).toString(8)).toBe('700')
    expect(entries.filter((entry) => entry.isFile()).length).toBeGreaterThan(5)
    expect(await readdir(join(base, 'approvals', '.drafts'))).toEqual([])
  })

  test('A-32: a store folder that is open to others is closed', async () => {
    const { root } = await scratch()
    await mkdir(join(root, '.toolseam'), { recursive: true })
    await chmod(join(root, '.toolseam'), 0o755)
    await open(storeFolder(root))
    expect((await stat(join(root, '.toolseam'))).mode & 0o777).toBe(0o700)
  })

  test.each(['.toolseam', '.toolseam/approvals', '.toolseam/approvals/asks'])('A-32: a symbolic link at %s is refused', async (place) => {
    const { root } = await scratch()
    const elsewhere = join(root, 'elsewhere')
    await mkdir(join(root, place, '..'), { recursive: true })
    await mkdir(elsewhere, { recursive: true })
    await symlink(elsewhere, join(root, place))
    await expectCode(open(storeFolder(root)), 'APPROVAL_STORE_UNSAFE')
    expect(await readdir(elsewhere)).toEqual([])
  })

  test('A-32: an ask whose folder or row is a symbolic link is not read', async () => {
    const path = storeFolder((await scratch()).root)
    const first = await open(path)
    const { record } = await first.request(testDraft())
    const { record: other } = await first.request(testDraft())
    await rename(join(path, 'asks', record.id), join(path, 'moved'))
    await symlink(join(path, 'moved'), join(path, 'asks', record.id))
    await rename(fileOf(path, other.id, 1), join(path, 'row'))
    await symlink(join(path, 'row'), fileOf(path, other.id, 1))
    const opened = await open(path)
    await expectCode(opened.get(record.id), 'APPROVAL_STORE_UNSAFE')
    await expectCode(opened.get(other.id), 'APPROVAL_STORE_UNSAFE')
  })

  test('A-29: another kind of store on the same folder is refused', async () => {
    const path = storeFolder((await scratch()).root)
    await mkdir(path, { recursive: true, mode: 0o700 })
    await writeFile(join(path, 'store.json'), JSON.stringify({ kind: 'sqlite', v: 1, id: 'x' }))
    await expectCode(open(path), 'APPROVAL_STORE_KIND')
  })

  test('A-29: a kind without a driver here is refused by name', async () => {
    for (const kind of ['sqlite', 'postgres', 'other']) await expectCode(openStore({ kind } as never), 'APPROVAL_STORE_DRIVER_MISSING')
  })

  test('A-32: a path below a regular file is an error at open, and unavailable at the ask', async () => {
    const { root } = await scratch()
    await mkdir(root, { recursive: true })
    await writeFile(join(root, 'file'), '')
    await expectCode(open(join(root, 'file', 'approvals')), 'APPROVAL_STORE_FAILED')
    const r = await rig({
      root: join(root, 'file'),
      answerers: [scripted([yes])],
      store: { kind: 'files', path: storeFolder(join(root, 'file')) },
    })
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_UNAVAILABLE')
    expect(r.ran).toEqual([])
  })

  test('A-32: nothing is made before the first ask', async () => {
    const { root, config } = await scratch()
    await mkdir(root, { recursive: true })
    const r = await rig({ root, policy: { version: 1, allow: ['demo'] }, store: { kind: 'files', path: storeFolder(root) } })
    expect(codeOf(await r.call('c1'))).toBe('ok')
    await r.runtime.dispose()
    expect(await readdir(root)).toEqual([])
    await expect(stat(config)).rejects.toThrow()
  })
})

describe('A-32: disks', () => {
  /** Undefined, with a line that says so, where this machine mounts nothing for us. */
  async function mounted(context: { skip(note: string): never }, type: 'tmpfs', options: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'toolseam-mount-'))
    try {
      execFileSync('mount', ['-t', type, '-o', options, type, folder], { stdio: 'pipe' })
    } catch {
      await rm(folder, { recursive: true })
      return context.skip('no mount is allowed here: full and read-only disks are not tested')
    }
    onCleanup(async () => {
      execFileSync('umount', ['-l', folder])
      await rm(folder, { recursive: true })
    })
    return folder
  }

  test('A-32: a full disk: unavailable at the ask, nothing is half written, and it works again when there is room', async (context) => {
    const folder = await mounted(context, 'tmpfs', 'size=128k,mode=700')
    const root = join(folder, 'root')
    const path = storeFolder(root)
    const first = await rig({ root, store: { kind: 'files', path }, answerers: [scripted([yes, yes, yes])] })
    expect(codeOf(await first.call('c1'))).toBe('ok')
    await until(async () => (await first.approval.list({ state: 'consumed' })).length === 1)
    await writeFile(join(folder, 'filler'), Buffer.alloc(200_000)).catch(() => undefined)
    expect(codeOf(await first.call('c2', { text: 'x'.repeat(5000) }))).toBe('APPROVAL_UNAVAILABLE')
    expect(first.ran).toHaveLength(1)
    await rm(join(folder, 'filler'))
    expect(await (await open(path)).list()).toHaveLength(1)
    expect(codeOf(await first.call('c2', { text: 'x'.repeat(5000) }))).toBe('ok')
  })

  test('A-32: a read-only file system: an error at open, unavailable at the ask', async (context) => {
    const folder = await mounted(context, 'tmpfs', 'size=1m,ro')
    await expectCode(open(storeFolder(folder)), 'APPROVAL_STORE_FAILED')
    const r = await rig({ root: folder, store: { kind: 'files', path: storeFolder(folder) }, answerers: [scripted([yes])] })
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_UNAVAILABLE')
    expect(r.ran).toEqual([])
  })
})

function fail(): never {
  throw new Error('not there')
}

test('A-32: a store whose folder is replaced by a link while it is open is written no more', async () => {
  const { root } = await scratch()
  const path = storeFolder(root)
  const opened = await open(path)
  await opened.request(testDraft())
  for (const folder of [join(path, 'asks'), path, join(root, '.toolseam')]) {
    await rename(folder, join(root, 'elsewhere'))
    await symlink(join(root, 'elsewhere'), folder)
    await expectCode(opened.request(testDraft()), 'APPROVAL_STORE_UNSAFE')
    await rm(folder)
    await rename(join(root, 'elsewhere'), folder)
  }
  expect((await opened.request(testDraft())).created).toBe(true)
})
