// @ts-check
/** One registry, several agents: each scope sees its own layer of tools over what it inherits. */
import { createToolRuntime, defineTool } from '@toolseam/core-tools'

const runtime = await createToolRuntime()
const notes = new Map([['plan', 'ship it']])
const object = (/** @type {string[]} */ ...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
  additionalProperties: false,
})

// The global layer: every agent sees it.
runtime.register(
  defineTool({
    name: 'read_note',
    description: 'Reads a note.',
    input: object('name'),
    execute: (/** @type {{ name: string }} */ { name }) => notes.get(name) ?? null,
  }),
)
runtime.register(
  defineTool({
    name: 'write_note',
    description: 'Writes a note.',
    input: object('name', 'text'),
    execute: (/** @type {{ name: string, text: string }} */ { name, text }) => {
      notes.set(name, text)
      return 'written'
    },
  }),
)

// A reviewer may look and not touch; a tool of its own stands beside.
const reviewer = runtime.scope('reviewer')
reviewer.restrict({ deny: ['write_note'] })
reviewer.register(defineTool({ name: 'approve', description: 'Approves the plan.', input: object(), execute: () => 'approved' }))

// Its subagent inherits all that, and gets a read_note that shadows the global one.
const junior = runtime.scope('junior', { extends: 'reviewer' })
junior.register(
  defineTool({
    name: 'read_note',
    description: 'Reads the first word of a note.',
    input: object('name'),
    execute: (/** @type {{ name: string }} */ { name }) => notes.get(name)?.split(' ')[0] ?? null,
  }),
)

for (const agent of [undefined, 'reviewer', 'junior']) {
  console.log(`${agent ?? 'everybody'} sees: ${runtime.view(agent).names.join(', ')}`)
}

/** @param {string} name @param {object} args @param {string} [agent] */
const call = async (name, args, agent) => {
  const result = await runtime.execute({ callId: `${agent}-${name}`, name, arguments: args, ...(agent && { agent }) })
  return result.isError ? result.error.code : result.value
}
console.log('reviewer reads:', await call('read_note', { name: 'plan' }, 'reviewer'))
console.log('junior reads:', await call('read_note', { name: 'plan' }, 'junior'))
console.log('reviewer writes:', await call('write_note', { name: 'plan', text: 'no' }, 'reviewer'))
console.log('host writes:', await call('write_note', { name: 'plan', text: 'ship it twice' }))

await runtime.dispose()
