/**
 * Policy decisions: the same calls under 50 and under 500 rules, on a real folder.
 */
import { createPolicy, loadPolicy } from '@toolseam/approval'
import { median } from '../lib/measure.mjs'

const command = (...argv) => ({ argv, dynamic: false, redirects: [] })

function bash(commands, { verdict = 'unknown', paths = [] } = {}) {
  const effects = { verdict, commands, paths, reasons: [] }
  return { tool: 'bash', arguments: { command: 'as parsed' }, view: { title: 'bash', kind: 'execute', effects, paths } }
}

const file = (tool, root, path) => ({
  tool,
  arguments: { path },
  view: {
    title: tool,
    kind: tool === 'read' ? 'read' : 'edit',
    paths: [{ path, resolved: `${root}/${path}`, access: tool === 'read' ? 'read' : 'write' }],
  },
})

/** Commands, paths and other tools in equal parts; a tenth of them asks, a tenth denies. */
export function policyOf(count) {
  const lists = { allow: [], ask: [], deny: [] }
  for (let index = 0; index < count; index += 1) {
    const verb = index % 10 === 0 ? 'deny' : index % 10 === 5 ? 'ask' : 'allow'
    const rules = [
      `bash(tool${index} run *)`,
      `Edit(./area${index}/**)`,
      `mcp__server${index}__*`,
      `bash(git verb${index} *)`,
      `Read(./area${index}/*.md)`,
    ]
    lists[verb].push(rules[index % rules.length])
  }
  lists.allow.push('bash(git push *)')
  return { version: 1, ...lists }
}

export function calls(root) {
  return {
    'one command': bash([command('git', 'push', 'origin')]),
    'three commands': bash([command('git', 'push', 'origin'), command('tool8', 'run'), command('npm', 'test')]),
    'a file inside': file('write', root, 'src/deep/file.ts'),
    'another tool': { tool: 'mcp__server2__query', arguments: { sql: 'select 1' }, view: { title: 'query', kind: 'other' } },
  }
}

export async function policySubjects(root, folder) {
  const runtime = { describe: async ({ name }) => ({ title: name, kind: 'other' }), lookup: () => ({}) }
  const options = { root, configDir: `${folder}/config`, managedFile: `${folder}/managed.json`, runtime }
  const subjects = []
  for (const rules of [50, 500]) {
    const policy = await loadPolicy(policyOf(rules), options)
    for (const [name, call] of Object.entries(calls(root)))
      subjects.push({ name: `${rules} rules, ${name}`, run: () => policy.decide(call) })
    const reads = bash([command('cat', 'src/deep/file.ts')], {
      verdict: 'read-only',
      paths: [{ path: `${root}/src/deep/file.ts`, access: 'read' }],
    })
    subjects.push({ name: `${rules} rules, a command with a path looked up on disk`, run: () => policy.decide(reads) })
  }
  return subjects
}

/** Time to load, in ms. */
export function loadTime(rules) {
  const text = JSON.stringify(policyOf(rules))
  const start = performance.now()
  createPolicy({ root: '/w', layers: [{ name: 'session', text, hash: 'x', found: false, trusted: true }] })
  return performance.now() - start
}

/**
 * CPU time per decision, in microseconds: subjects interleaved over rounds of a fixed number of calls, after each was compiled. A fixed number,
 * as decisions are so short that a round sized by the clock of a busy machine may hold a few dozen only.
 */
export async function measureDecisions(subjects, { rounds = 15, calls = 4_000 } = {}) {
  const sized = subjects.map((subject) => ({ ...subject, calls: subject.name.includes('disk') ? calls / 10 : calls, samples: [] }))
  for (const { run, calls: each } of sized) for (let index = 0; index < each * 5; index += 1) await run()
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < sized.length; index += 1) {
      const { run, calls: each, samples } = sized[(index + round) % sized.length]
      const before = process.cpuUsage()
      for (let call = 0; call < each; call += 1) await run()
      const { user, system } = process.cpuUsage(before)
      samples.push((user + system) / each)
    }
  }
  return sized.map(({ name, samples }) => ({ name, us: median(samples), least: Math.min(...samples), most: Math.max(...samples) }))
}
