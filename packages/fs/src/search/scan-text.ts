/**
 * Finding lines in decoded text: the heart of the fallback engine. The functions of this file refer to nothing outside of it, because
 * their source text is also what a worker thread runs (`scannerSource`): a pattern that never ends can then be ended from outside.
 */

/** Only structured-clonable values: it travels to the worker. Sources come from `scriptPattern`. */
export interface ScanRequest {
  /** For text with characters beyond ASCII. */
  source: string
  /** Same meaning on ASCII text, faster. */
  asciiSource: string
  ignoreCase: boolean
  multiline: boolean
  before: number
  after: number
  mode: 'lines' | 'files' | 'count'
  /** Hits wanted of one text; scanning stops after them. */
  limit: number
}

export interface ScannedHit {
  line: number
  column: number
  text: string
  cut?: 'left' | 'right' | 'both'
  before?: string[]
  after?: string[]
}

export interface Scanner {
  /** Whole lines, in order; only the last piece may end without a line end. `isAscii`, where it is known. */
  push(text: string, isAscii?: boolean): void
  finish(): { hits: ScannedHit[]; count: number }
  /** Nothing more is wanted. */
  readonly full: boolean
}

/** A window of 250 bytes around `at`, cut at character starts (F-53). `more`: the line goes on beyond the bytes given. */
export function windowAround(
  bytes: Uint8Array,
  at: number,
  more: { left: boolean; right: boolean },
): { text: string; cut?: 'left' | 'right' | 'both' } {
  const size = 250
  let from = Math.max(0, at - Math.floor(size / 3))
  if (!more.right) from = Math.max(0, Math.min(from, bytes.length - size))
  let to = Math.min(bytes.length, from + size)
  const continues = (index: number): boolean => ((bytes[index] ?? 0) & 0xc0) === 0x80
  for (let step = 0; step < 3 && from > 0 && continues(from); step += 1) from += 1
  for (let step = 0; step < 3 && to < bytes.length && to > from && continues(to); step += 1) to -= 1
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(from, to))
  const left = from > 0 || more.left
  const right = to < bytes.length || more.right
  if (!left && !right) return { text }
  return { text, cut: left && right ? 'both' : left ? 'left' : 'right' }
}

/** Characters (code points) of a text. */
export function characters(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0xdc00 || unit > 0xdfff || at === 0 || (text.charCodeAt(at - 1) & 0xfc00) !== 0xd800) count += 1
  }
  return count
}

/** The line as it is shown: whole up to 500 bytes, else a window around the character at `at`. */
export function shownLine(line: string, at: number): { text: string; cut?: 'left' | 'right' | 'both' } {
  const longest = 500
  const reach = 300
  if (line.length * 3 <= longest) return { text: line }
  const encoder = new TextEncoder()
  if (line.length <= longest && encoder.encode(line).length <= longest) return { text: line }
  const lead = encoder.encode(line.slice(Math.max(0, at - reach), at))
  const rest = encoder.encode(line.slice(at, at + reach))
  const bytes = new Uint8Array(lead.length + rest.length)
  bytes.set(lead)
  bytes.set(rest, lead.length)
  return windowAround(bytes, lead.length, { left: at > reach, right: at + reach < line.length })
}

/** A context line: its beginning, marked when there is more. */
export function contextLine(line: string): string {
  const shown = shownLine(line, 0)
  return shown.cut === undefined ? shown.text : `${shown.text}\u2026`
}

