import { packageTests } from '../../vitest.shared.ts'

export default packageTests('example-custom-registry', { testTimeout: 60_000 })
