// @ts-check
/** Tools come as plugins, a package each: take the ones you want, in one runtime. */
import { createToolRuntime } from '@toolseam/core-tools'
import { shell } from '@toolseam/shell'
import { plugin as wordCount } from 'toolseam-plugin-word-count'

const runtime = await createToolRuntime({ plugins: [shell({ root: process.cwd() }), wordCount({ language: 'en' })] })

// What a model is told about them.
console.log('tools:', runtime.view().presented.join(', '))

// Calls as a model makes them, in its order. Parallel ones overlap; results come in order.
const results = await runtime.executeAll([
  { callId: '1', name: 'bash', arguments: { command: 'echo one guarded path' } },
  { callId: '2', name: 'word_count', arguments: '{ "text": "one guarded path" }' },
  { callId: '3', name: 'word_count', arguments: { words: 3 } },
])
for (const result of results) {
  const shown = result.content.map((block) => (block.type === 'text' ? block.text.split('\n')[0] : block.type))
  console.log(result.isError ? `error ${result.error.code}` : `shown to the model: ${shown.join(' ')}`)
}

// Later plugins come and go: taken out again, one leaves nothing behind.
const greet = { name: 'greet', description: 'Says hello.', input: { type: 'object' }, execute: () => 'hello' }
const remove = await runtime.use({ name: 'temporary', apply: (host) => host.register(greet) })
console.log('with:', runtime.view().presented.join(', '))
await remove()
console.log('without:', runtime.view().presented.join(', '))

await runtime.dispose()
