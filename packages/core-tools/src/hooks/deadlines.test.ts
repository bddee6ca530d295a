import { expect, test } from 'vitest'
import { deferred } from '../../test/support.ts'
import { DeadlineList, type Waiting } from './deadlines.ts'

function waiting(name: string, expired: string[]): Waiting {
  return { due: 0, earlier: undefined, later: undefined, expire: () => void expired.push(name) }
}

test('P-22: who waits too long expires in order; who ended in time does not; the list goes on', async () => {
  const expired: string[] = []
  const list = new DeadlineList(20)
  const [a, b, c] = ['a', 'b', 'c'].map((name) => waiting(name, expired)) as [Waiting, Waiting, Waiting]
  list.add(a)
  list.add(b)
  list.add(c)
  list.remove(b)
  await new Promise((done) => setTimeout(done, 60))
  expect(expired).toEqual(['a', 'c'])
  list.add(b)
  list.remove(b)
  list.add(a)
  await new Promise((done) => setTimeout(done, 60))
  expect(expired).toEqual(['a', 'c', 'a'])
})

test('P-22: nobody expires before its time', async () => {
  const early: number[] = []
  const list = new DeadlineList(40)
  const all = Array.from({ length: 4 }, () => deferred())
  for (const { resolve } of all) {
    const one: Waiting = {
      due: 0,
      earlier: undefined,
      later: undefined,
      expire() {
        early.push(this.due - performance.now())
        resolve()
      },
    }
    list.add(one)
    await new Promise((done) => setTimeout(done, 12))
  }
  await Promise.all(all.map(({ promise }) => promise))
  expect(early.every((ms) => ms <= 0)).toBe(true)
})
