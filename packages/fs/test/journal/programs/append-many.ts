/** Appends changes to a journal: FOLDER TAG COUNT. */
import { createChangeRecorder, createSegmentStore } from '../../../src/providers/change-journal/index.ts'

const [folder = '', tag = '', count = '0'] = process.argv.slice(2)
const store = createSegmentStore(folder)
const recorder = createChangeRecorder({ store })
for (let at = 0; at < Number(count); at += 1) {
  const before = Buffer.from('x'.repeat(at * 100))
  const recorded = await recorder.begin({
    tag,
    rootCallId: 'r',
    callId: 'c',
    path: `${tag}${at}`,
    kind: 'modify',
    before,
    after: Buffer.from('y'),
  })
  await recorded.settle({})
}
await store.close()
process.disconnect()
