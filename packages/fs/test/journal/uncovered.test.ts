/**
 * Commands that may have changed something are noted under their tag (F-64), through a real runtime.
 */
import { createToolRuntime, defineTool } from '@toolseam/core-tools'
import { expect, test } from 'vitest'
import type { UncoveredNote } from '../../src/journal/records.ts'
import { createUncoveredTap } from '../../src/providers/change-journal/index.ts'

test('F-64: bash calls that ran and were not read-only are noted, others are not', async () => {
  const runtime = await createToolRuntime()
  const notes: UncoveredNote[] = []
  runtime.register(
    defineTool<{ command: string }, string>({
      name: 'bash',
      description: 'runs a command',
      input: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
      execute: ({ command }) => command,
      describeCall: ({ command }) => ({
        title: command,
        kind: 'execute',
        command,
        effects: { verdict: command.startsWith('ls') ? 'read-only' : 'unknown', commands: [], paths: [], reasons: [] },
      }),
    }),
  )
  runtime.register(defineTool<object, string>({ name: 'other', description: 'no command', input: { type: 'object' }, execute: () => 'x' }))
  const tap = createUncoveredTap({
    hooks: runtime.hooks,
    describe: (execution) => runtime.describe(execution),
    note: (note) => {
      notes.push(note)
      return Promise.resolve()
    },
  })
  await runtime.execute({ callId: 'c1', name: 'bash', arguments: { command: 'ls' }, turnId: 'turn' })
  await runtime.execute({ callId: 'c2', name: 'bash', arguments: { command: 'make' }, turnId: 'turn' })
  await runtime.execute({ callId: 'c3', name: 'other', arguments: {}, turnId: 'turn' })
  await runtime.execute({ callId: 'c4', name: 'bash', arguments: { wrong: 1 }, turnId: 'turn' })
  await runtime.execute({ callId: 'c5', name: 'bash', arguments: { command: 'rm x' } })
  await tap.settled()
  tap.dispose()
  await runtime.execute({ callId: 'c6', name: 'bash', arguments: { command: 'make' } })
  await tap.settled()
  expect(notes.toSorted((a, b) => (a.callId < b.callId ? -1 : 1))).toEqual([
    { tag: 'turn', turnId: 'turn', rootCallId: 'c2', callId: 'c2', text: 'bash: make' },
    { tag: 'c5', rootCallId: 'c5', callId: 'c5', text: 'bash: rm x' },
  ])
  await runtime.dispose()
})
