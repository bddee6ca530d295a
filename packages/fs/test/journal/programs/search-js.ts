/** Searches a folder with the fallback engine: ROOT PATTERN. Prints hits as JSON. */
import { createRootedFileSystem } from '../../../src/providers/rooted/index.ts'
import { createSearch } from '../../../src/providers/search/create-search.ts'

const [root = '', pattern = ''] = process.argv.slice(2)
const fileSystem = await createRootedFileSystem({
  root,
  persist: false,
  search: ({ fileSystem: { roots }, ground }) => createSearch({ ground, roots, engine: 'js' }),
})
const hits: string[] = []
for await (const { path, line, text } of fileSystem.grep({ pattern })) hits.push(`${path}:${line}: ${text}`)
process.stdout.write(JSON.stringify(hits))
await fileSystem.close()
