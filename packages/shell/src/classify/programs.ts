/**
 * Programs that can be read-only, and what of them is (S-61). A program that is not here is unknown. `anyWord`: no option of it writes or starts
 * anything, so that its words need not be known. Sources: the manuals of GNU coreutils, findutils, grep, diffutils, procps, util-linux, ripgrep, fd, jq.
 */
import type { OptionTable } from './options.ts'

export interface Program {
  /** Its words need not be known. */
  anyWord?: true
  table?: OptionTable
  /** Most operands, and none that could be several. */
  maxOperands?: number
  operand?: RegExp
  /** Its operands are files. */
  files?: true
  /** Its first operand is not a file (a pattern, a filter). */
  firstIsPattern?: true
}

const reader = { anyWord: true, files: true } as const
const talker = { anyWord: true } as const
const search = { anyWord: true, files: true, firstIsPattern: true } as const

export const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>(
  Object.entries({
    // files to stdout
    cat: reader, head: reader, tail: reader, wc: reader, nl: reader, tac: reader, rev: reader, fold: reader, fmt: reader, expand: reader,
    unexpand: reader, paste: reader, join: reader, comm: reader, cmp: reader, diff: reader, cut: reader, od: reader, hexdump: reader,
    strings: reader, column: reader, cksum: reader, sum: reader, md5sum: reader, sha1sum: reader, sha224sum: reader, sha256sum: reader,
    sha384sum: reader, sha512sum: reader, b2sum: reader, base32: reader, ls: reader, stat: reader, du: reader, df: reader,
    readlink: reader, realpath: reader,
    // patterns in files
    grep: search, egrep: search, fgrep: search, jq: search,
    // words and facts
    echo: talker, pwd: talker, true: talker, false: talker, ':': talker, basename: talker, dirname: talker, seq: talker, sleep: talker,
    whoami: talker, id: talker, groups: talker, uname: talker, nproc: talker, arch: talker, uptime: talker, free: talker, ps: talker,
    pgrep: talker, which: talker, type: talker, tr: talker, printenv: talker, tty: talker, locale: talker, exit: talker, return: talker,
    break: talker, continue: talker, yes: talker, getconf: talker, factor: talker, lscpu: talker, lsblk: talker, cal: talker,
    sort: {
      files: true,
      table: {
        flags: 'bdfghiMnRrVcCmsuz',
        values: 'ktS',
        long: ['ignore-leading-blanks', 'dictionary-order', 'ignore-case', 'general-numeric-sort', 'ignore-nonprinting', 'month-sort',
          'human-numeric-sort', 'numeric-sort', 'random-sort', 'reverse', 'version-sort', 'merge', 'stable', 'unique', 'zero-terminated'],
        longValues: ['key', 'field-separator', 'sort', 'buffer-size', 'parallel'],
        longOptional: ['check'],
      },
    },
    // `-o` writes where it is not GNU's.
    base64: { files: true, table: { flags: 'di', values: 'w', long: ['decode', 'ignore-garbage'], longValues: ['wrap'] } },
    uniq: {
      files: true,
      maxOperands: 1,
      table: {
        flags: 'cdDiuz',
        values: 'fsw',
        long: ['count', 'repeated', 'ignore-case', 'unique', 'zero-terminated'],
        longValues: ['skip-fields', 'skip-chars', 'check-chars'],
        longOptional: ['all-repeated', 'group'],
      },
    },
    tree: {
      files: true,
      table: {
        flags: 'adlfxpsuhgDFqNQrtcUvCniASJX',
        values: 'LPI',
        long: ['noreport', 'dirsfirst', 'du', 'si', 'inodes', 'device', 'prune', 'gitignore', 'matchdirs', 'ignore-case'],
        longValues: ['filelimit', 'sort', 'charset'],
      },
    },
    file: { files: true, table: { flags: 'bihLk0NnrE', values: 'F', long: ['brief', 'mime', 'mime-type', 'mime-encoding', 'dereference', 'no-dereference', 'keep-going', 'raw'] } },
    date: { operand: /^\+/, table: { flags: 'uR', values: 'dr', attached: 'I', long: ['utc', 'universal', 'rfc-email'], longValues: ['date', 'reference'], longOptional: ['iso-8601', 'rfc-3339'] } },
    hostname: { maxOperands: 0, table: { flags: 'sfidAI', long: ['short', 'fqdn', 'long', 'ip-address', 'all-ip-addresses', 'all-fqdns', 'domain'] } },
    rg: {
      files: true,
      firstIsPattern: true,
      table: {
        flags: 'nNilcowvsSxFPUHILuahp0V',
        values: 'eABCgtTmjdEMr',
        long: ['line-number', 'no-line-number', 'ignore-case', 'files', 'files-with-matches', 'files-without-match', 'count', 'count-matches', 'only-matching',
          'word-regexp', 'invert-match', 'case-sensitive', 'smart-case', 'line-regexp', 'fixed-strings', 'pcre2', 'multiline', 'multiline-dotall',
          'hidden', 'no-ignore', 'no-ignore-vcs', 'follow', 'text', 'with-filename', 'no-filename', 'heading', 'no-heading', 'json', 'vimgrep',
          'column', 'null', 'pretty', 'stats', 'trim', 'unrestricted', 'type-list', 'no-messages', 'no-config', 'version', 'crlf', 'passthru', 'quiet'],
        longValues: ['regexp', 'after-context', 'before-context', 'context', 'glob', 'iglob', 'type', 'type-not', 'max-count', 'max-depth',
          'max-columns', 'max-filesize', 'color', 'sort', 'sortr', 'threads', 'encoding', 'replace', 'engine'],
      },
    },
    fd: {
      files: true,
      firstIsPattern: true,
      table: {
        flags: 'HIuisgFapLl0q1',
        values: 'dtecSEoj',
        long: ['hidden', 'no-ignore', 'unrestricted', 'case-sensitive', 'ignore-case', 'glob', 'regex', 'fixed-strings', 'absolute-path', 'full-path',
          'follow', 'list-details', 'print0', 'quiet', 'version'],
        longValues: ['max-depth', 'min-depth', 'exact-depth', 'type', 'extension', 'color', 'size', 'exclude', 'owner', 'changed-within', 'changed-before', 'threads', 'max-results'],
      },
    },
  } satisfies Record<string, Program>),
) // prettier-ignore

