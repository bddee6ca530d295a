/**
 * The contract suites on every provider (S-5).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { bashShell } from '../src/providers/bash/shell.ts'
import { localSubprocess } from '../src/providers/local/subprocess.ts'
import { CONTRACT_PROGRAMS, CONTRACT_SCRIPT, memorySubprocess, scriptedShell, shellContract, subprocessContract } from '../src/testing.ts'

const root = mkdtempSync(join(tmpdir(), 'shell-contract-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const limits = { graceMs: 200, jobs: 4 }

subprocessContract('local over FIFOs', () => localSubprocess())
subprocessContract('local over sockets', () => localSubprocess({ fifos: false }))
subprocessContract('memory', () => memorySubprocess({ programs: CONTRACT_PROGRAMS }))

shellContract('bash over local FIFOs', () => bashShell({ root, subprocess: localSubprocess(), limits }))
shellContract('bash over local sockets', () => bashShell({ root, subprocess: localSubprocess({ fifos: false }), limits }))
shellContract('scripted', () => scriptedShell({ table: CONTRACT_SCRIPT, limits }))
