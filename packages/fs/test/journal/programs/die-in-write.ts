/** Changes one file and kills itself between the journal and the rename, or right after it: ROOT before|after write|create|deep|delete|move. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createChangeRecorder, createSegmentStore } from '../../../src/providers/change-journal/index.ts'
import { createRootedFileSystem } from '../../../src/providers/rooted/index.ts'

const [root = '', moment = '', act = ''] = process.argv.slice(2)
const store = createSegmentStore(join(root, '.toolseam/undo'))
const recorder = createChangeRecorder({ store })

async function die(): Promise<never> {
  const directory = act === 'deep' ? join(root, 'made/deep') : act === 'write' || act === 'create' ? root : undefined
  // Staging goes on meanwhile: its temp file is to be there.
  while (directory !== undefined && !namesIn(directory).some((name) => /[0-9a-f]{12}\.tmp$/.test(name)))
    await new Promise((resolve) => setImmediate(resolve))
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : []
}

const fileSystem = await createRootedFileSystem({
  root,
  persist: false,
  recorder: {
    async begin(change) {
      const recorded = await recorder.begin(change)
      if (moment === 'before') return die()
      return {
        ...recorded,
        settle: () => {
          process.kill(process.pid, 'SIGKILL')
          return new Promise(() => {})
        },
      }
    },
  },
})
const intent = { tag: 'T', rootCallId: 'r', callId: 'c', expect: 'any' } as const
const target = await fileSystem.resolve('a.txt', { leaf: 'keep' })
if (act === 'write') await fileSystem.write(target, 'new content\n', intent)
else if (act === 'create') await fileSystem.write(await fileSystem.resolve('new.txt'), 'new content\n', { ...intent, expect: 'absent' })
else if (act === 'deep') await fileSystem.write(await fileSystem.resolve('made/deep/new.txt'), 'new content\n', intent)
else if (act === 'delete') await fileSystem.remove(target, intent)
else await fileSystem.move(target, await fileSystem.resolve('moved.txt', { leaf: 'keep' }), intent)
