/**
 * 10,000 generated commands: what contains a mutating command is never read-only, and neither is what bash itself cannot parse.
 */
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classify } from '../src/classify/classify.ts'

interface Piece {
  text: string
  bad: boolean
}

const READING = [
  'ls',
  'ls -la',
  'cat a',
  'grep -n x f',
  'git status',
  'git log -5',
  'echo "a b"',
  "sed -n '1p' f",
  'find . -name x',
  'sort f',
  'wc -l f',
  'true',
  '[ -f x ]',
  'printf "%s" a',
]
const MUTATING = ['rm x', 'mv a b', 'touch x', 'tee f', 'sort -o a b', 'git push', 'sed -i s/a/b/ f', 'find . -delete', 'python -c 1', '$X y', 'eval x', 'dd of=x', 'chmod +x f', 'nosuchprogram', 'cat a > b', 'x=1', '"r"m x', "$'rm' x", 'find . -exec rm {} +', 'git branch new', 'uniq a b', './run', 'source f', '{rm,x}'] // prettier-ignore

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const simple = (pool: readonly string[], bad: boolean): fc.Arbitrary<Piece> => fc.constantFrom(...pool).map((text) => ({ text, bad }))

const WRAP_SIMPLE = ['env', 'nice', 'timeout 5', 'command', 'time', 'nohup', 'stdbuf -o0', 'xargs', 'env LANG=C']
const wrap = (piece: Piece, wrapper: string): Piece => ({ text: `${wrapper} ${piece.text}`, bad: piece.bad })

const AROUND: readonly ((text: string) => string)[] = [
  (text) => `(${text})`,
  (text) => `{ ${text}\n}`,
  (text) => `if ${text}\nthen ls; fi`,
  (text) => `if ls; then ${text}\nelse cat a; fi`,
  (text) => `while ${text}\ndo ls; done`,
  (text) => `until ls; do ${text}\ndone`,
  (text) => `for f in a b; do ${text}\ndone`,
  (text) => `case x in a) ${text}\n;; esac`,
  (text) => `echo $(${text}\n)`,
  (text) => `echo "a $(${text}\n) b"`,
  (text) => `cat <(${text}\n)`,
  (text) => `cat <<END_1\n$(${text}\n)\nEND_1`,
  (text) => `echo \${x:-$(${text}\n)}`,
  (text) => `bash -c ${quote(text)}`,
  (text) => `sh <<'END_2'\n${text}\nEND_2`,
  (text) => `[[ -n $(${text}\n) ]]`,
  (text) => `! ls; ${text}`,
  (text) => `find . -exec sh -c ${quote(text)} \\;`,
  (text) => `git status -- "$(${text}\n)"`,
]
const JOIN = [' ; ', ' && ', ' || ', ' | ', ' & ', '\n', ' |& ']

const piece: fc.Arbitrary<Piece> = fc.letrec<{ piece: Piece }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 4, depthSize: 'medium', withCrossShrink: true },
    { weight: 4, arbitrary: simple(READING, false) },
    { weight: 2, arbitrary: simple(MUTATING, true) },
    { weight: 1, arbitrary: fc.tuple(simple([...READING, ...MUTATING], true), fc.constantFrom(...WRAP_SIMPLE)).map(([one, wrapper]) => wrap({ ...one, bad: MUTATING.includes(one.text) }, wrapper)) },
    { weight: 3, arbitrary: fc.tuple(tie('piece'), fc.constantFrom(...AROUND)).map(([inner, around]) => ({ text: around(inner.text), bad: inner.bad })) },
    { weight: 3, arbitrary: fc.tuple(tie('piece'), fc.constantFrom(...JOIN), tie('piece')).map(([left, join, right]) => ({ text: `{ ${left.text}\n}${join}{ ${right.text}\n}`, bad: left.bad || right.bad })) },
  ),
})).piece // prettier-ignore

const RUNS = 10_000
/** Of these, those called read-only are shown to bash: one process each, so not all of them. */
const DAMAGED = 3_000
const SHOWN = 300
const SEED = 20_260_101

describe('fuzz', () => {
  test(
    `S-61: of ${RUNS} generated commands none with a mutating part is read-only, and harmless ones are not all refused`,
    { timeout: 120_000 },
    () => {
      let harmless = 0
      let recognised = 0
      fc.assert(
        fc.property(piece, ({ text, bad }) => {
          const { verdict } = classify(text, { cwd: '/w' })
          if (bad) expect(verdict, text).not.toBe('read-only')
          else {
            harmless += 1
            if (verdict === 'read-only') recognised += 1
          }
        }),
        { numRuns: RUNS, seed: SEED },
      )
      expect(recognised / harmless).toBeGreaterThan(0.5)
    },
  )

  test('S-60: what bash -n refuses is never read-only', { timeout: 120_000 }, () => {
    const damaged = fc.tuple(piece, fc.nat(), fc.constantFrom('', ')', '(', '"', "'", '`', '$(', '}', '{', ';', '&', '|', '<', '>', ' fi', ' done', '\\', '$', '[[ ', '((', '\n')).map(([{ text }, place, noise]) => {
      const at = place % (text.length + 1)
      return text.slice(0, at) + noise + text.slice(at + (noise === '' ? 1 : 0))
    }) // prettier-ignore
    const samples = [...new Set(fc.sample(damaged, { numRuns: DAMAGED, seed: SEED }))]
    const texts = samples.filter((text) => classify(text).verdict === 'read-only')
    expect(texts.length).toBeGreaterThan(100)
    expect(refusedByBash(texts.slice(0, SHOWN))).toEqual([])
  })
})

/** One bash asks one more for each text; -n parses and runs nothing. */
function refusedByBash(texts: readonly string[]): string[] {
  const loop = 'i=0; while IFS= read -r -d "" text; do bash -n -c -- "$text" 2>/dev/null || echo "$i"; i=$((i+1)); done'
  const refused = execFileSync('bash', ['--noprofile', '--norc', '-c', loop], {
    input: texts.map((text) => `${text}\0`).join(''),
    encoding: 'utf8',
  })
  return refused
    .split('\n')
    .filter(Boolean)
    .map((index) => texts[Number(index)] ?? '')
}
