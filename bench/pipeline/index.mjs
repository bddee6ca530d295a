/**
 * pnpm bench pipeline: CPU time of one call through the pipeline, beside peers on the same echo work, in one run.
 */
import { measure } from '../lib/measure.mjs'
import { report, table } from '../lib/report.mjs'
import { direct, ownSubjects, peerSubjects } from './subjects.mjs'

const { found, missing } = process.env.NO_PEERS ? { found: [], missing: [] } : await peerSubjects()
const results = await measure([direct(), ...(await ownSubjects()), ...found])
const us = (name) => results.find((result) => result.name === name)?.us
const base = us('toolseam, 0 taps')

const rows = results.map(({ name, us: each, least, most }) => [
  name,
  each.toFixed(2),
  `${least.toFixed(2)}-${most.toFixed(2)}`,
  `${(each / base).toFixed(2)}x`,
])
const targets = [
  ['0 taps, µs CPU', '<= 3', base.toFixed(2)],
  ['3 async taps on each of 3 chains, µs CPU', '<= 6', us('toolseam, 3 async taps on each of 3 chains').toFixed(2)],
  ['500 tools / 1 tool', '<= 1.1', (us('toolseam, 500 tools') / base).toFixed(2)],
  ...ratio('0 taps / dsh-tools', '@deepseek-ai/dsh-tools execute', '<= 1/40'),
  ...ratio('0 taps / LangChain', '@langchain/core tool.invoke', '< 1'),
  ...ratio('0 taps / MCP', 'MCP client + server in memory', '< 1'),
]

function ratio(label, peer, target) {
  const each = us(peer)
  return each === undefined ? [] : [[label, target, `1/${(each / base).toFixed(1)}`]]
}

report('pipeline', {
  title: 'One call through the pipeline',
  command: 'npm run bench -- pipeline',
  packages: [
    '@toolseam/core-tools',
    '@deepseek-ai/dsh-tools',
    '@langchain/core',
    '@openai/agents',
    '@modelcontextprotocol/sdk',
    'ai',
    'zod',
  ],
  body: [
    table(['subject', 'µs CPU a call (median)', 'least-most', 'to toolseam'], rows),
    '',
    '## Targets',
    '',
    table(['what', 'target', 'measured'], targets),
  ].join('\n'),
  notes: [
    'CPU time of the whole process per awaited call, median of 9 interleaved rounds; garbage collection is part of it.',
    'toolseam validates input and output by JSON Schema; the peers validate what they validate by default.',
    '`ai` runs its whole generate step around a mock model, which is the only public way to its tool execution.',
    ...missing,
  ],
})
process.exit(0)
