/**
 * What a stop releases, through the ports of the neighbours (E-29 to E-31).
 */
import type { OwnedWork, ReleaseOrder } from '@toolseam/core-tools'
import {
  createAdmissions,
  createToolDomainRunner,
  createToolExecutionDomain,
  ownedToolResources,
  type ChangePort,
  type HaltOrder,
  type OwnedToolResources,
  type ResourceReport,
} from '@toolseam/executor-tool'
import { deniedSurface } from '@toolseam/core-tools'
import { drainReady } from '@toolseam/executor-tool/testing'
import { describe, expect, test } from 'vitest'

function ports(stuck: number[] = []): { processes: OwnedWork; changes: ChangePort; log: string[]; orders: ReleaseOrder[] } {
  const log: string[] = []
  const orders: ReleaseOrder[] = []
  return {
    log,
    orders,
    processes: {
      async release(order) {
        orders.push(order)
        log.push(`release ${order.turnId ?? order.rootCallIds?.join('+') ?? ''}`)
        return { ended: [], kept: [], stuck }
      },
    },
    changes: {
      async revert({ tag, rootCallIds }) {
        log.push(`revert ${tag} ${rootCallIds?.join('+') ?? 'all'}`)
        return { files: [{ path: 'f', conflict: 'the user was here' }] }
      },
    },
  }
}

function assembled(resources: OwnedToolResources) {
  const errors: [unknown, HaltOrder, string][] = []
  const admissions = createAdmissions<string>()
  const runner = createToolDomainRunner({ resources, admissions, onReleaseError: (...error) => void errors.push(error) })
  const domain = createToolExecutionDomain({ runner, surface: deniedSurface('x'), interruptMs: 20 })
  const gates = new Map<string, (value: string) => void>()
  const start = (id: string, turnId: string | undefined): void => {
    admissions.put(id, {
      callId: `call-${id}`,
      ...(turnId === undefined ? {} : { turnId }),
      run: () => new Promise((resolve) => void gates.set(id, resolve)),
    })
    domain.handle({ commandId: id, dlineTid: id, ...(turnId === undefined ? {} : { turnId }) })
  }
  return { domain, errors, start, open: (id: string) => gates.get(id)?.('v') }
}

describe('the runner', () => {
  test('E-29, E-30: cancelCommand starts before the drain, revertDiff after it; once each for a halt id', async () => {
    const { processes, changes, log } = ports()
    const { domain, start, open } = assembled(ownedToolResources({ processes, changes }))
    start('a', 't1')
    await drainReady()
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    await drainReady()
    expect(log).toEqual(['release t1'])
    open('a')
    await halted
    await domain.halt({ haltId: 'h', reason: 'cancel' })
    expect(log).toEqual(['release t1', 'revert t1 call-a'])
  })

  test.each(['sync', 'async'])(
    'E-29: each fails (%s) while the other works; each failure is reported once and never rethrown',
    async (how) => {
      for (const which of ['cancelCommand', 'revertDiff'] as const) {
        const worked: string[] = []
        const fail = (): Promise<void> => {
          if (how === 'sync') throw new Error(which)
          return Promise.reject(new Error(which))
        }
        const work = async (): Promise<void> => void worked.push('worked')
        const resources = { cancelCommand: work, revertDiff: work, [which]: fail }
        const { domain, errors } = assembled(resources)
        const order = { haltId: 'h', reason: 'cancel' as const }
        await domain.halt(order)
        expect(worked).toEqual(['worked'])
        expect(errors).toMatchObject([[{ message: which }, order, which]])
      }
    },
  )

  test('E-29: one that hangs does not keep the other from being tried', async () => {
    const log: string[] = []
    const { domain } = assembled({ cancelCommand: () => new Promise(() => {}), revertDiff: async () => void log.push('reverted') })
    await expect(domain.halt({ haltId: 'h', reason: 'cancel' })).rejects.toMatchObject({ code: 'INTERRUPT_TIMEOUT' })
    expect(log).toEqual(['reverted'])
  })

  test('E-29: where no interrupt ran, the release starts cancelCommand', async () => {
    const log: string[] = []
    const runner = createToolDomainRunner({
      admissions: createAdmissions<string>(),
      resources: { cancelCommand: async () => void log.push('cancel'), revertDiff: async () => void log.push('revert') },
    })
    const order = { haltId: 'h', reason: 'cancel' as const }
    await runner.release(order, { order, signal: new AbortController().signal, blocks: [], drained: false })
    expect(log).toEqual(['cancel', 'revert'])
  })
})

