/**
 * One preparer at a time: two `npm start` at once must not install or build over each other. The lock is a file with its owner's
 * identity; the owner refreshes it, so that a lock whose owner died (or lives on another machine) goes stale by itself.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const REFRESH_MS = 2_000
const STALE_MS = 20_000

/** Holds `file` while `work` runs. `onWait` is called once if somebody else holds it. */
export async function withLock(file, { onWait, staleMs = STALE_MS, pollMs = 100 }, work) {
  await acquire(file, { onWait, staleMs, pollMs })
  const release = () => rmSync(file, { force: true })
  const beat = setInterval(() => utimesSync(file, new Date(), new Date()), REFRESH_MS)
  beat.unref()
  process.once('exit', release)
  const stopped = new Map(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal, at) => [signal, () => process.exit([130, 143, 129][at])]))
  for (const [signal, stop] of stopped) process.once(signal, stop)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    process.off('exit', release)
    for (const [signal, stop] of stopped) process.off(signal, stop)
    release()
  }
}

async function acquire(file, { onWait, staleMs, pollMs }) {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  writeFileSync(draft, JSON.stringify({ pid: process.pid, host: hostname() }))
  let told = false
  try {
    while (!tryLink(draft, file)) {
      if (isStale(file, staleMs)) bury(file)
      else {
        if (!told) onWait?.()
        told = true
        await pause(pollMs)
      }
    }
    utimesSync(file, new Date(), new Date())
  } finally {
    rmSync(draft, { force: true })
  }
}

/** link(2) either makes the whole lock or fails: nobody ever reads a half-written owner. */
function tryLink(draft, file) {
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function isStale(file, staleMs) {
  try {
    const { pid, host } = JSON.parse(readFileSync(file, 'utf8'))
    if (host === hostname() && !alive(pid)) return true
    return Date.now() - statSync(file).mtimeMs > staleMs
  } catch (error) {
    return error.code !== 'ENOENT'
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Renamed first: of several that find the lock stale only one gets to remove it. */
function bury(file) {
  const grave = `${file}.stale.${process.pid}`
  try {
    renameSync(file, grave)
  } catch {
    return
  }
  rmSync(grave, { force: true })
}
