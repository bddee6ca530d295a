/**
 * The contract that every hook of ours keeps, whatever its kind: names, order, disposal, interceptors. One suite, run
 * over each of the six; a host that brings hooks of its own can run it too.
 */
import { describe, expect, test } from 'vitest'
import type { Disposer } from '../contracts/disposer.ts'
import type { HookInterceptor, TapOptions } from '../contracts/hooks.ts'

export interface HookSubject {
  /** Adds a tap that does nothing but call `visit`. */
  tap(options: string | TapOptions, visit: () => void): Disposer
  intercept(interceptor: HookInterceptor): Disposer
  /** Runs the hook once, to the end. */
  trigger(): Promise<void>
  dispose?(): Promise<void>
}

/** Registers the suite under `name`. `create` gives a fresh hook each time. */
export function runHookContract(name: string, create: () => Promise<HookSubject>): void {
  const order = async (taps: readonly (string | TapOptions)[]): Promise<string[]> => {
    const subject = await create()
    const seen: string[] = []
    for (const options of taps) {
      const tap = typeof options === 'string' ? options : options.name
      subject.tap(options, () => void seen.push(tap))
    }
    await subject.trigger()
    await subject.dispose?.()
    return seen
  }

  describe(`hook contract: ${name}`, () => {
    test('P-18: a tap needs a name', async () => {
      const subject = await create()
      for (const bad of ['', '  ', {}, { name: 3 }, undefined, null, 7]) {
        expect(() => subject.tap(bad as string, () => undefined)).toThrowError(/name/)
      }
      await subject.dispose?.()
    })

    test('P-18: taps run in the order given, stage first', async () => {
      expect(await order(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
      expect(await order([{ name: 'late', stage: 5 }, 'middle', { name: 'early', stage: -5 }])).toEqual(['early', 'middle', 'late'])
    })

    test('P-18: before is honoured, and refused where it names nobody', async () => {
      expect(await order(['a', 'b', { name: 'c', before: 'b' }])).toEqual(['a', 'c', 'b'])
      expect(await order(['a', 'b', { name: 'c', before: ['b', 'a'] }])).toEqual(['c', 'a', 'b'])
      const subject = await create()
      subject.tap('a', () => undefined)
      expect(() => subject.tap({ name: 'b', before: 'nobody' }, () => undefined)).toThrowError(/"nobody"/)
      expect(() => subject.tap({ name: 'b', before: 3 as never }, () => undefined)).toThrowError(/before/)
      expect(() => subject.tap({ name: 'b', stage: 'x' as never }, () => undefined)).toThrowError(/stage/)
      await subject.dispose?.()
    })

    test('P-18: options that are not of the contract have no effect', async () => {
      const smuggled: string[] = []
      const options = { name: 'a', fn: () => void smuggled.push('fn'), type: 'promise' } as TapOptions
      expect(await order([options])).toEqual(['a'])
      expect(smuggled).toEqual([])
    })

    test('P-18: a disposer removes exactly its tap, may be called twice, and works with using', async () => {
      const subject = await create()
      const seen: string[] = []
      subject.tap('kept', () => void seen.push('kept'))
      const dispose = subject.tap('same', () => void seen.push('first'))
      subject.tap('same', () => void seen.push('second'))
      await subject.trigger()
      dispose()
      dispose()
      await subject.trigger()
      expect(seen).toEqual(['kept', 'first', 'second', 'kept', 'second'])
      {
        using tapped = subject.tap('scoped', () => void seen.push('scoped'))
        expect(tapped).toBeTypeOf('function')
      }
      await subject.trigger()
      expect(seen).not.toContain('scoped')
      await subject.dispose?.()
    })

    test('P-18: a chain already running finishes as it began', async () => {
      const subject = await create()
      const seen: string[] = []
      subject.tap('first', () => {
        seen.push('first')
        if (seen.length === 1) {
          dispose()
          subject.tap('added', () => void seen.push('added'))
        }
      })
      const dispose = subject.tap('second', () => void seen.push('second'))
      await subject.trigger()
      expect(seen).toEqual(['first', 'second'])
      await subject.trigger()
      expect(seen).toEqual(['first', 'second', 'first', 'added'])
      await subject.dispose?.()
    })

    test('P-17: interceptors mean what they mean in Tapable, and can be taken off', async () => {
      const subject = await create()
      const seen: string[] = []
      const dispose = subject.intercept({ call: () => void seen.push('call'), tap: ({ name: tap }) => void seen.push(`tap ${tap}`) })
      subject.tap('a', () => void seen.push('a'))
      await subject.trigger()
      expect(seen).toEqual(['call', 'tap a', 'a'])
      dispose()
      await subject.trigger()
      expect(seen).toEqual(['call', 'tap a', 'a', 'a'])
      await subject.dispose?.()
    })
  })
}
