/** The nearest right word for a wrong one. */

/** ` (did you mean "x"?)`, or nothing where no word is near. */
function hint(word: string, words: readonly string[]): string {
  const best = find(word, words)
  return best === undefined ? '' : ` (did you mean "${best}"?)`
}

/** Near: at most two slips, and fewer than half the letters. */
function find(word: string, words: readonly string[]): string | undefined {
  const limit = Math.min(2, Math.floor(Math.max(word.length, 2) / 2))
  const ranked = words.map((candidate) => ({ candidate, slips: slips(word.toLowerCase(), candidate.toLowerCase()) }))
  return ranked.filter((entry) => entry.slips <= limit).toSorted((a, b) => a.slips - b.slips)[0]?.candidate
}

/** Optimal string alignment: a swap of neighbours is one slip. */
function slips(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? 0) + 1 : Infinity
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost, swap))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

export const nearest: { hint: typeof hint; find: typeof find } = { hint, find }
