/**
 * The value of a command (section 7 of the rules): made from its exit and its rings, or from what there is when it was moved to the background.
 */
import type { OutputSlice, ShellExit, ShellNote, ShellResult, SpillInfo } from '../definition/command.ts'
import { NOTICE_BYTES } from '../definition/limits.ts'
import type { LiveCommand } from './live-command.ts'

export function resultOf(command: LiveCommand, exit: ShellExit, extra: readonly ShellNote[] = []): ShellResult {
  const left = exit.survivors.length > 0
  return {
    state: exit.state,
    exitCode: exit.exitCode,
    signal: exit.signal,
    ...(exit.stages === undefined ? {} : { stages: [...exit.stages] }),
    ...output(command),
    cwd: exit.cwd,
    durationMs: exit.durationMs,
    timeoutMs: exit.notes.find((note) => note.kind === 'idle')?.idleTimeoutMs ?? command.spec.timeoutMs,
    ...(left ? { job: command.id, survivors: exit.survivors.map((survivor) => ({ ...survivor })) } : {}),
    notes: [...exit.notes, ...extra, ...invalidBytes(command)],
  }
}

/** It was detached while it ran. */
export function runningResult(command: LiveCommand, now: number): ShellResult {
  return {
    state: command.state,
    exitCode: null,
    signal: null,
    ...output(command),
    cwd: command.spec.cwd,
    durationMs: Math.round(now - command.startedAt),
    timeoutMs: null,
    job: command.id,
    notes: [...command.spec.notes],
  }
}

type OutputFacts = Pick<
  ShellResult,
  'output' | 'stderr' | 'totalBytes' | 'omittedBytes' | 'omittedAt' | 'stderrOmittedBytes' | 'stderrOmittedAt' | 'spill' | 'stderrSpill'
>

function output(command: LiveCommand): OutputFacts {
  const out = command.read({ reserve: NOTICE_BYTES })
  const err = command.captures.err === undefined ? undefined : command.read({ reserve: NOTICE_BYTES, stream: 'stderr' })
  return {
    output: out.text,
    ...(err === undefined ? {} : { stderr: err.text }),
    totalBytes: out.totalBytes + (err?.totalBytes ?? 0),
    omittedBytes: out.omittedBytes + (err?.omittedBytes ?? 0),
    ...(out.omittedAt === undefined ? {} : { omittedAt: out.omittedAt }),
    ...(err?.omittedAt === undefined ? {} : { stderrOmittedBytes: err.omittedBytes, stderrOmittedAt: err.omittedAt }),
    ...spillOf(out, 'spill'),
    ...(err === undefined ? {} : spillOf(err, 'stderrSpill')),
  }
}

function spillOf<Name extends 'spill' | 'stderrSpill'>(slice: OutputSlice, name: Name): { [key in Name]?: SpillInfo } {
  const found: { [key in Name]?: SpillInfo } = {}
  if (slice.spill !== undefined) found[name] = { ...slice.spill }
  return found
}

function invalidBytes(command: LiveCommand): ShellNote[] {
  const count = command.read().invalidBytes + (command.captures.err === undefined ? 0 : command.read({ stream: 'stderr' }).invalidBytes)
  return count === 0 ? [] : [{ kind: 'invalid-bytes', count }]
}
