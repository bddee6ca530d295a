import { packageBuild } from '../../tsup.base.ts'

export default packageBuild(
  { index: 'src/index.ts', testing: 'src/testing.ts' },
  // One file instead of a hundred small ones: loading ajv was two thirds of the import. Its licence: THIRD-PARTY.md.
  { noExternal: [/^ajv/, 'fast-deep-equal', 'json-schema-traverse', 'fast-uri'] },
)
