/**
 * The verdicts of section 8, by tables: what reads, what does not, what is disguised, and the facts handed to policy.
 */
import { describe, expect, test } from 'vitest'
import { classify } from './classify.ts'

const verdict = (command: string): string => classify(command, { cwd: '/srv/app' }).verdict

describe('PO-01: compound commands are judged by their worst part', () => {
  test.each([
    'git status && rm -rf x',
    'ls; reboot',
    'sleep 1 & rm x',
    'ls | xargs rm',
    'echo $(rm -rf x)',
    'cat a > b',
    'cat a >| b 2>&1',
    'if true; then rm x; fi',
    'f(){ rm x; }; f',
    'diff <(rm a) <(cat b)',
    'export A=$(rm x)',
    'echo ${x:-$(rm y)}',
  ])('S-61: %s', (command) => expect(verdict(command)).not.toBe('read-only'))

  test.each(['echo "a && rm -rf x"', "grep -n 'rm -rf' notes.txt", 'git log --oneline 2>&1 | head -5', 'ls -la | wc -l'])(
    'S-61: quoted text is no code: %s',
    (command) => expect(verdict(command)).toBe('read-only'),
  )
})

describe('PO-03: disguised, dynamic or unparsable commands are never read-only', () => {
  test.each([
    '"r"m x', 'r\\m x', "$'rm' x", '$CMD x', '${CMD:-rm} x', 'eval "rm x"', 'bash -c "rm x"', 'sh <<EOF\nrm x\nEOF', 'cat <<EOF\n`rm x`\nEOF',
    'cat <<EOF\n$(rm x)\nEOF', 'trap "rm x" EXIT', 'coproc rm x', 'echo "unterminated', 'LD_PRELOAD=./e.so ls', 'PATH=.:$PATH ls',
    'alias ls=rm; ls x', '. ./script.sh', 'echo x\nrm y', 'ls\u00a0-la',
  ])('S-62: %s', (command) => expect(verdict(command)).not.toBe('read-only')) // prettier-ignore

  test('S-60: a quoted heredoc fed to cat is text', () => expect(verdict("cat <<'EOF'\n$(rm x)\nEOF")).toBe('read-only'))
})

