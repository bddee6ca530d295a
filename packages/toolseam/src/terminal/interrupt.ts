/** Ctrl-C and friends, turned into an abort: the first asks the work to stop, a further one ends it the hard way. */

const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export interface Interruption {
  readonly signal: AbortSignal
  /** The exit status that the signal asks for; undefined when none came. */
  readonly status: number | undefined
  /** Work that can stop harder does so at the second signal; the third, or the second without it, ends the process at once. */
  onSecond(stopHarder: () => void): void
  /** As Ctrl-C does; for what reads the keys of the terminal itself. */
  interrupt(): void
}

export async function interruptible<T>(work: (interruption: Interruption) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let status: number | undefined
  let stopHarder: (() => void) | undefined
  const interrupt = (name: keyof typeof statuses): void => {
    if (status === undefined) {
      status = statuses[name]
      controller.abort(Object.assign(new Error(`interrupted by ${name}`), { name: 'AbortError' }))
      return
    }
    const harder = stopHarder
    if (harder === undefined) process.exit(statuses[name])
    stopHarder = undefined
    harder()
  }
  const handlers = (Object.keys(statuses) as (keyof typeof statuses)[]).map((name) => {
    const onSignal = (): void => interrupt(name)
    process.on(name, onSignal)
    return { name, onSignal }
  })
  try {
    return await work({
      signal: controller.signal,
      get status() {
        return status
      },
      onSecond(given) {
        stopHarder = given
      },
      interrupt: () => interrupt('SIGINT'),
    })
  } finally {
    for (const { name, onSignal } of handlers) process.off(name, onSignal)
  }
}
