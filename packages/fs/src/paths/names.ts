/**
 * Names that are nearly the asked one (F-15): a normalisation twin may stand for it, anything further away is only proposed.
 */

const MOST_CANDIDATES = 5

/** Siblings equal after Unicode normalisation, the name itself excluded. */
export function normalisationTwins(name: string, siblings: readonly string[]): string[] {
  const wanted = name.normalize('NFC')
  return siblings.filter((sibling) => sibling !== name && sibling.normalize('NFC') === wanted)
}

/** Near names, nearest first: normalisation, blank variants and case, then at most two characters apart. */
export function nearNames(name: string, siblings: readonly string[]): string[] {
  const folded = fold(name)
  const ranked: { sibling: string; rank: number }[] = []
  for (const sibling of siblings) {
    if (sibling === name) continue
    if (fold(sibling) === folded) ranked.push({ sibling, rank: 0 })
    else {
      const apart = distanceUpTo(folded, fold(sibling), 2)
      // Two of three characters apart is another name, not a near one.
      if (apart <= 2 && apart * 2 <= name.length) ranked.push({ sibling, rank: apart })
    }
  }
  ranked.sort((a, b) => a.rank - b.rank || (a.sibling < b.sibling ? -1 : 1))
  return ranked.slice(0, MOST_CANDIDATES).map(({ sibling }) => sibling)
}

/** Case, compatibility forms, kinds and numbers of blanks and dashes set aside. */
function fold(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\u200B\u00AD]+/gu, ' ')
    .replaceAll(/\p{Dash}/gu, '-')
}

/** Edits between two names, or `most + 1` as soon as there are more. */
function distanceUpTo(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const change = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    if (Math.min(...current) > most) return most + 1
    previous = current
  }
  return previous[b.length] ?? most + 1
}