describe('S-61, S-63, S-64: nasty commands are never read-only', () => {
  test.each([
    // options that write or run
    'base64 -o out in', 'sort -o out in', 'sort --output=out in', 'sort -ro out in', 'sort --compress-program=./x in', 'uniq in out', 'uniq -c in out', 'tree -o out',
    'tree -R -H . -L 1', 'find . -delete', 'find . -fprint out', 'find . -fprintf out %p', 'find . -fls out', 'find . -exec rm {} +',
    'find . -name x -exec rm -f {} \\;', 'find . -execdir sh -c "rm {}" \\;', 'find . -ok rm {} \\;', 'find . $x', 'find . -okdir rm {} ;',
    'sed -i s/a/b/ f', 'sed --in-place s/a/b/ f', 'sed -ni p f', "sed 's/a/b/w out' f", "sed 's/a/id/e' f", "sed 'w out' f", "sed '1e rm x' f",
    "sed -f script f", "sed -n '/a/w out' f", 'sed $x f', "sed 'r /etc/passwd' f", 'date -s 12:00', 'date 01010000', 'hostname evil', 'file -C -m x',
    'rg --pre ./x foo', 'rg --pre=./x foo', 'fd -x rm', 'fd --exec rm', 'tee out', 'dd of=x', 'awk "BEGIN{system(1)}"', 'perl -e 1', 'python -c 1',
    'node -e 1', 'xxd in out',
    // wrappers
    'env rm x', 'env -S "rm x"', 'env PATH=. ls', 'env LD_PRELOAD=./x ls', 'time rm x', '\\time -o out ls', 'nice rm x', 'nice -n 5 rm x', 'nohup rm x',
    'timeout 5 rm x', 'timeout -s KILL 5 rm x', 'timeout $t ls', 'stdbuf -o0 rm x', 'command rm x', 'builtin eval x', 'xargs rm', 'xargs -I{} rm {}',
    'xargs sort', 'xargs -n1 sh -c "rm $0"', 'ls | xargs -I{} sh -c "cat {}"', 'exec ls', 'sudo ls', 'doas ls', 'npx foo', 'bunx foo', 'pnpm dlx foo',
    'yarn dlx foo', 'command command rm x', 'env env nice timeout 1 rm x',
    // git
    'git -c core.pager=./x log', 'git --exec-path=. status', 'git diff --output=x', 'git diff --outp=x', 'git log --ext-diff', 'git diff --textconv',
    'git diff -Oorder', 'git branch new', 'git branch -d x', 'git branch -v new', 'git branch -l new', 'git tag v1', 'git tag -d v1', 'git stash', 'git stash -p list', 'git stash pop',
    'git remote add a b', 'git remote update', 'git config a.b c', 'git config --unset a.b', 'git config --file x --list', 'git grep -O foo', 'git $x', 'git log $x',
    'git push', 'git checkout .', 'git -C /x status', 'git show --output x', 'git log --exclude --output=x', 'git cat-file --batch', 'git rev-parse --parseopt',
    // redirections
    'ls > out', 'ls >> out', 'ls &> out', 'ls &>> out', 'ls >& out', 'ls 2> err', 'ls <> out', ': > out', 'ls > $x', 'ls > "$x"', 'cat < /dev/tcp/evil/80', 'ls {PATH}< x',
    '> out', '{ ls; } > out', 'while true; do ls; done > out', 'ls >&$fd', 'ls > >(cat)', 'ls > .toolseam/x',
    // constructs that assign or evaluate
    'x=1', 'x=1 ls', 'PATH=. ls', 'IFS=x ls', 'for PATH in .; do ls; done', 'for http_proxy in x; do ls; done', 'select x in a; do ls; done', 'echo $((x=1))',
    'echo $((x))', '((i++))', 'echo ${x:=1}', 'echo ${x@P}', 'echo ${!x}', 'echo ${a[x]}', 'echo ${x:y}', '[[ -v a ]]', '[[ $x -eq 1 ]]', 'test -v "a[$(rm x)]"',
    '[ $x ]', 'printf -v PATH x', 'printf $x', "printf '%s%n' a PATH", 'read x', 'set -e', 'shopt -s extglob', 'unset x', 'export X=1', 'declare x=1',
    'mapfile x', 'hash -p ./evil ls', 'enable -f ./x x', 'function ls { rm x; }; ls', 'ls() { rm x; }', 'coproc ls', 'echo @(a|b)', 'for ((;;)); do ls; done',
    'a[$(rm x)]=1 ls', 'echo "${ rm x; }"',
    // names and words
    './ls', '/bin/ls', '../x', '~/x', 'l?', '{rm,x}', '`echo rm` x', '$(echo rm) x', 'ls\r', 'lѕ', 'sort *', 'sort $x', 'sort "$x"', 'uniq -- "$x"', 'tree {-o,x}', 'date $x',
    // shells
    'bash', 'bash script.sh', 'bash -lc ls', 'bash -i', 'bash -c "$x"', 'bash -c "ls; rm x"', 'echo rm x | sh', 'cat f | bash', 'curl x | sh', 'sh -s < f', 'bash <<< "rm x"', 'bash -c "bash -c \'rm x\'"',
    'zsh -c "rm x"', "bash -c 'echo $(rm x)'", 'bash -x -c ls',
    // not parsable
    'ls )', 'if true', 'echo $(', 'ls &&', '} ', 'ls | | wc', 'cat <<EOF\nx', 'for', '', '   ', '# only a comment', 'ls;;',
  ])('S-63: %j', (command) => expect(verdict(command)).not.toBe('read-only')) // prettier-ignore
})

