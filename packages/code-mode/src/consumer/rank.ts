/**
 * Lexical ranking of tools: words of the name weigh more than those of the namespace, and these more than those of the description.
 */

export interface Ranked {
  readonly name: string
  readonly namespace: string
  readonly title?: string
  readonly description: string
}

const WEIGHTS = { name: 16, namespace: 6, description: 2 } as const

/** Lower-case words; camelCase, snake_case, kebab-case and dots part them. */
export function tokensOf(text: string): string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== '')
}

/** Those that match at least one word, best first; equals by name. */
export function rank<T extends Ranked>(tools: readonly T[], query: readonly string[]): T[] {
  return tools
    .map((tool) => ({ tool, score: score(tool, query) }))
    .filter(({ score: points }) => points > 0)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool)
}

function score(tool: Ranked, query: readonly string[]): number {
  const fields = [
    { weight: WEIGHTS.name, words: tokensOf(`${tool.name} ${tool.title ?? ''}`) },
    { weight: WEIGHTS.namespace, words: tokensOf(tool.namespace) },
    { weight: WEIGHTS.description, words: tokensOf(tool.description) },
  ]
  return query.reduce((total, word) => total + Math.max(...fields.map(({ weight, words }) => weight * likeness(word, words))), 0)
}

function likeness(word: string, words: readonly string[]): number {
  if (words.includes(word)) return 1
  if (words.some((each) => each.startsWith(word) || (each.length > 2 && word.startsWith(each)))) return 0.6
  return words.some((each) => each.includes(word)) ? 0.3 : 0
}
