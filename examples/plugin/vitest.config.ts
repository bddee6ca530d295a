import { packageTests } from '../../vitest.shared.ts'

export default packageTests('example-plugin', { testTimeout: 60_000 })
