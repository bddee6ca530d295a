import { expect, test } from 'vitest'
import { StopSignal } from './stop-signal.ts'

test('E-13: listeners hear the stop once, with its reason; one that throws is reported, one taken off hears nothing', () => {
  const heard: string[] = []
  const errors: unknown[] = []
  const signal = new StopSignal((error) => errors.push(error))
  const order = { haltId: 'h', reason: 'cancel' }
  const gone = (): void => void heard.push('gone')
  signal.addEventListener('abort', gone)
  signal.addEventListener('abort', () => {
    throw new Error('bad listener')
  })
  signal.addEventListener('abort', { handleEvent: () => heard.push('object') })
  signal.onabort = () => heard.push('onabort')
  signal.removeEventListener('abort', gone)
  signal.throwIfAborted()
  signal.abort(order)
  signal.abort('again')
  signal.addEventListener('abort', gone)
  expect(heard).toEqual(['onabort', 'object'])
  expect(errors).toMatchObject([{ message: 'bad listener' }])
  expect(signal.aborted).toBe(true)
  expect(signal.reason).toBe(order)
  expect(() => signal.throwIfAborted()).toThrow()
})
