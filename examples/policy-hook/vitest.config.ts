import { packageTests } from '../../vitest.shared.ts'

export default packageTests('example-policy-hook', { testTimeout: 60_000 })
