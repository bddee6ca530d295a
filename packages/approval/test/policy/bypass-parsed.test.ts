/**
 * The same kinds of bypass as `bypass.test.ts`, as texts: through the parser of the shell package, whose facts are all that policy reads.
 */
import { classify } from '@toolseam/shell'
import { describe, expect, test } from 'vitest'
import type { PolicyCall } from '../../src/definition/policy.ts'
import { policyOf, ROOT, told, verdict } from './support.ts'

function bash(command: string): PolicyCall {
  const effects = classify(command, { cwd: ROOT })
  return {
    tool: 'bash',
    arguments: { command },
    view: { title: command, kind: 'execute', command, cwd: ROOT, effects, paths: effects.paths },
  }
}

describe('A-40: texts', () => {
  const deny = { session: { deny: ['bash(rm *)'] } }

  test.each([
    'rm x', 'git status && rm x', 'ls; rm x', 'false || rm x', 'sleep 1 & rm x', 'ls | rm x', '(rm x)', '{ rm x; }', '! rm x', 'echo $(rm x)', 'echo `rm x`', 'echo "$(rm x)"',
    'cat <<EOF\n$(rm x)\nEOF', 'cat <(rm x)', 'ls > $(rm x)', 'X=$(rm x)', 'X=1 rm x', 'f() { rm x; }; f', 'if true; then rm x; fi', 'if rm x; then :; fi', 'while rm x; do :; done', 'for i in a; do rm x; done',
    'case a in a) rm x;; esac', 'echo ${x:-$(rm x)}', '/bin/rm x', './rm x', '"rm" x', 'r\\m x', "r''m x", "$'rm' x", 'env rm x', 'env A=1 B=2 rm x', 'env -i rm x', 'nice -n 5 rm x', 'nohup rm x', 'timeout 5 rm x',
    'time rm x', 'command rm x', 'builtin rm x', 'exec rm x', 'sudo rm x', 'sudo -u root rm x', 'sudo -n -u root rm x', 'doas rm x', 'ls | xargs rm', 'ls | xargs -n1 rm -f', 'find . -exec rm {} \\;', 'find . -execdir rm -f {} +', 'npx rm x', 'sh -c "rm x"', "bash -c 'ls; rm x'",
    'bash <<EOF\nrm x\nEOF', 'echo rm x | sh', "bash -c 'bash -c \"rm x\"'", 'rm $X', 'rm x > /dev/null 2>&1', '[[ $(rm x) ]]', 'echo $(echo $(rm x))', 'coproc rm x', 'nohup nice timeout 5 env rm x',
  ])('A-40: a deny of rm meets %j', async (command) => {
    expect(await told(policyOf(deny, { preset: 'full-access' }), bash(command))).toBe('deny by session:deny[0]')
  }) // prettier-ignore

  test.each([
    '$X x', '${X:-rm} x', 'eval "rm x"', 'echo "unterminated', '', '# nothing', '. ./x.sh', 'alias ls=rm; ls x', '$(echo rm) x', 'PATH=. ls', 'cat f | sh', 'bash -c "$X"', 'trap "rm x" EXIT', 'l? x',
  ])('A-40: what may be rm under a deny of rm is not simply run: %j', async (command) => {
    expect(await verdict(policyOf(deny, { preset: 'full-access' }), bash(command))).not.toBe('allow')
  }) // prettier-ignore

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
        'bash(export *)',
        'bash(timeout *)',
        'bash(env *)',
        'bash(xargs *)',
        'bash(find *)',
        'bash(sh *)',
        'bash(true)',
      ],
    },
  }

  test.each([
    'git push && rm x', 'git push $X', '$X push', './git push', 'PATH=. git push', 'LD_PRELOAD=./e.so ls', 'GIT_SSH_COMMAND=./e git fetch', 'env PATH=. git push', 'env LD_PRELOAD=x ls', 'env $X git push', "env -S 'rm x' ls",
    'alias git=rm; git push', 'export PATH=.; git push', 'git() { rm x; }; git push', 'git push "unterminated', 'git push )', '', 'echo x > /etc/y', 'echo x > ../y', 'echo x >| $Y', 'echo x > ~/y', 'echo x &> /etc/y', 'cd / && echo x > etc/y',
    'cd "$D" && echo x > y', 'cd ..; echo x > y', '{ ls; } > /etc/y', '{ ls; } > $y', 'while true; do ls; done > /etc/y', '> /etc/y', '(ls) > ../y', 'ls <> /etc/y', 'echo x > .git/hooks/pre-commit', 'echo x > toolseam.policy.json', 'sudo git push', 'sudo -u root git push', 'npx git push',
    'timeout 5 rm x', 'timeout --odd 5 rm x', 'npm test -- x', 'npm test $X', 'npm test\u00A0', 'ls | xargs rm', 'find . -exec rm {} \\;', 'sh -c "rm x"', 'eval "rm x"', 'coproc rm x', 'echo $((a[$(rm x)]))', 'echo ${!X}', 'read PATH; git push',
    `${'foo; '.repeat(60)}PATH=. git push`, `${'git push; '.repeat(60)}PATH=. git push`, 'echo x > /dev/tcp/a.example/80', 'cat < /dev/tcp/a.example/80', 'bash -c "git push"', 'X=1\\ PATH=. git push', 'for PATH in .; do git push; done', 'git push <<EOF\n$(rm x)\nEOF',
  ])('A-40: allow rules do not let %j through', async (command) => {
    for (const preset of ['workspace-write', 'read-only'] as const) expect(await verdict(policyOf(allow, { preset }), bash(command))).not.toBe('allow')
  }) // prettier-ignore

  test.each([
    'git push', 'git push && npm test', 'git push; npm test', 'git push | cat', '(git push)', 'if true; then git push; fi', 'for i in a b; do git push; done', 'echo x > notes', 'echo x >> src/notes', '{ git push; } > notes', 'git push 2>&1', 'git push > /dev/null 2>&1',
    'timeout 5 git push', 'env CI=1 npm test', 'NODE_ENV=test npm test', 'nohup nice git push', 'cd src && git push', 'cd src && echo x > notes', 'echo $(git push)'.replace('echo $(git push)', 'git push; git push'), "git commit -m 'a && b'", 'sh -c "git push"', 'cat <<EOF > notes\nhello\nEOF',
  ])('A-40: no false alarm: allow rules let %j through', async (command) => {
    expect(await told(policyOf(allow), bash(command))).toMatch(/^allow by session:allow/)
  }) // prettier-ignore

  test.each(['sudo systemctl restart x', 'sudo -n systemctl restart x'])(
    'A-40: allowed as written where the pattern names what runs: %j',
    async (command) => {
      const spec = command.replace(/restart x$/, '*')
      expect(await verdict(policyOf({ session: { allow: [`bash(${spec})`] } }), bash(command))).toBe('allow')
      expect(await verdict(policyOf({ session: { allow: ['bash(sudo *)', 'bash(systemctl status)'] } }), bash(command))).toBe('ask')
    },
  )

  test.each([
    ['cat .env', 'deny'], ['cat < .env', 'deny'], ['cat ./src/../.env', 'deny'], ['cat /w/.env', 'deny'], ['cd src && cat ../.env', 'deny'], ['cd src; cat ../.env', 'deny'], ['head -n 5 .env', 'deny'], ['echo x > .env', 'allow'], ['cat .envrc', 'allow'], ['(cd src && cat ../.env)', 'deny'],
    ['grep -r x .env', 'deny'], ['wc -l < .env', 'deny'], ['diff a .env', 'deny'],
  ])('A-40: a deny of Read(./.env) on %j: %s', async (command, expected) => {
    const policy = policyOf({ session: { deny: ['Read(./.env)'] } }, { preset: 'full-access' })
    expect(await verdict(policy, bash(command))).toBe(expected)
  }) // prettier-ignore

  test.each([
    ['git status', 'allow'], ['ls -la && git diff', 'allow'], ['cat src/a | wc -l', 'allow'], ['cat /etc/passwd', 'ask'], ['cat ~/.ssh/id', 'ask'], ['cat "$HOME/.ssh/id"', 'ask'], ['ls ..', 'ask'], ['cd .. && ls', 'ask'], ['cd && ls', 'ask'], ['cat src/../../x', 'ask'], ['npm test', 'ask'], ['rm x', 'ask'],
    ['cat .toolseam/output/x.log', 'allow'], ['echo x > .toolseam/approvals/x', 'deny'], ['rm -rf .toolseam', 'deny'],
  ])('section 7: %j in workspace-write: %s', async (command, expected) => {
    expect(await verdict(policyOf({}), bash(command))).toBe(expected)
  }) // prettier-ignore

  test.each([
    'toolseam approvals approve x', 'env toolseam policy trust', 'sudo -u me toolseam approvals approve x', 'timeout 5 npx toolseam approvals approve x', 'sh -c "toolseam approvals approve x"', 'echo toolseam approvals approve x | sh', 'unset TOOLSEAM_CALL; toolseam approvals approve x',
    'eval "toolseam approvals approve x"', 'xargs toolseam approvals approve < ids', 'T=toolseam; $T approvals approve x', './node_modules/.bin/toolseam approvals approve x', 'node node_modules/toolseam/dist/cli.js approvals approve x', '( toolseam approvals approve x )', 'ls `toolseam approvals approve x`',
  ])('A-10: %j is denied in full-access', async (command) => {
    expect(await told(policyOf({ managed: { allow: ['*', 'Bash'] } }, { preset: 'full-access' }), bash(command))).toBe('deny by builtin:self-approval')
  }) // prettier-ignore
})

