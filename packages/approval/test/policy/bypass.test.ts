/**
 * Ways around a deny and around an allow, with call views as a parser gives them. `bypass-parsed.test.ts` takes the same kinds
 * through the real parser.
 */
import type { SimpleCommand } from '@toolseam/core-tools'
import { describe, expect, test } from 'vitest'
import { type CommandParts, bashCall, fileCall, HOME, otherCall, policyOf, told, verdict } from './support.ts'

const write = (target: string | null, operator = '>'): SimpleCommand['redirects'] => [{ operator, target, write: true }]
const reason = (code: string, text = code): NonNullable<CommandParts['reasons']>[number] => ({ code, text, start: 0, end: text.length })

interface Attempt {
  text: string
  commands: readonly (string | Partial<SimpleCommand>)[]
  parts?: CommandParts
}

/** What a deny of `rm` must meet. */
const DENIED: readonly Attempt[] = [
  { text: 'rm x', commands: ['rm x'] },
  { text: 'git status && rm x', commands: ['git status', 'rm x'] },
  { text: 'git status; rm x', commands: ['git status', 'rm x'] },
  { text: 'false || rm x', commands: ['false', 'rm x'] },
  { text: 'sleep 1 & rm x', commands: ['sleep 1', 'rm x'] },
  { text: 'ls | rm x', commands: ['ls', 'rm x'] },
  { text: '(rm x)', commands: ['rm x'] },
  { text: 'echo $(rm x)', commands: ['echo $', 'rm x'] },
  { text: 'cat <<EOF\n$(rm x)\nEOF', commands: ['cat', 'rm x'] },
  { text: 'f() { rm x; }; f', commands: ['rm x', { argv: ['f'], dynamic: true }], parts: { reasons: [reason('function')] } },
  { text: 'if true; then rm x; fi', commands: ['true', 'rm x'] },
  { text: '/bin/rm x', commands: ['/bin/rm x'] },
  { text: './../../bin/rm x', commands: ['./../../bin/rm x'] },
  { text: '"r"m x', commands: [{ argv: ['rm', 'x'] }] },
  { text: 'env rm x', commands: ['env rm x', { argv: ['rm', 'x'], wrappedBy: ['env'] }] },
  { text: 'env A=1 rm x', commands: ['env A=1 rm x', { argv: ['rm', 'x'], wrappedBy: ['env'] }] },
  { text: 'timeout 5 rm x', commands: ['timeout 5 rm x', { argv: ['rm', 'x'], wrappedBy: ['timeout'] }] },
  {
    text: 'nohup nice rm x',
    commands: ['nohup nice rm x', { argv: ['nice', 'rm', 'x'], wrappedBy: ['nohup'] }, { argv: ['rm', 'x'], wrappedBy: ['nohup', 'nice'] }],
  },
  { text: 'command rm x', commands: ['command rm x', { argv: ['rm', 'x'], wrappedBy: ['command'] }] },
  { text: 'sudo rm x', commands: ['sudo rm x', { argv: ['rm', 'x'], wrappedBy: ['sudo'] }], parts: { reasons: [reason('wrapper')] } },
  // The parser guesses where the options of sudo end.
  {
    text: 'sudo -u root rm x',
    commands: ['sudo -u root rm x', { argv: ['root', 'rm', 'x'], wrappedBy: ['sudo'] }],
    parts: { reasons: [reason('wrapper')] },
  },
  { text: 'ls | xargs rm', commands: ['ls', 'xargs rm', { argv: ['rm', null], dynamic: true, wrappedBy: ['xargs'] }] },
  { text: 'find . -exec rm {} ;', commands: ['find . -exec rm {} ;', { argv: ['rm', null], dynamic: true, wrappedBy: ['find'] }] },
  { text: 'sh -c "rm x"', commands: [{ argv: ['sh', '-c', 'rm x'] }, { argv: ['rm', 'x'], wrappedBy: ['sh'] }] },
  { text: 'rm $X', commands: ['rm $X'] },
  { text: 'rm x > /dev/null', commands: [{ argv: ['rm', 'x'], redirects: write('/dev/null') }] },
  // Only names are told of what is around it.
  { text: 'exec -a n rm x', commands: [{ argv: ['rm', 'x'], wrappedBy: ['exec'] }] },
]

