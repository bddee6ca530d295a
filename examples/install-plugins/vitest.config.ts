import { packageTests } from '../../vitest.shared.ts'

export default packageTests('example-install-plugins', { testTimeout: 60_000 })
