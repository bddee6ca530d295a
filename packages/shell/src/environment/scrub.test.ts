/**
 * Which variables pass (S-18): each class of names and values.
 */
import { expect, test } from 'vitest'
import { isLoaderName, scrubEnvironment } from './scrub.ts'

const kept = (name: string, value = 'x', options = {}): boolean => name in scrubEnvironment({ [name]: value }, options).env

test.each([
  'API_KEY', 'OPENAI_APIKEY', 'FORGE_TOKEN', 'CLOUD_SECRET_ACCESS_KEY', 'MY_SERVICE_PASSWORD', 'DB_PASSWD', 'GPG_PASSPHRASE', 'AWS_CREDENTIAL', 'GOOGLE_CREDENTIALS',
  'NPM_AUTH', 'SESSION_COOKIE', 'PRIVATE_DATA', 'myApiKey', 'dbPassword', 'HTTPAuthToken', 'key', 'API_KEY2', 'npm_config_auth_token', 'X.TOKEN',
])('S-18: %s is dropped by its name', (name) => expect(kept(name)).toBe(false)) // prettier-ignore

test.each([
  'KEYBOARD_LAYOUT',
  'TOKENIZERS_PARALLELISM',
  'PATH',
  'HOME',
  'LANG',
  'AUTHOR',
  'MONKEY',
  'SECRETARY',
  'COOKIECUTTER',
  'CI',
  'EDITORIAL',
  'GIT_AUTHOR_NAME',
])('S-18: %s stays', (name) => expect(kept(name)).toBe(true))

test.each([
  'NODE_OPTIONS', 'NODE_PATH', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'BASH_ENV', 'ENV', 'BASH_FUNC_ls%%', 'PROMPT_COMMAND', 'PYTHONSTARTUP', 'PERL5OPT',
  'RUBYOPT', 'GIT_CONFIG', 'GIT_CONFIG_COUNT', 'GIT_DIR', 'GIT_EXTERNAL_DIFF',
])('S-18: %s never passes by itself', (name) => {
  expect(isLoaderName(name)).toBe(true)
  expect(kept(name)).toBe(false)
}) // prettier-ignore

test.each([
  ['a URL with a password', 'postgres://u:not-a-password@db.invalid/d'],
  ['PEM', `-----BEGIN ${'RSA PRIVATE'} KEY-----\nabc`],
  ['JWT', `${'eyJhbGciOiJIUzI1NiJ9'}.${'eyJzdWIiOiJ4In0'}.abc`],
  ['a GitHub prefix', `gh${'p_'}${'a'.repeat(36)}`],
  ['an AWS prefix', `AK${'IA'}${'A'.repeat(16)}`],
  ['an sk prefix', `s${'k-'}${'a'.repeat(24)}`],
  ['a Slack prefix', `xo${'xb-'}${'1'.repeat(12)}`],
])('S-18: dropped by value: %s', (_name, value) => expect(kept('PLAIN', value)).toBe(false))

test('S-18: a URL without a password stays', () => expect(kept('PLAIN', 'https://user@example.invalid/x:y@z')).toBe(true))

test('S-18: grants let a name through, drops take one away, removed names are told sorted, values never', () => {
  const result = scrubEnvironment(
    { B_TOKEN: 'v1', A_KEY: 'v2', LD_PRELOAD: 'v3', PLAIN: 'v4', GONE: undefined },
    { grant: ['B_TOKEN'], drop: ['PLAIN'] },
  )
  expect(result).toEqual({ env: { B_TOKEN: 'v1' }, removed: ['A_KEY', 'LD_PRELOAD', 'PLAIN'] })
})
