/**
 * What every way to start a child hands over: its ends, before a handle is made of them.
 */
import type { ChildExit, OutputPipe } from '../../definition/subprocess.ts'
import type { InputPipe } from './pipes.ts'

/** A started child, before anybody holds it. */
export interface Started {
  readonly pid: number
  readonly marker: string
  readonly stdout: OutputPipe
  readonly stderr?: OutputPipe
  readonly input: InputPipe | undefined
  readonly exit: Promise<ChildExit>
  /** Called in the very turn in which the system gave the id back. */
  onReaped(run: () => void): void
}
