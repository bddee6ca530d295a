/** The oldest Node that every package runs on, told before anything newer than it is used. */
export const MINIMUM = [20, 19]

export function nodeIsOldEnough(version, [major, minor] = MINIMUM) {
  const [actualMajor = 0, actualMinor = 0] = version.replace(/^v/, '').split('.').map(Number)
  return actualMajor > major || (actualMajor === major && actualMinor >= minor)
}

export function requireNode(version = process.version) {
  if (nodeIsOldEnough(version)) return
  console.error(`toolseam needs Node ${MINIMUM.join('.')} or newer; this is ${version}. Install a newer Node and run the command again.`)
  process.exit(2)
}
