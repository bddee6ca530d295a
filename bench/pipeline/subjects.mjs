/**
 * The same echo work through each contender: text in, text out, input and output validated where the peer does that.
 */
import { createToolRuntime } from '@toolseam/core-tools'

const shape = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false }
export const small = { text: 'hello' }
export const large = { text: 'x'.repeat(6 * 1024) }

const echo = (name = 'echo') => ({
  name,
  description: 'Gives back its text',
  input: shape,
  output: shape,
  execute: ({ text }) => ({ text }),
})

export function direct() {
  const run = async ({ text }) => ({ text })
  return { name: 'direct async function', run: () => run(small) }
}

async function ours({ tools = 1, taps = 0, args = small }) {
  const runtime = await createToolRuntime()
  runtime.register(echo())
  for (let index = 1; index < tools; index += 1) runtime.register(echo(`tool_${index}`))
  for (let index = 0; index < taps; index += 1) {
    runtime.hooks.preExecute.tapPromise(`pre-${index}`, async (decision) => decision)
    runtime.hooks.execute.tap(`wrap-${index}`, (dispatch) => async (options) => dispatch(options))
    runtime.hooks.postExecute.tapPromise(`post-${index}`, async (decision) => decision)
  }
  return () => runtime.execute({ callId: 'call', name: 'echo', arguments: args })
}

export async function ownSubjects() {
  return [
    { name: 'toolseam, 0 taps', run: await ours({}) },
    { name: 'toolseam, 3 async taps on each of 3 chains', run: await ours({ taps: 3 }) },
    { name: 'toolseam, 500 tools', run: await ours({ tools: 500 }) },
    { name: 'toolseam, 6 KB arguments', run: await ours({ args: large }) },
  ]
}

/** Each peer alone: one that does not install or start is told, not hidden. */
export async function peerSubjects() {
  const found = []
  const missing = []
  for (const [name, make] of Object.entries(PEERS)) {
    try {
      const subject = await make()
      await subject.run()
      found.push({ name, ...subject })
    } catch (error) {
      missing.push(`${name}: did not run here (${error instanceof Error ? error.message.split('\n')[0] : String(error)})`)
    }
  }
  return { found, missing }
}

const PEERS = {
  '@deepseek-ai/dsh-tools execute': dshTools,
  '@langchain/core tool.invoke': langchain,
  '@openai/agents FunctionTool.invoke': openaiAgents,
  'MCP client + server in memory': mcp,
  'ai tool execution': aiSdk,
}

async function dshTools() {
  const { Context } = await import('@deepseek-ai/cordis')
  const { SystemPrompt } = await import('@deepseek-ai/dsh-system-prompt')
  const { ToolRuntime, defineTool } = await import('@deepseek-ai/dsh-tools')
  const ctx = new Context()
  await ctx.plugin(SystemPrompt)
  await ctx.plugin(ToolRuntime, { mode: 'native' })
  const object = { type: 'object', properties: { text: { type: 'string', required: true } }, additionalProperties: false }
  ctx.tools.register(
    defineTool({
      name: 'echo',
      description: 'Gives back its text',
      parameters: { text: { type: 'string', required: true } },
      output: { schema: object, render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
      async execute({ text }) {
        return { text }
      },
    }),
  )
  const run = async () => {
    const result = await ctx.tools.execute({
      callId: 'call',
      id: 'call',
      toolCallId: 'call',
      name: 'echo',
      arguments: small,
      signal: new AbortController().signal,
    })
    if (result.isError) throw new Error(JSON.stringify(result).slice(0, 200))
    return result
  }
  return { run }
}

async function langchain() {
  const { tool } = await import('@langchain/core/tools')
  const { z } = await import('zod')
  const subject = tool(async ({ text }) => JSON.stringify({ text }), {
    name: 'echo',
    description: 'Gives back its text',
    schema: z.object({ text: z.string() }),
  })
  return { run: () => subject.invoke(small) }
}

async function openaiAgents() {
  const { tool, RunContext } = await import('@openai/agents')
  const { z } = await import('zod')
  const subject = tool({
    name: 'echo',
    description: 'Gives back its text',
    parameters: z.object({ text: z.string() }),
    execute: async ({ text }) => ({ text }),
  })
  const context = new RunContext()
  const text = JSON.stringify(small)
  return { run: () => subject.invoke(context, text) }
}

async function mcp() {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js')
  const { z } = await import('zod')
  const server = new McpServer({ name: 'echo', version: '1.0.0' })
  server.registerTool(
    'echo',
    { description: 'Gives back its text', inputSchema: { text: z.string() }, outputSchema: { text: z.string() } },
    async ({ text }) => ({
      content: [{ type: 'text', text }],
      structuredContent: { text },
    }),
  )
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const [left, right] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(right), client.connect(left)])
  return { run: () => client.callTool({ name: 'echo', arguments: small }) }
}

async function aiSdk() {
  const { tool, generateText, stepCountIs } = await import('ai')
  const { MockLanguageModelV3 } = await import('ai/test')
  const { z } = await import('zod')
  const echoTool = tool({
    description: 'Gives back its text',
    inputSchema: z.object({ text: z.string() }),
    execute: async ({ text }) => ({ text }),
  })
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
  const model = new MockLanguageModelV3({
    doGenerate: async () => ({
      content: [{ type: 'tool-call', toolCallId: 'call', toolName: 'echo', input: JSON.stringify(small) }],
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage,
      warnings: [],
    }),
  })
  return { run: () => generateText({ model, prompt: 'x', tools: { echo: echoTool }, stopWhen: stepCountIs(1) }) }
}
