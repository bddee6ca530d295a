/**
 * The prompt on a real pseudo-terminal: keys, pages, escapes, typed-ahead input, ends.
 */
import { spawn as spawnChild } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { spawn, type IPty } from '@lydell/node-pty'
import type { CallView } from '@toolseam/core-tools'
import { PROMPT_WORDS } from '../../src/prompt/render-ask.ts'
import { bundled } from '../fixture/bundle.ts'
import { onCleanup, scratch } from '../support.ts'

interface Job {
  args?: { text: string }
  view?: CallView
  waitMs?: number
  calls?: number
  policy?: object
}

interface Session {
  pty: IPty
  /** Everything printed so far. */
  output(): string
  /** Resolves when the text has been printed, `from` an earlier place of the output; gives the place behind it. */
  seen(text: string, from?: number): Promise<number>
  ended: Promise<number>
}

const script = join(import.meta.dirname, 'program.ts')

async function start(job: Job = {}, size: { cols?: number; rows?: number } = {}): Promise<Session> {
  const { root } = await scratch()
  const pty = spawn(process.execPath, [await bundled(script), JSON.stringify({ root, args: { text: 'hello' }, ...job })], {
    cols: size.cols ?? 100,
    rows: size.rows ?? 60,
    env: { ...process.env, TERM: 'xterm' } as { [name: string]: string },
  })
  let output = ''
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const look of waiting) look()
  }
  let over = false
  pty.onData((data) => {
    output += data
    wake()
  })
  const ended = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode }) => {
      over = true
      resolve(exitCode)
      wake()
    }),
  )
  onCleanup(() => (over ? undefined : pty.kill('SIGKILL')))
  return {
    pty,
    output: () => output,
    ended,
    seen: async (text, from = 0) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const at = output.indexOf(text, from)
          if (at < 0 && !over) return
          waiting.delete(look)
          if (at < 0) reject(new Error(`${JSON.stringify(text)} was not printed:\n${output}`))
          else resolve(at + text.length)
        }
        waiting.add(look)
        look()
      }),
  }
}

const KEYS = '[Ctrl-C] cancel '