describe('owned resources', () => {
  test('E-30: released once for each turn of the cut, for blocks without one once by root calls', async () => {
    const { processes, orders } = ports()
    const { domain, start, open } = assembled(ownedToolResources({ processes, deadlineMs: 700 }))
    start('a', 't1')
    start('b', 't1')
    start('c', 't2')
    start('d', undefined)
    start('e', undefined)
    await drainReady()
    const halted = domain.halt({ haltId: 'h', reason: 'terminate' })
    for (const id of ['a', 'b', 'c', 'd', 'e']) open(id)
    await halted
    expect(orders).toEqual([
      { reason: 'terminate', turnId: 't1', deadlineMs: 700 },
      { reason: 'terminate', turnId: 't2', deadlineMs: 700 },
      { reason: 'terminate', rootCallIds: ['call-d', 'call-e'], deadlineMs: 700 },
    ])
  })

  test('E-30: something stuck is reported, never ignored', async () => {
    const { processes } = ports([812])
    const { domain, errors, start, open } = assembled(ownedToolResources({ processes }))
    start('a', 't1')
    await drainReady()
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    open('a')
    await halted
    expect(errors).toMatchObject([[{ code: 'PROCESSES_STUCK', facts: { pids: [812] } }, { haltId: 'h' }, 'cancelCommand']])
  })

  test('E-31: unapplied undoes what the cut blocks wrote, turn all of the turn, none nothing', async () => {
    for (const [revert, expected] of [
      ['unapplied', ['revert t1 call-a']],
      ['turn', ['revert t1 all']],
      ['none', []],
    ] as const) {
      const { changes, log } = ports()
      const reports: ResourceReport[] = []
      const { domain, start, open } = assembled(ownedToolResources({ changes, revert, report: (report) => reports.push(report) }))
      start('done', 't1')
      await drainReady()
      open('done')
      await drainReady()
      start('a', 't1')
      await drainReady()
      const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
      open('a')
      await halted
      expect(log).toEqual(expected)
      // Conflicts are told.
      expect(reports).toHaveLength(expected.length)
      if (reports[0] !== undefined)
        expect(reports[0]).toMatchObject({ kind: 'changes', turnId: 't1', report: { files: [{ conflict: 'the user was here' }] } })
    }
  })

  test('E-30, E-31: the open turn is released and undone as well where the stop meets none of its blocks', async () => {
    const { processes, changes, log } = ports()
    const { domain } = assembled(ownedToolResources({ processes, changes, revert: 'turn', openTurn: () => 't9' }))
    await domain.halt({ haltId: 'h', reason: 'terminate' })
    expect(log).toEqual(['release t9', 'revert t9 all'])
  })

  test('E-31: one turn that cannot be undone does not keep another from it', async () => {
    const log: string[] = []
    const changes: ChangePort = {
      async revert({ tag }) {
        if (tag === 't1') throw new Error('no')
        log.push(tag)
        return {}
      },
    }
    const { domain, errors, start, open } = assembled(ownedToolResources({ changes }))
    start('a', 't1')
    start('b', 't2')
    await drainReady()
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    open('a')
    open('b')
    await halted
    expect(log).toEqual(['t2'])
    expect(errors).toMatchObject([[{ message: 'no' }, { haltId: 'h' }, 'revertDiff']])
  })

  test('ports that are not there are no error', async () => {
    const { domain, errors } = assembled(ownedToolResources({ processes: () => undefined, changes: () => undefined }))
    await domain.halt({ haltId: 'h', reason: 'cancel' })
    expect(errors).toEqual([])
  })
})
