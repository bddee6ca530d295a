import { describe, expect, test } from 'vitest'
import { importClaude } from '../../src/policy/import-claude.ts'
import { bashCall, policyOf, verdict } from './support.ts'

const rules = (deny: unknown[]) => importClaude({ permissions: { deny } })

describe('A-47: Claude permissions', () => {
  test.each<[string, string]>([
    ['Bash', 'Bash'],
    ['Bash(*)', 'Bash'],
    ['Bash(git status)', 'Bash(git status)'],
    ['Bash(npm run test:*)', 'Bash(npm run test *)'],
    ['Bash(git push *)', 'Bash(git push *)'],
    ['Read(//etc/**)', 'Read(/etc/**)'],
    ['Read(/src/**)', 'Read(./src/**)'],
    ['Read(./.env)', 'Read(./.env)'],
    ['Read(~/.ssh/**)', 'Read(~/.ssh/**)'],
    ['Edit(docs/**)', 'Edit(docs/**)'],
    ['Write(//tmp/x)', 'write(/tmp/x)'],
    ['MultiEdit', 'edit'],
    ['Glob', 'glob'],
    ['LS', 'list'],
    ['KillShell', 'bash_kill'],
    ['mcp__github', 'mcp__github'],
    ['mcp__github__*', 'mcp__github__*'],
    ['mcp__github__get_issue', 'mcp__github__get_issue'],
  ])('A-47: %s becomes %s', (from, to) => {
    const report = rules([from])
    expect(report).toEqual({
      ok: true,
      policy: { version: 1, deny: [to] },
      notes: [{ pointer: '/permissions/deny/0', from, to, outcome: from === to ? 'kept' : 'translated' }],
    })
  })

  test.each([
    'WebFetch(domain:a.example)',
    'WebSearch',
    'Task',
    'Agent(x)',
    'Bash(git * main)',
    'Bash(npm run test*)',
    'Bash(a && b)',
    'Bash(',
    'Bash()',
    'Read(*.{ts,js})',
    'Read(!x)',
    'mcp__a__b(x)',
    'KillShell(x)',
    7,
  ])('A-47: %j has no exact counterpart: an error, not a guess', (from) => {
    const report = rules(['Bash(git status)', from])
    expect(report.ok).toBe(false)
    expect(report.policy.deny).toEqual(['Bash(git status)'])
    expect(report.notes[1]).toMatchObject({ pointer: '/permissions/deny/1', outcome: 'error' })
    expect(report.notes[1]?.message).not.toBe('')
  })

  test('A-47: other keys are reported, each list keeps its verb, and the result loads', async () => {
    const report = importClaude({
      permissions: {
        defaultMode: 'acceptEdits',
        additionalDirectories: ['../x'],
        allow: ['Bash(git status)', 'Bash(npm test:*)', 'Bash(npm test *)'],
        ask: ['Bash(git push:*)'],
        deny: ['Bash(rm:*)', 'Read(./.env)'],
      },
    })
    expect(report.ok).toBe(false)
    expect(report.notes.filter(({ outcome }) => outcome === 'error').map(({ pointer }) => pointer)).toEqual([
      '/permissions/defaultMode',
      '/permissions/additionalDirectories',
    ])
    expect(report.policy).toEqual({
      version: 1,
      allow: ['Bash(git status)', 'Bash(npm test *)'],
      ask: ['Bash(git push *)'],
      deny: ['Bash(rm *)', 'Read(./.env)'],
    })
    const policy = policyOf({ user: report.policy }, { preset: 'full-access' })
    expect(await verdict(policy, bashCall(['rm x']))).toBe('deny')
    expect(await verdict(policy, bashCall(['git push x']))).toBe('ask')
  })

  test.each([null, [], {}, { permissions: [] }, { permissions: { allow: 'Bash' } }])('A-47: %j is no settings file', (settings) => {
    expect(importClaude(settings).ok).toBe(false)
  })
})
