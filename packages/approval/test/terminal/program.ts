/**
 * A program that asks on its terminal, for tests: calls `demo` once, and prints the result as one line.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createToolRuntime, defineTool, type CallView } from '@toolseam/core-tools'
import { approval, terminal } from '../../src/index.ts'

const job = JSON.parse(process.argv[2] ?? '{}') as {
  root: string
  args: { text: string }
  view?: CallView
  waitMs?: number
  calls?: number
  policy?: object
}
const runtime = await createToolRuntime({
  plugins: [
    approval({
      root: job.root,
      store: { kind: 'memory' },
      secret: 'test',
      answerers: [terminal()],
      ...(job.policy === undefined ? {} : { policy: job.policy as never }),
    }),
  ],
})
runtime.register(
  defineTool<{ text: string }, string>({
    name: 'demo',
    description: 'A tool that asks.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
    concurrency: 'parallel',
    describeCall: () => job.view ?? { title: 'demo', kind: 'other' },
    execute: (input) => `ran ${input.text}`,
  }),
)
process.stdout.write('READY\r\n')
// Typed-ahead input arrives here, before there is a prompt.
await sleep(job.waitMs ?? 0)
const calls = Array.from({ length: job.calls ?? 1 }, (_, index) => ({ callId: `c${index}`, name: 'demo', arguments: job.args }))
for (const result of await runtime.executeAll(calls)) {
  process.stdout.write(
    `RESULT ${result.isError ? `${result.error.code} ${JSON.stringify(result.error.details)}` : JSON.stringify(result.value)}\r\n`,
  )
}
await runtime.dispose()