/** Programs of which only the question for their version is known to be harmless, as the one word after the name. */
export const VERSION_ONLY: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    node: ['--version', '-v'], npm: ['--version', '-v'], pnpm: ['--version', '-v'], yarn: ['--version', '-v'], bun: ['--version', '-v'],
    deno: ['--version', '-V'], tsc: ['--version', '-v'], python: ['--version', '-V'], python3: ['--version', '-V'], pip: ['--version'],
    ruby: ['--version'], go: ['version'], cargo: ['--version', '-V'], rustc: ['--version', '-V'], java: ['--version', '-version'],
    gcc: ['--version'], 'g++': ['--version'], clang: ['--version'], make: ['--version'], cmake: ['--version'], docker: ['--version'],
    git: ['--version'], bash: ['--version'], sh: ['--version'], perl: ['--version'], awk: ['--version'], sed: ['--version'], curl: ['--version'],
  }),
) // prettier-ignore

/** Known to change something. The rest of the world is unknown; both ask. */
export const MUTATING: ReadonlySet<string> = new Set([
  'rm', 'rmdir', 'mv', 'cp', 'mkdir', 'touch', 'ln', 'chmod', 'chown', 'chgrp', 'tee', 'dd', 'truncate', 'shred', 'install', 'mktemp', 'mkfifo',
  'mknod', 'unlink', 'link', 'split', 'csplit', 'rsync', 'patch', 'kill', 'pkill', 'killall', 'reboot', 'shutdown', 'halt', 'poweroff', 'mount',
  'umount', 'useradd', 'userdel', 'passwd', 'crontab', 'mkfs', 'fdisk', 'apt', 'apt-get', 'yum', 'dnf', 'brew', 'pip', 'npm', 'setfacl', 'gzip',
  'gunzip', 'bzip2', 'xz', 'zip', 'unzip',
]) // prettier-ignore

/** Their operands are files that they write. */
export const WRITES_OPERANDS: ReadonlySet<string> = new Set([
  'rm', 'rmdir', 'mv', 'cp', 'mkdir', 'touch', 'ln', 'tee', 'truncate', 'shred', 'unlink', 'install', 'chmod', 'chown', 'chgrp',
]) // prettier-ignore

/** Builtins that change the shell itself, and so what later words mean (S-62). */
export const ALWAYS_UNKNOWN: ReadonlySet<string> = new Set([
  'eval', 'source', '.', 'alias', 'unalias', 'trap', 'exec', 'enable', 'hash', 'export', 'declare', 'typeset', 'local', 'readonly', 'read',
  'mapfile', 'readarray', 'set', 'shopt', 'unset', 'let', 'getopts', 'shift', 'bind', 'complete', 'pushd', 'popd', 'dirs', 'history', 'fc',
]) // prettier-ignore