describe('A-40: what a deny meets beside the words as they stand', () => {
  const layers = { session: { allow: ['bash(*)'], deny: ['bash(rm *)', 'bash(git push *)', 'bash(npm publish *)'] } }

  test.each([
    'git -C . push', 'git --no-pager push', 'git -c a.b=c push origin', 'git -c a=b -C . --no-pager push', 'git --git-dir .git push', 'npm --prefix sub publish', 'npm --silent publish',
    'setsid rm x', 'setsid -w rm x', 'ionice -c 3 rm x', 'flock lock rm x', 'watch -n 1 rm x', 'parallel rm ::: x', 'ssh host rm x', 'chroot / rm x', 'strace -f rm x', 'busybox rm x', 'toybox rm x', 'eval rm x', 'env setsid rm x',
    'setsid git -C . push', 'taskset 1 rm x', 'unshare -r rm x',
  ])('A-40: options before the verb and wrappers that nobody opens do not hide a denied command: %j', async (command) => {
    expect(await verdict(policyOf(layers, { preset: 'full-access' }), bash(command))).toBe('deny')
  }) // prettier-ignore

  test.each([
    'eval "rm x"',
    "bash -lc 'rm x'",
    "sh -ec 'rm x'",
    'watch "rm x"',
    'script -c "rm x"',
    'su -c "rm x"',
    'ssh host "rm x; ls"',
    'trap "rm x" EXIT',
    "flock lock -c 'rm x'",
  ])('A-40: an allow rule does not reach a text that nobody has read: %j', async (command) => {
    expect(await verdict(policyOf(layers, { preset: 'full-access' }), bash(command))).not.toBe('allow')
  })

  test.each([
    'git -C . status',
    'git --no-pager log push',
    'bash script.sh',
    'ssh host uptime',
    'watch -n 1 date',
    'find . -name rm',
    'command -v rm',
    'grep -rn rm src',
  ])('A-40: what merely names it runs: %j', async (command) => {
    expect(await verdict(policyOf(layers, { preset: 'full-access' }), bash(command))).toBe('allow')
  })

  test.each([
    "git -c alias.x='!toolseam approvals approve a' x",
    'git bisect run toolseam approvals approve a',
    'rg --pre toolseam policy',
    'git -c core.pager="!toolseam policy trust" log',
  ])('A-10: programs that run others on the way are no way to answer: %j', async (command) => {
    expect(await verdict(policyOf({ session: { allow: ['bash(*)'] } }, { preset: 'full-access' }), bash(command))).toBe('deny')
  })

  test.each(['git commit -m "toolseam approvals: words"', 'git add packages/toolseam', 'rg "toolseam approvals"'])(
    'A-10: what merely names it runs: %j',
    async (command) => {
      expect(await verdict(policyOf({ session: { allow: ['bash(*)'] } }, { preset: 'full-access' }), bash(command))).toBe('allow')
    },
  )

  test.each(['ls 2>/dev/null', 'ls > /dev/null 2>&1', 'diff /dev/null a'])(
    'A-40: the null device is no place outside: %j',
    async (command) => {
      expect(await verdict(policyOf({}), bash(command))).toBe('allow')
    },
  )

  const paths = { session: { allow: ['bash(*)'], deny: ['Read(./secret/**)', 'Edit(./src/**)'] } }

  test.each([
    'sed -i s/a/b/ src/a.ts',
    'dd of=src/a.ts',
    'git checkout src/a.ts',
    'python3 tool.py secret/key',
    'cp secret/key x',
    'cd sub && dd if=../secret/key',
    'git diff --no-index /dev/null secret/key',
    'tool --file=secret/key',
  ])('A-40: a path among the words of a program that nobody knows is not simply let through: %j', async (command) => {
    expect(await verdict(policyOf(paths, { preset: 'full-access' }), bash(command))).not.toBe('allow')
  })

  test.each(['sed -i s/a/b/ lib/a.ts', 'git checkout lib', 'git commit -m "change src"', 'echo secret > x'])(
    'A-40: other words are words: %j',
    async (command) => {
      expect(await verdict(policyOf(paths, { preset: 'full-access' }), bash(command))).toBe('allow')
    },
  )
})