export function createScanner(request: ScanRequest): Scanner {
  const flags = request.ignoreCase ? 'iv' : 'v'
  const compiled = (source: string): { anywhere: RegExp; line: RegExp } => ({
    anywhere: new RegExp(source, `${flags}gm`),
    line: new RegExp(source, flags),
  })
  const ascii = compiled(request.asciiSource)
  const full = compiled(request.source)
  const hits: ScannedHit[] = []
  let count = 0
  let lineNumber = 1
  let lastHitLine = -1
  let earlier: string[] = []
  let waiting: ScannedHit[] = []
  const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)
  const enough = (): boolean => (request.mode === 'lines' ? hits.length >= request.limit : request.mode === 'files' && count > 0)

  const linesBefore = (text: string, start: number): string[] => {
    const found: string[] = []
    let end = start - 1
    while (found.length < request.before && end >= 0) {
      const begin = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1
      found.unshift(contextLine(withoutReturn(text.slice(begin, end))))
      end = begin - 1
    }
    const missing = request.before - found.length
    return missing > 0 ? [...earlier.slice(-missing), ...found] : found
  }
  const linesAfter = (text: string, from: number, wanted: number): string[] => {
    const found: string[] = []
    let begin = from
    while (found.length < wanted && begin < text.length) {
      const newline = text.indexOf('\n', begin)
      const end = newline === -1 ? text.length : newline
      found.push(contextLine(withoutReturn(text.slice(begin, end))))
      begin = end + 1
    }
    return found
  }
  const emit = (text: string, place: { line: number; start: number; end: number; at: number; column: number }): void => {
    if (place.line <= lastHitLine) return
    // In a run of matching lines only the first has a beginning that both engines know.
    const continues = request.multiline && place.line === lastHitLine + 1
    lastHitLine = place.line
    if (request.mode !== 'lines') return
    const line = withoutReturn(text.slice(place.start, place.end))
    const hit: ScannedHit = {
      line: place.line,
      column: continues ? 1 : place.column,
      ...shownLine(line, continues ? 0 : Math.min(place.at, line.length)),
    }
    if (request.before > 0) hit.before = linesBefore(text, place.start)
    if (request.after > 0) {
      hit.after = linesAfter(text, place.end + 1, request.after)
      if (hit.after.length < request.after) waiting.push(hit)
    }
    hits.push(hit)
  }
  /** The lines of one match; the first carries the match, the others begin with it. */
  const emitMatch = (text: string, found: { index: number; length: number }, first: { line: number; start: number }): number => {
    let { line, start } = first
    const last = Math.max(found.index, found.index + found.length - 1)
    const column = characters(text.slice(start, found.index)) + 1
    for (;;) {
      const newline = text.indexOf('\n', start)
      const end = newline === -1 ? text.length : newline
      if (start < text.length || found.length === 0) emit(text, { line, start, end, at: Math.max(0, found.index - start), column })
      if (end >= last || enough()) return end
      line += 1
      start = end + 1
    }
  }

  return {
    get full(): boolean {
      return enough()
    },
    push(text, isAscii = !/[^\0-\x7f]/.test(text)) {
      for (const { after } of waiting) after?.push(...linesAfter(text, 0, request.after - after.length))
      waiting = waiting.filter(({ after }) => after !== undefined && after.length < request.after)
      const { anywhere, line: inLine } = isAscii ? ascii : full
      let counted = 0
      let at = 0
      const lineAt = (start: number): number => {
        for (let newline = text.indexOf('\n', counted); newline !== -1 && newline < start; newline = text.indexOf('\n', newline + 1)) {
          lineNumber += 1
          counted = newline + 1
        }
        return lineNumber
      }
      while (at <= text.length && !enough()) {
        anywhere.lastIndex = at
        const found = anywhere.exec(text)
        if (found === null || (found.index >= text.length && (text === '' || text.endsWith('\n')))) break
        const start = found.index === 0 ? 0 : text.lastIndexOf('\n', found.index - 1) + 1
        const newline = text.indexOf('\n', found.index)
        const end = newline === -1 ? text.length : newline
        if (request.multiline) {
          count += 1
          emitMatch(text, { index: found.index, length: found[0].length }, { line: lineAt(start), start })
          at = found[0].length === 0 ? found.index + 1 : found.index + found[0].length
        } else {
          const inside = inLine.exec(withoutReturn(text.slice(start, end)))
          // As the ripgrep engine has it: nothing is found behind the last character of a text without a last line end.
          const beyond = inside !== null && inside[0] === '' && start + inside.index === text.length
          if (inside !== null && !beyond) {
            count += 1
            emitMatch(text, { index: start + inside.index, length: 0 }, { line: lineAt(start), start })
          }
          at = end + 1
        }
      }
      if (enough()) return
      lineAt(text.length)
      if (request.before > 0) earlier = linesBefore(text, text.endsWith('\n') ? text.length : text.length + 1)
    },
    finish: () => ({ hits, count }),
  }
}

/** JavaScript that declares the functions of this file and evaluates to `createScanner`. */
export function scannerSource(): string {
  // Some bundlers wrap inner functions in a helper of this name.
  const helper = 'const __name = (value) => value'
  const functions = [windowAround, characters, shownLine, contextLine, createScanner].map(String)
  return [`(() => {`, helper, ...functions, `return ${identifierOf(createScanner)} })()`].join('\n')
}

/** The name by which the functions of one file call each other; a bundler may have shortened it. */
export function identifierOf(declared: { name: string }): string {
  return /^(?:async )?function\s*([\w$]+)/.exec(String(declared))?.[1] ?? declared.name
}
