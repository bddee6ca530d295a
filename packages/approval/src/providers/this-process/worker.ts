/**
 * This process as records name it, and whether the process that asked still runs.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { errorCode } from '@toolseam/core-tools'

export interface ProcessWorker {
  id: string
  host: string
  pid: number
  isAlive(requester: { host: string; pid: number }): boolean
}

export function thisProcess(): ProcessWorker {
  const host = hostname()
  return {
    id: `wrk_${randomUUID()}`,
    host,
    pid: process.pid,
    isAlive({ host: other, pid }) {
      // Of another machine nothing is known; its lease and the expiry of its ask decide.
      if (other !== host) return true
      try {
        process.kill(pid, 0)
        return true
      } catch (error) {
        return errorCode(error) === 'EPERM'
      }
    },
  }
}