/** What allow rules for `git *`, `npm test`, `ls *`, `echo *`, `cat *`, `cd *` must not let through. */
const NOT_ALLOWED: readonly Attempt[] = [
  { text: 'git status && rm x', commands: ['git status', 'rm x'] },
  { text: 'git status $X', commands: ['git status $X'] },
  { text: '$X status', commands: ['$X status'] },
  { text: './git status', commands: ['./git status'] },
  { text: '/tmp/git status', commands: ['/tmp/git status'] },
  { text: 'PATH=. git status', commands: ['git status'], parts: { reasons: [reason('assignment', 'PATH=.')] } },
  { text: 'LD_PRELOAD=./e.so ls', commands: ['ls'], parts: { reasons: [reason('assignment', 'LD_PRELOAD=./e.so')] } },
  { text: 'GIT_EXTERNAL_DIFF=./e git diff', commands: ['git diff'], parts: { reasons: [reason('assignment', 'GIT_EXTERNAL_DIFF=./e')] } },
  { text: 'A=1\\ PATH=. ls', commands: ['ls'], parts: { reasons: [reason('assignment', 'A=1\\ PATH=.')] } },
  {
    text: 'env LD_PRELOAD=x ls',
    commands: ['env LD_PRELOAD=x ls', { argv: ['ls'], wrappedBy: ['env'] }],
    parts: { reasons: [reason('variable')] },
  },
  { text: 'env $X ls', commands: ['env $X ls', { argv: ['ls'], wrappedBy: ['env'] }] },
  { text: 'a PATH in the request', commands: ['ls'], parts: { reasons: [reason('variable', '')] } },
  { text: 'alias ls=rm; ls x', commands: [{ argv: ['alias', 'ls=rm'] }, 'ls x'], parts: { reasons: [reason('changes-shell')] } },
  { text: 'export PATH=.; ls', commands: ['export PATH=.', 'ls'] },
  { text: 'git() { rm x; }; git status', commands: ['rm x', 'git status'], parts: { reasons: [reason('function')] } },
  { text: 'ls "unterminated', commands: ['ls'], parts: { reasons: [reason('syntax')] } },
  { text: 'nothing at all', commands: [] },
  { text: 'a reason of a newer parser', commands: ['ls'], parts: { reasons: [reason('something-new')] } },
  {
    text: 'so many reasons that one may be missing',
    commands: ['ls'],
    parts: { reasons: Array.from({ length: 50 }, () => reason('unlisted')) },
  },
  { text: 'echo x > /etc/y', commands: [{ argv: ['echo', 'x'], redirects: write('/etc/y') }] },
  { text: 'echo x > ../y', commands: [{ argv: ['echo', 'x'], redirects: write('../y') }] },
  { text: 'echo x >| $Y', commands: [{ argv: ['echo', 'x'], redirects: write(null, '>|') }] },
  { text: 'echo x > ~/y', commands: [{ argv: ['echo', 'x'], redirects: write('~/y') }] },
  { text: 'cd / && echo x > etc/y', commands: ['cd /', { argv: ['echo', 'x'], redirects: write('etc/y') }] },
  { text: 'cd $D && echo x > y', commands: ['cd $D', { argv: ['echo', 'x'], redirects: write('y') }] },
  { text: '{ ls; } > /etc/y', commands: ['ls'], parts: { reasons: [reason('redirect')], paths: [{ path: '/etc/y', access: 'write' }] } },
  { text: '{ ls; } > $y', commands: ['ls'], parts: { reasons: [reason('redirect')] } },
  { text: 'echo x > .git/hooks/pre-commit', commands: [{ argv: ['echo', 'x'], redirects: write('.git/hooks/pre-commit') }] },
  { text: 'sudo git status', commands: ['sudo git status', { argv: ['git', 'status'], wrappedBy: ['sudo'] }] },
  { text: 'npx git status', commands: ['npx git status', { argv: ['git', 'status'], wrappedBy: ['npx'] }] },
  { text: 'xargs npm test', commands: ['xargs npm test', { argv: ['npm', 'test', null], wrappedBy: ['xargs'] }] },
  { text: 'timeout 5 rm x', commands: ['timeout 5 rm x', { argv: ['rm', 'x'], wrappedBy: ['timeout'] }] },
  {
    text: 'timeout --odd 5 ls',
    commands: ['timeout --odd 5 ls', { argv: ['ls'], wrappedBy: ['timeout'] }],
    parts: { reasons: [reason('wrapper')] },
  },
  { text: 'npm test -- --reporter x', commands: ['npm test -- --reporter x'] },
  { text: 'npm test\u00A0', commands: [{ argv: ['npm', 'test\u00A0'] }] },
]

