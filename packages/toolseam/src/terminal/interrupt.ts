/** Ctrl-C and friends, turned into an abort: the first asks the work to stop, the second ends the process at once. */

const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export interface Interruption {
  readonly signal: AbortSignal
  /** The exit status that the signal asks for; undefined when none came. */
  readonly status: number | undefined
}

export async function interruptible<T>(work: (interruption: Interruption) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let status: number | undefined
  const handlers = Object.entries(statuses).map(([name, code]) => {
    const onSignal = (): void => {
      if (status !== undefined) process.exit(code)
      status = code
      controller.abort(Object.assign(new Error(`interrupted by ${name}`), { name: 'AbortError' }))
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
    })
  } finally {
    for (const { name, onSignal } of handlers) process.off(name, onSignal)
  }
}
