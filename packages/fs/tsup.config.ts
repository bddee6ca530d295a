import { packageBuild } from '../../tsup.base.ts'

export default packageBuild({ index: 'src/index.ts', testing: 'src/testing.ts' })