describe('A-40: bypass attempts', () => {
  test('A-40: there are 40 and more', () => {
    expect(DENIED.length + NOT_ALLOWED.length).toBeGreaterThanOrEqual(40)
  })

  const deny = { session: { deny: ['bash(rm *)'] } }
  test.each(DENIED)('A-40: a deny of rm meets $text', async ({ commands, parts }) => {
    for (const preset of ['workspace-write', 'full-access'] as const)
      expect(await told(policyOf(deny, { preset }), bashCall(commands, parts))).toBe('deny by session:deny[0]')
    // Above any allow, whatever the layer.
    expect(await verdict(policyOf({ ...deny, managed: { allow: ['*', 'bash(rm x)', 'bash(* *)'] } }), bashCall(commands, parts))).toBe(
      'deny',
    )
  })

  const allow = {
    session: {
      allow: [
        'bash(git *)',
        'bash(npm test)',
        'bash(ls *)',
        'bash(echo *)',
        'bash(cat *)',
        'bash(cd *)',
        'bash(alias *)',
        'bash(timeout *)',
        'bash(env *)',
      ],
    },
  }
  test.each(NOT_ALLOWED)('A-40: allow rules do not let $text through', async ({ commands, parts }) => {
    expect(await verdict(policyOf(allow), bashCall(commands, parts))).toBe('ask')
    expect(await verdict(policyOf(allow, { preset: 'read-only' }), bashCall(commands, parts))).toBe('deny')
  })

  test.each<Attempt>([
    { text: 'git status && npm test', commands: ['git status', 'npm test'], parts: { reasons: [reason('git'), reason('unlisted')] } },
    {
      text: 'NODE_ENV=test npm test',
      commands: ['npm test'],
      parts: { reasons: [reason('assignment', 'NODE_ENV=test'), reason('unlisted')] },
    },
    {
      text: 'echo x > notes',
      commands: [{ argv: ['echo', 'x'], redirects: write('notes') }],
      parts: { reasons: [reason('redirect')], paths: [{ path: '/w/notes', access: 'write' }] },
    },
    { text: '{ ls; } > notes', commands: ['ls'], parts: { reasons: [reason('redirect')], paths: [{ path: '/w/notes', access: 'write' }] } },
    {
      text: 'ls 2>&1 >/dev/null',
      commands: [{ argv: ['ls'], redirects: [{ operator: '>&', target: '1', write: false }, ...write('/dev/null')] }],
    },
    { text: 'timeout 5 npm test', commands: ['timeout 5 npm test', { argv: ['npm', 'test'], wrappedBy: ['timeout'] }] },
    {
      text: 'env CI=1 npm test',
      commands: ['env CI=1 npm test', { argv: ['npm', 'test'], wrappedBy: ['env'] }],
      parts: { reasons: [reason('variable', 'env CI=1 npm test')] },
    },
    { text: 'cd src && ls', commands: ['cd src', 'ls'] },
  ])('A-40: no false alarm: allow rules let $text through', async ({ commands, parts }) => {
    expect(await verdict(policyOf(allow), bashCall(commands, parts))).toBe('allow')
  })

  test('A-40: an allow of every path does not let through a target that is not known', async () => {
    const policy = policyOf({ session: { allow: ['bash(echo *)', 'bash(cd *)', 'Edit(/**)'] } })
    expect(await verdict(policy, bashCall([{ argv: ['echo', 'x'], redirects: write('/etc/y') }]))).toBe('allow')
    expect(await verdict(policy, bashCall([{ argv: ['echo', 'x'], redirects: write(null) }]))).toBe('ask')
    expect(await verdict(policy, bashCall(['cd -', { argv: ['echo', 'x'], redirects: write('y') }]))).toBe('ask')
  })

  test('A-40: a wrapped command is allowed as written if the pattern names what is run', async () => {
    const call = bashCall(['sudo systemctl restart x', { argv: ['systemctl', 'restart', 'x'], wrappedBy: ['sudo'] }], {
      reasons: [reason('wrapper')],
    })
    const allowed = (text: string): Promise<string> => verdict(policyOf({ session: { allow: [text] } }), call)
    expect(await allowed('bash(sudo systemctl restart *)')).toBe('allow')
    expect(await allowed('bash(sudo *)')).toBe('ask')
    expect(await allowed('bash(systemctl *)')).toBe('ask')
  })

  test('A-40: a deny of a wrapper meets it as written', async () => {
    const call = bashCall(['sudo ls', { argv: ['ls'], wrappedBy: ['sudo'] }])
    expect(await verdict(policyOf({ session: { deny: ['bash(sudo *)'] } }, { preset: 'full-access' }), call)).toBe('deny')
    expect(
      await verdict(
        policyOf({ session: { deny: ['bash(sudo *)'] } }, { preset: 'full-access' }),
        bashCall([{ argv: ['ls'], wrappedBy: ['sudo'] }]),
      ),
    ).toBe('deny')
  })

  test('A-40: unparsable or empty asks, is denied where the preset denies, and passes full-access only without a rule for commands', async () => {
    const empty = bashCall([])
    const broken = bashCall(['ls'], { reasons: [reason('syntax')] })
    for (const call of [empty, broken]) {
      expect(await verdict(policyOf({ session: { allow: ['Bash', '*'] } }), call)).toBe('ask')
      expect(await verdict(policyOf({}, { preset: 'read-only' }), call)).toBe('deny')
      expect(await verdict(policyOf({}, { preset: 'full-access' }), call)).toBe('allow')
      expect(await verdict(policyOf({ session: { deny: ['Edit(./x)'] } }, { preset: 'full-access' }), call)).toBe('allow')
      expect(await verdict(policyOf({ session: { deny: ['bash(rm *)'] } }, { preset: 'full-access' }), call)).toBe('ask')
      const { units } = await policyOf({}).judge(call)
      expect(units[0]?.asks[0]?.remember).toBe('none')
    }
  })

  test('A-40: in full-access a part that may be what a rule denies asks', async () => {
    const policy = policyOf({ session: { deny: ['bash(rm *)'] } }, { preset: 'full-access' })
    expect(await verdict(policy, bashCall(['$CMD x']))).toBe('ask')
    expect(await verdict(policy, bashCall(['ls x']))).toBe('allow')
  })

  test('A-40: paths of a command meet the deny and ask rules of Read and Edit', async () => {
    const policy = policyOf({
      session: { deny: ['Read(./.env)', 'Edit(./locked/**)'], ask: ['Read(./private/**)'], allow: ['Bash', 'bash(cat *)'] },
    })
    const cat = (path: string, access: 'read' | 'write' = 'read') => bashCall([`cat ${path}`], { paths: [{ path, access }] })
    expect(await told(policy, cat('/w/.env'))).toBe('deny by session:deny[0]')
    expect(await told(policy, cat('/w/locked/a', 'write'))).toBe('deny by session:deny[1]')
    expect(await told(policy, cat('/w/private/a'))).toBe('ask by session:ask[0]')
    expect(await verdict(policy, cat('/w/a'))).toBe('allow')
    // From another folder, too.
    expect(await verdict(policy, bashCall(['cd sub', 'cat ../.env'], { paths: [{ path: '/.env', access: 'read' }] }))).toBe('deny')
    expect(await verdict(policy, bashCall(['cd sub', 'cat --file=../.env'], { paths: [{ path: '/.env', access: 'read' }] }))).toBe('deny')
  })

  test('A-40: taking a folder away touches what is denied in it', async () => {
    const policy = policyOf({ session: { deny: ['Edit(./src/locked/**)'] } }, { preset: 'full-access' })
    expect(await verdict(policy, fileCall('delete', 'src'))).toBe('deny')
    expect(await verdict(policy, fileCall('move', 'src'))).toBe('deny')
    expect(await verdict(policy, fileCall('delete', 'lib'))).toBe('allow')
    expect(await verdict(policy, fileCall('write', 'src/a'))).toBe('allow')
    expect(await verdict(policy, bashCall(['rm -rf src'], { paths: [{ path: '/w/src', access: 'write' }] }))).toBe('deny')
  })

  test('section 7: a home path of a command is outside', async () => {
    const call = (path: string) => bashCall([`cat ${path}`], { verdict: 'read-only', paths: [{ path, access: 'read' }] })
    expect(await verdict(policyOf({}), call('~/.ssh/id'))).toBe('ask')
    expect(await verdict(policyOf({ session: { deny: ['Read(~/.ssh/**)'] } }), call('~/.ssh/id'))).toBe('deny')
    expect(await verdict(policyOf({ session: { deny: [`Read(${HOME}/.ssh/**)`] } }), call('~/.ssh/id'))).toBe('deny')
    expect(await verdict(policyOf({}), bashCall(['cd ..', 'ls'], { verdict: 'read-only' }))).toBe('ask')
    expect(await verdict(policyOf({}), bashCall(['cd', 'ls'], { verdict: 'read-only' }))).toBe('ask')
    expect(await verdict(policyOf({}), bashCall(['cd src', 'ls'], { verdict: 'read-only' }))).toBe('allow')
  })
})

