/**
 * The door of the repository: `npm start`, `npm test` and `npm run bench` all come through here. It needs nothing but Node and npm:
 * it checks the Node version, installs through the pinned pnpm when something changed, builds, then runs the job.
 */
import { requireNode } from './lib/node-version.mjs'

requireNode()

const [job = 'start', ...args] = process.argv.slice(2)
const jobs = {
  start: () => import('./lib/jobs/start.mjs'),
  test: () => import('./lib/jobs/test.mjs'),
  bench: () => import('./lib/jobs/bench.mjs'),
}

const load = Object.hasOwn(jobs, job) ? jobs[job] : undefined
if (load === undefined) {
  console.error(`scripts/run.mjs: unknown job "${job}"; there are ${Object.keys(jobs).join(', ')}`)
  process.exitCode = 2
} else {
  const { run } = await load()
  await run(args)
}
