/**
 * What the measurements of files work on: trees with known numbers of hits and names.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const LINE = 'the quick brown fox jumps over the lazy dog while nobody looks at it\n'

/** 2,000 files of 8 KiB, 500 lines with `needle`, `common` in every line of 200 of them. */
export function searchCorpus(root) {
  for (let folder = 0; folder < 40; folder += 1) {
    const directory = join(root, `pkg-${folder}`, 'src')
    mkdirSync(directory, { recursive: true })
    for (let file = 0; file < 50; file += 1) {
      const index = folder * 50 + file
      const lines = Array.from({ length: 120 }, () => LINE)
      if (index % 4 === 0) lines[110] = `const needle = ${index}\n`
      if (index % 10 === 0) for (let line = 0; line < 100; line += 1) lines[line] = `common ${line} ${LINE}`
      writeFileSync(join(directory, `file-${file}.ts`), lines.join(''))
    }
  }
}

/** 50,000 small files, 11,000 of them `.ts`. */
export function namesCorpus(root) {
  for (let folder = 0; folder < 500; folder += 1) {
    const directory = join(root, `d${folder % 25}`, `e${folder}`)
    mkdirSync(directory, { recursive: true })
    for (let file = 0; file < 100; file += 1) writeFileSync(join(directory, file < 22 ? `f${file}.ts` : `f${file}.js`), '')
  }
}
