/**
 * What the model reads of a catalogue that is too large to be shown.
 */

export function renderNamespaces(counts: ReadonlyMap<string, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const lines = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([namespace, count]) => `- ${namespace}: ${count}`)
  return [
    `There are ${total} tools; not all are declared below. Tools by namespace:`,
    ...lines,
    'Find one with `await tools.search("words", { namespace?, limit = 12, offset })` and read its declaration with `await tools.describe("name")`.',
  ].join('\n')
}

export function describeSearchTools(): string {
  return 'Finds tools that programs of run_code can call, by words of their name, namespace and description. Gives their names; with `name` instead of a query, the TypeScript declaration of that tool.'
}

export function renderUnknownName(name: string): string {
  return `There is no tool ${JSON.stringify(name)}. Search for it with tools.$search("words").`
}

/** The pipeline's sentence, which names what is near, with the word first that a program may look for. */
export function renderUnknownCall(sentence: string): string {
  return `Unknown tool. ${sentence}`
}
