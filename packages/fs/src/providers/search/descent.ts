/**
 * Going down from a place that the walk holds open, name by name and never through a link: directories are opened as
 * `/proc/self/fd/N/name` with `O_NOFOLLOW`, so that a swap on the way ends in an error and not outside. Where there is no `/proc`, names
 * are joined and each is looked at first; that is not race-free (F-13).
 */
import { closeSync, constants, lstatSync, openSync } from 'node:fs'

/** A directory held open. Names appended to `path` lead into it, whatever links do meanwhile. */
export interface HeldDirectory {
  readonly path: string
  close(): void
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** True where a path goes through a descriptor. */
function byDescriptor(procPath: string): boolean {
  return process.platform === 'linux' && procPath.startsWith('/proc/')
}

/** @throws the errno of what stopped it: ELOOP or ENOTDIR for a link, ENOENT, EACCES */
export function holdDirectory(procPath: string, below: string): HeldDirectory {
  const names = below === '' ? [] : below.split('/')
  return byDescriptor(procPath) ? descend(procPath, names) : join(procPath, names)
}

function descend(procPath: string, names: readonly string[]): HeldDirectory {
  // The first one is a link of /proc that leads to the descriptor itself.
  let descriptor = openSync(procPath, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    for (const name of names) {
      const next = openSync(`/proc/self/fd/${descriptor}/${name}`, DIRECTORY)
      closeSync(descriptor)
      descriptor = next
    }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  let open = true
  return {
    path: `/proc/self/fd/${descriptor}`,
    close: () => {
      if (open) closeSync(descriptor)
      open = false
    },
  }
}

function join(start: string, names: readonly string[]): HeldDirectory {
  let path = start
  for (const name of names) {
    path = `${path}/${name}`
    if (!lstatSync(path).isDirectory()) throw Object.assign(new Error(`ENOTDIR: ${path}`), { code: 'ENOTDIR' })
  }
  return { path, close: () => {} }
}

/** Keeps the last directory open, and descends from the common part of the way: for many files in the order of their paths. */
export interface Descent {
  /** Valid until the next call. Undefined: a link, or gone. */
  into(below: string): string | undefined
  close(): void
}

export function createDescent(procPath: string): Descent {
  const held: { name: string; directory: HeldDirectory }[] = []
  const start = holdDirectory(procPath, '')
  const drop = (keep: number): void => {
    for (const { directory } of held.splice(keep)) directory.close()
  }
  return {
    into(below) {
      const names = below === '' ? [] : below.split('/')
      const common = names.findIndex((name, at) => held[at]?.name !== name)
      drop(common === -1 ? names.length : common)
      try {
        for (const name of names.slice(held.length)) {
          const from = held.at(-1)?.directory ?? start
          held.push({ name, directory: step(from, name) })
        }
      } catch {
        return undefined
      }
      return (held.at(-1)?.directory ?? start).path
    },
    close() {
      drop(0)
      start.close()
    },
  }
}

function step(from: HeldDirectory, name: string): HeldDirectory {
  if (!byDescriptor(from.path)) return join(from.path, [name])
  const descriptor = openSync(`${from.path}/${name}`, DIRECTORY)
  return { path: `/proc/self/fd/${descriptor}`, close: () => closeSync(descriptor) }
}