describe('A-10: the model never answers by a command', () => {
  const policy = policyOf({ managed: { allow: ['*', 'Bash', 'bash(toolseam *)'] } }, { preset: 'full-access' })
  const text = (...argv: string[]): Partial<SimpleCommand> => ({ argv })

  test.each<[string, readonly (string | Partial<SimpleCommand>)[]]>([
    ['toolseam approvals approve x', ['toolseam approvals approve x']],
    ['toolseam policy trust', ['toolseam policy trust']],
    ['toolseam --root . approvals list', ['toolseam --root . approvals list']],
    ['./node_modules/.bin/toolseam approvals approve x', ['./node_modules/.bin/toolseam approvals approve x']],
    ['npx toolseam@1.0.0 approvals approve x', ['npx toolseam@1.0.0 approvals approve x']],
    ['pnpm exec toolseam policy trust', ['pnpm exec toolseam policy trust']],
    ['node node_modules/toolseam/dist/cli.js approvals approve x', ['node node_modules/toolseam/dist/cli.js approvals approve x']],
    ['ls && toolseam approvals approve x', ['ls', 'toolseam approvals approve x']],
    [
      'env -u TOOLSEAM_CALL toolseam approvals approve x',
      ['env -u TOOLSEAM_CALL toolseam approvals approve x', { argv: ['toolseam', 'approvals', 'approve', 'x'], wrappedBy: ['env'] }],
    ],
    ['eval "toolseam approvals approve x"', [text('eval', 'toolseam approvals approve x')]],
    ['sh -c "toolseam policy trust"', [text('sh', '-c', 'toolseam policy trust')]],
    ['toolseam $X approve x', ['toolseam $X approve x']],
    ['$X approvals approve x', ['$X approvals approve x']],
  ])('A-10: %s', async (_text, commands) => {
    expect(await told(policy, bashCall(commands))).toBe('deny by builtin:self-approval')
  })

  test.each<[string, readonly (string | Partial<SimpleCommand>)[]]>([
    ['toolseam tools', ['toolseam tools']],
    ['echo toolseam approvals', ['echo toolseam approvals']],
    ['grep -r toolseam policy', ['grep -r toolseam policy']],
    ['git commit -m "toolseam policy"', [text('git', 'commit', '-m', 'toolseam policy')]],
    ['cat toolseam.policy.json', ['cat toolseam.policy.json']],
  ])('A-10: no false alarm: %s', async (_text, commands) => {
    expect(await verdict(policy, bashCall(commands))).toBe('allow')
  })
})

describe('P-88: incomplete facts', () => {
  test('P-88: no allow rule applies, a rule that cannot be judged asks, a deny of the tool denies', async () => {
    const call = otherCall('write', { path: 'x' }, { incomplete: true })
    expect(await verdict(policyOf({ managed: { allow: ['*', 'Edit', 'write'] } }), call)).toBe('ask')
    expect(await verdict(policyOf({ session: { deny: ['Edit(./secret)'] } }, { preset: 'full-access' }), call)).toBe('ask')
    expect(await verdict(policyOf({ session: { deny: ['Edit'] } }, { preset: 'full-access' }), call)).toBe('deny')
    expect(await verdict(policyOf({}, { preset: 'full-access' }), call)).toBe('allow')
  })
})
