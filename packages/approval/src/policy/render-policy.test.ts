import { expect, test } from 'vitest'
import {
  renderAsk,
  renderDeny,
  renderFailedExample,
  renderFailedTest,
  renderLifted,
  renderPresetCell,
  renderUnit,
  renderWhy,
} from './render-policy.ts'

test('A-45: the words of policy', () => {
  const command = { kind: 'command', argv: ['git', 'push', null] } as const
  expect([
    renderUnit({ ...command, argv: [...command.argv] }),
    renderUnit({ kind: 'command', argv: [], unparsable: true, unknown: true }),
    renderUnit({ kind: 'path', path: 'src/a', access: 'read', of: 'call' }),
    renderUnit({ kind: 'call' }),
    renderDeny('user:rule:no-prod', { kind: 'call' }, 'not to production'),
    renderDeny('preset:read-only', { kind: 'path', path: 'src/a', access: 'write', of: 'call' }, undefined),
    renderAsk('project:ask[0]', { kind: 'command', argv: ['npm', 'publish'] }, undefined),
    renderAsk('project:ask[0]', { kind: 'command', argv: ['npm', 'publish'] }, 'goes to everybody'),
    renderLifted('user:allow[1]'),
    renderPresetCell('workspace-write'),
    renderFailedExample('user:rule:a', 'match'),
    renderFailedExample('user:rule:a', 'notMatch'),
    renderFailedTest('deny', { decision: 'ask', by: 'preset:workspace-write' }),
  ]).toMatchInlineSnapshot(`
    [
      "git push …",
      "the command",
      "src/a",
      "the call",
      "the call is denied by user:rule:no-prod: not to production",
      "src/a is denied by preset:read-only",
      "npm publish needs approval by project:ask[0]",
      "npm publish needs approval by project:ask[0]: goes to everybody",
      "matches; lifted by user:allow[1], which is narrower and as trusted",
      "decides where no rule does (workspace-write)",
      "the example is not matched by user:rule:a",
      "the example is matched by user:rule:a and should not be",
      "the call should be deny; it is ask by preset:workspace-write",
    ]
  `)
  expect(
    (
      [
        'yes',
        'maybe',
        'tool',
        'command',
        'path',
        'domain',
        'arguments',
        'annotations',
        'caller',
        'expired',
        'untrusted',
        'unknown',
      ] as const
    ).map(renderWhy),
  ).toMatchInlineSnapshot(`
    [
      "matches",
      "may match; the facts of the call do not tell",
      "is about other tools",
      "is about other commands",
      "is about other paths",
      "is about other domains",
      "is about other arguments",
      "is about other annotations",
      "is about other callers",
      "has expired",
      "is inert: the project file is not trusted",
      "does not apply: the facts of the call are not certain",
    ]
  `)
})
