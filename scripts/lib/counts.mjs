/** The closing line of a run, the same everywhere so that a machine can read it. */
export function countsLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
