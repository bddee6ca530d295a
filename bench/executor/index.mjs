/**
 * npm run bench -- executor: what the domain and the turn driver add to the pipeline, how fast an idle stop closes, what a million commands
 * leave in memory, and what a journal costs beside plain writes.
 */
import { report, table } from '../lib/report.mjs'
import { commandCost, idleHalt, memoryGrowth } from './domain.mjs'
import { journalRates } from './journal.mjs'

const COMMANDS = 10_000
const MILLION = Number(process.env.MEMORY_COMMANDS ?? 1_000_000)

const cost = await commandCost(COMMANDS)
const halt = await idleHalt(200)
const memory = await memoryGrowth(MILLION)
const rates = await journalRates()

const us = (value) => value.toFixed(2)
const above = cost.driver - cost.pipeline
const costs = [
  ['pipeline alone (executeAll)', us(cost.pipeline), '1.00x'],
  ['turn driver over the domain', us(cost.driver), `${(cost.driver / cost.pipeline).toFixed(2)}x`],
  ['domain alone, no pipeline', us(cost.domain), `${(cost.domain / cost.pipeline).toFixed(2)}x`],
  ['domain alone, half as many (linear?)', us(cost.half), `${(cost.half / cost.domain).toFixed(2)}x of the whole`],
]
const targets = [
  [`${COMMANDS} commands, µs CPU each above the pipeline: driver`, '<= 30', us(above)],
  [`${COMMANDS} commands handled and halted, µs CPU each: domain`, '<= 30', us(cost.halted)],
  ['idle halt, ms (median, worst)', '<= 1', `${halt.median.toFixed(3)}, ${halt.worst.toFixed(3)}`],
  [`heap growth over ${MILLION} commands, MB`, '<= 10', memory.toFixed(1)],
]
const journal = rates.map(({ name, perSecond, ratio }) => [name, Math.round(perSecond).toLocaleString('en'), ratio])

report('executor', {
  title: 'The executor',
  command: 'npm run bench -- executor',
  packages: ['@toolseam/core-tools', '@toolseam/executor-tool', '@toolseam/journal'],
  body: [
    table([`${COMMANDS} no-op calls`, 'µs CPU a call', 'to the pipeline'], costs),
    '',
    '## Targets',
    '',
    table(['what', 'target', 'measured'], targets),
    '',
    '## Journal',
    '',
    table(['appends of one 300-byte entry', 'a second', 'to plain writes'], journal),
  ].join('\n'),
  notes: [
    'CPU time of the whole process, median of interleaved rounds in one run; garbage collection is part of it.',
    'Heap growth is measured after a full collection (run with --expose-gc), past a warm-up of 20 000 commands.',
    'Journal: one append after the other, each awaited; "neighbours" appends 64 at once. Plain: one `write` and, where named, one `fdatasync` each.',
  ],
})
