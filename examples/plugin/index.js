// @ts-check
/** A plugin of somebody else: one tool, an option, a physical copy of core-tools of its own. */
import { defineTool } from '@toolseam/core-tools'

/** @param {{ language?: string } | undefined} options */
export const plugin = ({ language = 'en' } = {}) => ({
  name: 'word-count',
  /** @param {import('@toolseam/core-tools').ToolRuntime} runtime */
  apply: (runtime) => runtime.register(wordCount(new Intl.Segmenter(language, { granularity: 'word' }))),
})

const wordCount = (/** @type {Intl.Segmenter} */ segmenter) =>
  defineTool({
    name: 'word_count',
    description: 'Counts the words of a text.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
    annotations: { readOnlyHint: true },
    concurrency: 'parallel',
    execute: (/** @type {{ text: string }} */ { text }) => [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length,
  })
