/** `npm start`: the command `toolseam` in the folder the caller stands in; without arguments its guided first run. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare } from '../prepare.mjs'
import { root } from '../workspace.mjs'

export async function run(args) {
  if (!(await prepare())) {
    process.exitCode = 1
    return
  }
  const command = join(root, 'packages', 'toolseam', 'dist', 'cli.js')
  process.chdir(process.env.INIT_CWD ?? process.cwd())
  // In this very process: signals, standing input and the exit status need no relay.
  process.argv = [process.execPath, command, ...(args.length > 0 ? args : ['demo'])]
  await import(pathToFileURL(command).href)
}
