/**
 * Fenced code blocks of a markdown text; `line` is the line of the opening fence, from 1.
 * @param {string} markdown
 * @returns {{ language: string, flags: string[], text: string, line: number }[]}
 */
export function codeBlocks(markdown) {
  const blocks = []
  let open
  for (const [at, line] of markdown.split(/\r?\n/).entries()) {
    const fence = /^\s{0,3}(`{3,}|~{3,})\s*([^`]*)$/.exec(line)
    if (open === undefined && fence !== null) {
      const [language = '', ...flags] = fence[2].trim().split(/\s+/)
      open = { fence: fence[1], language, flags, lines: [], line: at + 1 }
    } else if (open !== undefined && fence !== null && fence[2] === '' && fence[1].startsWith(open.fence)) {
      const { fence: _fence, lines, ...block } = open
      blocks.push({ ...block, text: `${lines.join('\n')}\n` })
      open = undefined
    } else open?.lines.push(line)
  }
  return blocks
}

/**
 * The commands of a shell block that a test may run: those of our own door (`npm start`) and our own command (`toolseam`). A comment
 * `# exits 3` behind a command is the exit status it promises; else 0.
 * @param {string} text
 * @returns {{ command: string, status: number }[]}
 */
export function runnableCommands(text) {
  return text
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim().replace(/^\$ /, ''))
    .filter((line) => /^(?:npm start|toolseam)\b/.test(line))
    .map((command) => ({ command, status: Number(/#.*\bexits (\d+)/.exec(command)?.[1] ?? 0) }))
}