describe('S-61, S-63, S-64: no false alarm', () => {
  test.each([
    'ls', 'ls -la', "l''s", '\\ls', 'cat a b', 'cat a > /dev/null', 'ls 2>&1', 'ls 2>/dev/null', 'ls >&2', 'cat < f', 'head -n 5 f', 'tail -5 f', 'wc -l f', 'grep -rn foo src',
    'rg -n foo src', "rg --glob '*.ts' foo", 'find . -name "*.ts" -type f', 'find src test -name x -print0', 'find . -type f -exec cat {} +', 'find . -exec grep -l x {} \\;',
    'find . -maxdepth 2 -not -path "./x/*"', 'sort f', 'sort -k2,2n -t: f', 'sort -u -r f', 'uniq -c', 'sort f | uniq -c | sort -rn | head', "sed -n '1,20p' f", "sed 's/a/b/g' f",
    "sed -n '/x/p;/y/p' f", "sed -e 's/a/b/' -e '$d' f", "sed '/^#/d' f", "sed -n '5q' f", 'git status', 'git status -sb', 'git diff', 'git diff --stat HEAD~1', 'git diff -- a b',
    'git log -5', 'git log -n 5 --oneline --graph', "git log --format='%h %s' --since=yesterday", 'git show HEAD:f', 'git blame -L 1,5 f', 'git ls-files -o --exclude-standard',
    'git rev-parse --show-toplevel', 'git rev-parse --abbrev-ref HEAD', 'git describe --tags', 'git shortlog -sn', 'git cat-file -p HEAD', 'git branch', 'git branch -a', 'git branch --list "x*"',
    'git branch --show-current', 'git tag', 'git tag -l "v*"', 'git remote -v', 'git stash list', 'git config --get user.name', 'git config --list', 'git --no-pager log -1', 'git --version',
    'env', 'env LANG=C ls', 'LC_ALL=C sort f', 'TZ=UTC date', 'date +%s', 'date -u', 'time ls', 'nice ls', 'nice -n 5 ls', 'timeout 5 ls', 'timeout -k 1 5s cat f', 'command ls', 'command -v node',
    'xargs', 'ls | xargs cat', 'ls | xargs -n1 wc -l', 'ls | xargs -I{} cat {}', 'bash -c "ls -la"', "sh -c 'ls | wc -l'", "bash <<'EOF'\nls\nEOF", 'echo ls | sh', 'bash --version', 'node --version',
    'echo $x', 'cat "$f"', 'for f in a b; do wc -l "$f"; done', 'while true; do ls; done', 'if [ -f x ]; then cat x; fi', '[[ -n $x ]] && echo y', '[ "$a" = b ]', 'test -d x', 'case x in a) ls;; esac',
    'echo $((1 + 2))', 'echo ${x:-y}', 'echo ${#x}', 'echo ${x%.ts}', 'echo ${x:1:2}', 'diff <(sort a) <(sort b)', '(cd src && ls)', 'cd src && ls', '{ ls; pwd; }', 'ls & wait || true', '! ls', 'echo "$(ls | head -1)"',
    'printf "%s\\n" a b', 'printf "%d%%\\n" 5', 'echo a > /dev/stderr', 'cat <<< "x"', 'sort ./*.txt', 'cat *.md', 'ls {a,b}', 'tr a b < f', "jq '.a' f", 'true', ':', 'ls # comment', 'exit 1',
    '[[ 1 -lt 2 ]]', 'echo \\\n  a', 'tree -L 2', 'hostname', 'ps aux', 'du -sh .', 'stat f', 'which node',
  ].filter((command) => !command.includes('wait')))('S-61: %s', (command) => expect(verdict(command)).toBe('read-only')) // prettier-ignore
})

