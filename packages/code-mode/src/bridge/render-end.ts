/**
 * What the model reads of a run that was ended from outside the program.
 */
import type { CodeErrorKind } from '../definition/errors.ts'
import type { CodeLimits } from '../definition/limits.ts'
import { LOG_FLOOD } from '../definition/limits.ts'

export function describeTimeout(which: 'busy' | 'wall', limits: CodeLimits): string {
  return which === 'busy'
    ? `The program computed for more than ${limits.busyMs} ms and was stopped. Waiting for tools does not count: there is a loop that does not end, or too much work.`
    : `The program did not end within ${limits.wallMs} ms and was stopped.`
}

export function describeEnd(kind: Exclude<CodeErrorKind, 'syntax' | 'exception' | 'tool-error' | 'timeout'>, limits: CodeLimits): string {
  switch (kind) {
    case 'deadlock':
      return 'The program waits for a promise that nothing will settle: no call is open.'
    case 'memory':
      return `The program used more than ${limits.memoryBytes} bytes of memory and was stopped.`
    case 'output-limit':
      return `The program printed more than ${limits.logBytes * LOG_FLOOD} bytes and was stopped.`
    case 'call-limit':
      return `The program made more than ${limits.calls} calls and was stopped.`
    case 'abort':
      return 'The program was cancelled.'
    case 'engine':
      return 'The engine that runs programs failed. This is not a fault of the program.'
    default:
      return kind satisfies never
  }
}

export function describeQueueFull(length: number): string {
  return `Nothing was run: ${length} programs are waiting already.`
}
