/**
 * What the model reads about writing programs (C-20).
 */
import type { ToolMode } from '@toolseam/core-tools'
import { renderKey } from '../sdk/render-words.ts'

const RULES = [
  'The program is the body of an async function, in TypeScript or JavaScript. Tools are called as `await tools.name({ ... })`, or `tools["any-name"]({ ... })`.',
  'Only what it returns (with `return`, or as its last expression) or prints with `console.log` comes back; results of calls stay inside. Filter there and return little.',
]
const LATER_RULES = [
  'There is no `import`, `require`, `enum` or `namespace`, and no file, network, process or timer: only the language, `tools`, `console` and `ToolError`.',
  'A call that is refused or fails throws a `ToolError { tool, code, message, line }`; catch it where you can go on. What had succeeded before is not undone.',
]

/** The description of the tool itself, the same for everybody. */
export function describeRunCode(): string {
  return [
    'Runs a program that calls tools, and gives back only what it returns or prints. Each call is checked as a direct one would be.',
    ...RULES,
    'Independent calls go together: `const [a, b] = await Promise.all([tools.first({ ... }), tools.second({ ... })])`.',
    ...LATER_RULES,
    'The tools are found with `await tools.$search("words")` and declared by `await tools.$describe("name")`.',
  ].join('\n')
}

/** The same for one view, with an example made of its tools. */
export function describeLanguage({
  mode,
  tools,
}: {
  mode: ToolMode
  tools: readonly { name: string; annotations?: { readOnlyHint?: boolean } }[]
}): string {
  const direct = mode === 'code' ? ['Direct calls to tools other than `run_code` and `search_tools` fail: call them from a program.'] : []
  return [...direct, `Programs for \`run_code\`:`, ...[...RULES, exampleOf(tools), ...LATER_RULES].map((rule) => `- ${rule}`)].join('\n')
}

/** Two tools that only read make the better example. */
function exampleOf(tools: readonly { name: string; annotations?: { readOnlyHint?: boolean } }[]): string {
  const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint === true)
  const [first, second = first] = reading.length > 0 ? reading : tools
  if (first === undefined || second === undefined) return 'Independent calls go together in one `await Promise.all([...])`.'
  return `Independent calls go together: \`const [a, b] = await Promise.all([${callText(first.name)}, ${callText(second.name)}])\`.`
}

function callText(name: string): string {
  const key = renderKey(name)
  return key.startsWith('"') ? `tools[${key}]({ ... })` : `tools.${key}({ ... })`
}

export function describeCodeParameter(): string {
  return 'The program: the body of an async function.'
}

export function describeDescriptionParameter(): string {
  return 'What the program does, in a few words, for the people who watch.'
}
