import { packageBuild } from '../../tsup.base.ts'

// The two entries of the engine are files of their own: a thread and a process are started from them.
export default packageBuild({
  index: 'src/index.ts',
  testing: 'src/testing.ts',
  worker: 'src/providers/quickjs/worker.js',
  child: 'src/providers/quickjs-process/child.js',
})
