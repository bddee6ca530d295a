/**
 * Which lines of a hunk's two sides differ: common lines by longest common subsequence (hunks are small), the rest as runs.
 */

export interface DifferentRun {
  oldStart: number
  oldEnd: number
  newStart: number
  newEnd: number
}

/** Above this many cells the middle is taken as one run. */
const MOST_CELLS = 4_000_000

export function commonLines(old: readonly string[], now: readonly string[]): DifferentRun[] {
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const whole = { oldStart: head, oldEnd: old.length - tail, newStart: head, newEnd: now.length - tail }
  const rows = whole.oldEnd - head
  const columns = whole.newEnd - head
  if (rows === 0 && columns === 0) return []
  if (rows === 0 || columns === 0 || rows * columns > MOST_CELLS) return [whole]
  return runsOf(old.slice(head, whole.oldEnd), now.slice(head, whole.newEnd)).map((run) => ({
    oldStart: run.oldStart + head,
    oldEnd: run.oldEnd + head,
    newStart: run.newStart + head,
    newEnd: run.newEnd + head,
  }))
}

function runsOf(old: readonly string[], now: readonly string[]): DifferentRun[] {
  const width = now.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        old[row] === now[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0)
    }
  }
  const runs: DifferentRun[] = []
  let row = 0
  let column = 0
  const extend = (rows: number, columns: number): void => {
    const last = runs.at(-1)
    if (last !== undefined && last.oldEnd === row && last.newEnd === column) {
      last.oldEnd += rows
      last.newEnd += columns
    } else {
      runs.push({ oldStart: row, oldEnd: row + rows, newStart: column, newEnd: column + columns })
    }
    row += rows
    column += columns
  }
  while (row < old.length || column < now.length) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      row += 1
      column += 1
    } else if (
      column >= now.length ||
      (row < old.length && (lengths[(row + 1) * width + column] ?? 0) >= (lengths[row * width + column + 1] ?? 0))
    ) {
      extend(1, 0)
    } else {
      extend(0, 1)
    }
  }
  return runs
}