describe('A-15: the terminal prompt', () => {
  test('A-15: one key allows once', async () => {
    const session = await start()
    await session.seen(KEYS)
    session.pty.write('a')
    await session.seen('RESULT "ran hello"')
    expect(await session.ended).toBe(0)
  })

  test('A-15: reject with a reason, which reaches the result', async () => {
    const session = await start()
    await session.seen(KEYS)
    session.pty.write('r')
    await session.seen('Reason for the model')
    session.pty.write('not herx\u007Fe\r')
    await session.seen('RESULT APPROVAL_REJECTED')
    expect(session.output()).toContain('"reason":"not here"')
    await session.ended
  })

  test('A-15: Enter alone does nothing, nor do other keys; then a key does', async () => {
    const session = await start()
    const at = await session.seen(KEYS)
    session.pty.write('\r')
    session.pty.write('\ry\r \u001B[A')
    session.pty.write('zq\r\n')
    session.pty.write('r')
    await session.seen('Reason for the model', at)
    expect(session.output()).not.toContain('RESULT')
    session.pty.write('\u001B')
    // Back at the question.
    await session.seen(KEYS, at)
    session.pty.write('a')
    await session.seen('RESULT "ran hello"')
    await session.ended
  })

  test('A-15: input typed before the prompt appeared is discarded', async () => {
    const session = await start({ waitMs: 1500 })
    await session.seen('READY')
    session.pty.write('aaa\ra\r')
    const at = await session.seen(KEYS)
    // What was typed ahead would have decided by now; a key of this side shows that the question is still open.
    session.pty.write('r')
    await session.seen('Reason for the model', at)
    expect(session.output()).not.toContain('RESULT')
    session.pty.write('\r')
    await session.seen('RESULT APPROVAL_REJECTED')
    await session.ended
  })

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D, the end of input', '\u0004'],
  ])('A-15: %s cancels', async (_, key) => {
    const session = await start()
    await session.seen(KEYS)
    session.pty.write(key)
    await session.seen('RESULT APPROVAL_CANCELLED')
    expect(session.output()).toContain('Cancelled')
    expect(await session.ended).toBe(0)
  })

  test('A-15: control characters are shown escaped, in every part of the ask', async () => {
    const evil = '\u001B[2J\u001B]0;owned\u0007\r\u009B31m\u202Egnp.exe\u200B'
    const session = await start({
      args: { text: evil },
      view: {
        title: `title ${evil}`,
        kind: 'execute',
        command: `command ${evil}`,
        paths: [{ path: `path ${evil}`, resolved: `/resolved ${evil}`, access: 'write', protected: true }],
        diff: `+diff ${evil}\n-line`,
      },
    })
    await session.seen(KEYS)
    const shown = session.output()
    const escaped = String.raw`\x1b[2J\x1b]0;owned\x07\r\x9b31m\u{202e}gnp.exe\u{200b}`
    for (const part of ['title ', 'command ', 'path ', '/resolved ', '+diff '])
      expect(shown.replaceAll('\r\n', '')).toContain(part + escaped)
    for (const raw of ['\u001B[2J', '\u001B]0;', '\u0007', '\u009B', '\u202E', '\u200B']) expect(shown).not.toContain(raw)
    session.pty.write('\u0003')
    await session.ended
  })

  test('A-15: shows what will run: command, words, resolved paths, change, call, rule', async () => {
    const session = await start({
      view: {
        title: 'Run git push',
        kind: 'execute',
        command: 'git push "my fork"',
        cwd: '/project',
        effects: {
          verdict: 'mutating',
          commands: [
            {
              argv: ['git', 'push', 'my fork'],
              dynamic: false,
              redirects: [{ operator: '>', target: 'log', write: true }],
              wrappedBy: ['env'],
            },
          ],
          paths: [],
          reasons: [],
        },
        paths: [{ path: './log', resolved: '/project/log', access: 'write' }],
        diff: '-old\n+new',
      },
    })
    await session.seen(KEYS)
    const lines = session
      .output()
      .split('\r\n')
      .map((line) => line.trimEnd())
    for (const line of [
      'Approval needed: Run git push',
      '  tool       demo',
      '  asked by   preset:workspace-write',
      '  call       c0 (agent)',
      '  command    git push "my fork"',
      '  in folder  /project',
      "  runs       git push 'my fork' > log (inside env)",
      '  writes     /project/log (given as ./log)',
      '    -old',
      '    +new',
      '      "text": "hello"',
    ])
      expect(lines).toContain(line)
    session.pty.write('\u0003')
    await session.ended
  })

  test('A-15: long arguments are paged, never cut; nothing is allowed before the last page', async () => {
    const words = Array.from({ length: 300 }, (_, index) => `word-${index}`).join(' ')
    const session = await start({ args: { text: words } }, { cols: 80, rows: 12 })
    let at = await session.seen('-- more:')
    session.pty.write('a\ra')
    for (let pages = 1; !session.output().includes('[a] allow once'); pages++) {
      session.pty.write(' ')
      // The next page, or the question.
      at = await session.seen(' [Ctrl-C] cancel ', at + 60)
      expect(pages).toBeLessThan(20)
    }
    expect(session.output()).not.toContain('RESULT')
    const shown = session
      .output()
      .replaceAll(/[\r\n]/g, '')
      .replaceAll(PROMPT_WORDS.page, '')
    for (const word of words.split(' ')) expect(shown).toContain(word)
    session.pty.write('a')
    await session.seen('RESULT "ran word-0')
    await session.ended
  }, 60_000)

  test('A-15: allow more shows each scope; a wrong number is asked again', async () => {
    const session = await start()
    await session.seen(KEYS)
    session.pty.write('m')
    await session.seen('1  exactly this call, for this session')
    await session.seen('Remember as')
    session.pty.write('99\r')
    const at = await session.seen('No such choice.')
    await session.seen('Remember as', at)
    session.pty.write('1\r')
    await session.seen('RESULT "ran hello"')
    await session.ended
  })

  test('A-15, A-12: edit; what does not fit is shown and asked again', async () => {
    const session = await start()
    const first = await session.seen(KEYS)
    session.pty.write('e')
    await session.seen('> {"text":"hello"}')
    session.pty.write('\u0015{"text":\r')
    const bad = await session.seen('That is not JSON.', first)
    await session.seen('> ', bad)
    session.pty.write('\u0015{"text":7}\r')
    const at = await session.seen('The edited arguments do not fit', bad)
    await session.seen('/text', at)
    const again = await session.seen(KEYS, at)
    session.pty.write('e')
    await session.seen('> {"text":"hello"}', again)
    // Left of the last two characters, then typing.
    session.pty.write('\u001B[D\u001B[D and more\r')
    await session.seen('RESULT "ran hello and more"')
    await session.ended
  })

  test('A-15: one at a time', async () => {
    const session = await start({ calls: 3 })
    let at = 0
    for (let asked = 1; asked <= 3; asked++) {
      at = await session.seen(KEYS, at)
      expect(session.output().split('Approval needed').length - 1).toBe(asked)
      session.pty.write('a')
    }
    await session.seen('RESULT', at)
    await session.ended
  })

  test('A-15: without a terminal the ask is not for it: unavailable', async () => {
    const { root } = await scratch()
    const child = spawnChild(process.execPath, [await bundled(script), JSON.stringify({ root, args: { text: 'hello' } })], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await new Promise((resolve) => child.on('close', resolve))
    expect(text).toContain('RESULT APPROVAL_UNAVAILABLE')
  })
})
