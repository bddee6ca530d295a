/**
 * The operations of a plan played through without touching anything: whether each finds its place as it needs it.
 */
import type { FileSystem } from '../../definition/file-system.ts'
import { currentAt } from './current.ts'
import type { Operation, PlannedFile } from './operations.ts'

/** The file whose operation would find its place taken, or nothing to move. */
export async function firstObstacle(fileSystem: FileSystem, operations: readonly Operation[]): Promise<PlannedFile | undefined> {
  const done: Operation[] = []
  for (const operation of operations) {
    if (!(await isFree(fileSystem, operation, done))) return operation.file
    done.push(operation)
  }
  return undefined
}

async function isFree(fileSystem: FileSystem, operation: Operation, done: readonly Operation[]): Promise<boolean> {
  if (operation.kind === 'move') {
    return (await exists(fileSystem, operation.from, done)) && !(await exists(fileSystem, operation.to, done))
  }
  if (operation.kind === 'write' && !operation.present) return !(await exists(fileSystem, operation.path, done))
  if (operation.kind === 'make') return operation.entry.kind === 'directory' || !(await exists(fileSystem, operation.path, done))
  return true
}

/** Whether there would be something at `path` after `done`: the path is followed back to where it is now. */
async function exists(fileSystem: FileSystem, path: string, done: readonly Operation[]): Promise<boolean> {
  let place = path
  for (const operation of done.toReversed()) {
    if (operation.kind === 'move') {
      if (isWithin(place, operation.to)) place = operation.from + place.slice(operation.to.length)
      else if (isWithin(place, operation.from)) return false
    } else if (operation.path === place) return operation.kind !== 'remove'
  }
  return (await currentAt(fileSystem, place)).kind !== 'absent'
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}
