import { packageTests } from '../../vitest.shared.ts'

// Many of these tests start real processes: on a busy machine they take their time.
export default packageTests('shell', { testTimeout: 60_000, hookTimeout: 60_000 })