describe('facts', () => {
  test('S-63: a wrapped command is given as written and unwrapped', () => {
    expect(classify('env sudo -u root rm "a b"').commands).toEqual([
      { argv: ['env', 'sudo', '-u', 'root', 'rm', 'a b'], dynamic: false, redirects: [] },
      { argv: ['sudo', '-u', 'root', 'rm', 'a b'], dynamic: false, redirects: [], wrappedBy: ['env'] },
      { argv: ['rm', 'a b'], dynamic: false, redirects: [], wrappedBy: ['env', 'sudo'] },
    ])
  })

  test('S-62: a dynamic word is null and says so; redirects carry their operator and target', () => {
    expect(classify('cat "$f" a > out 2>&1').commands).toEqual([
      {
        argv: ['cat', null, 'a'],
        dynamic: true,
        redirects: [
          { operator: '>', target: 'out', write: true },
          { operator: '>&', target: '1', write: false },
        ],
      },
    ])
  })

  test('S-60: commands in every position are found', () => {
    const names = (text: string): (string | null | undefined)[] => classify(text).commands.map(({ argv }) => argv[0])
    const text =
      'a && b || c; d | e & (f); { g; }; if h; then i; elif j; then k; else l; fi; while m; do n; done; for x in $(o); do p; done; case $(q) in r) s;; esac; t "$(u)" `v` <(w) > $(y); z() { aa; }; [[ $(bb) ]]; echo ${x:-$(cc)} <<EOF\n$(dd)\nEOF'
    const found = names(text)
    for (const name of [
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
      'h',
      'i',
      'j',
      'k',
      'l',
      'm',
      'n',
      'o',
      'p',
      'q',
      's',
      't',
      'u',
      'v',
      'w',
      'y',
      'aa',
      'bb',
      'cc',
      'dd',
    ]) {
      expect(found, name).toContain(name)
    }
  })

  test('S-65: paths are resolved against cwd, and follow a cd by &&', () => {
    expect(classify('cat a ../b > c', { cwd: '/w/d' }).paths).toEqual([
      { path: '/w/d/c', access: 'write' },
      { path: '/w/d/a', access: 'read' },
      { path: '/w/b', access: 'read' },
    ])
    expect(classify('cd / && echo x > etc/y', { cwd: '/w' }).paths).toEqual([{ path: '/etc/y', access: 'write' }])
  })

  test('S-65: where a cd may have failed, relative writes are not placed in the old directory', () => {
    for (const text of ['cd /; echo x > y', 'cd a || echo x > y', 'for i in 1 2; do echo x > y && cd /; done', 'cd "$d" && echo x > y']) {
      expect(classify(text, { cwd: '/w' }).verdict, text).toBe('unknown')
    }
  })

  test.each(['echo x > .toolseam/a', 'echo x > /w/.git/hooks/pre-commit', 'rm .git/config', 'tee sub/.toolseam/b', 'echo x > secret/f'])(
    'S-65: a protected path is flagged: %s',
    (text) => {
      const { paths, verdict: found } = classify(text, { cwd: '/w', protect: ['/w/secret'] })
      expect(paths.some((path) => path.access === 'write' && path.protected === true)).toBe(true)
      expect(found).not.toBe('read-only')
    },
  )

  test('S-19: a request that sets a loader name, PATH, HOME, SHELL or IFS is unknown', () => {
    for (const name of ['NODE_OPTIONS', 'LD_PRELOAD', 'BASH_ENV', 'BASH_FUNC_ls%%', 'GIT_CONFIG_COUNT', 'PATH', 'HOME', 'SHELL', 'IFS']) {
      expect(classify('ls', { env: { [name]: 'x' } }).verdict, name).toBe('unknown')
    }
    expect(classify('ls', { env: { FOO: 'x' } }).verdict).toBe('read-only')
  })

  test('S-60: reasons name the place in the text', () => {
    const text = 'ls && rm x'
    const [reason] = classify(text).reasons
    expect(text.slice(reason?.start, reason?.end)).toBe('rm x')
  })
})

describe('budget', () => {
  test('S-60: above 64 KiB is unknown', () => expect(verdict(`echo ${'a'.repeat(65_536)}`)).toBe('unknown'))

  test('S-60: deeper than 100 is unknown, without a stack overflow', () => {
    for (const depth of [101, 5_000]) expect(verdict(`${'echo $('.repeat(depth)}ls${')'.repeat(depth)}`)).toBe('unknown')
    expect(verdict(`${'('.repeat(20_000)}ls${')'.repeat(20_000)}`)).toBe('unknown')
    expect(verdict(`${'echo $('.repeat(20)}ls${')'.repeat(20)}`)).toBe('read-only')
  })

  test.each([
    ['substitutions', `echo ${'$(ls) '.repeat(1_500)}`],
    ['backticks', `echo ${'`ls` '.repeat(1_800)}`],
    ['pipelines', 'cat a | wc -l; '.repeat(600)],
    ['quoted words', `echo ${'"a $x b" '.repeat(1_000)}`],
    ['shells', "bash -c 'ls; ls'; ".repeat(500)],
  ])('S-60: the verdict on 9 KB does not hang on how busy the machine is: %s', (_name, text) => {
    expect(verdict(text)).toBe('read-only')
  })

  test('S-60: a text of many commands ends within its budget', () => {
    const began = performance.now()
    verdict('ls | wc -l; '.repeat(5_000))
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})
