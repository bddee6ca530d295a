/** Ctrl-C and friends, turned into an abort: the first asks the work to stop, a further one ends it the hard way. */

const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export interface Interruption {
  readonly signal: AbortSignal
  /** The exit status that the signal asks for; undefined when none came. */
  readonly status: number | undefined
  /** Work that can stop harder does so at the second signal; the third, or the second without it, ends the process at once. */
  onSecond(stopHarder: () => void): void
}

export async function interruptible<T>(work: (interruption: Interruption) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let status: number | undefined
  let stopHarder: (() => void) | undefined
  const handlers = Object.entries(statuses).map(([name, code]) => {
    const onSignal = (): void => {
      if (status === undefined) {
        status = code
        controller.abort(Object.assign(new Error(`interrupted by ${name}`), { name: 'AbortError' }))
        return
      }
      const harder = stopHarder
      if (harder === undefined) process.exit(code)
      stopHarder = undefined
      harder()
    }
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
    })
  } finally {
    for (const { name, onSignal } of handlers) process.off(name, onSignal)
  }
}
