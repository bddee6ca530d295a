/**
 * One ask as its folder keeps it: revision files, each whole, in the order of their numbers. Reading folds them; a file that is no legal
 * successor, or whose decision carries a code that does not fit, changes nothing and is named as forged. A file of an unknown version or
 * state makes the whole record unreadable: a newer release may mean more by it than this one can see.
 */
import { join } from 'node:path'
import type { ApprovalRecord } from '../../definition/record.ts'
import type { Seal } from '../../definition/seal.ts'
import { isSuccessor } from '../../record/moves.ts'
import { deepFreeze, readRecord } from '../../record/shape.ts'
import { namesIn, readText, requireFolder } from './safe-files.ts'

/** `last`: number of the last file, forged ones included; the next change takes the next number. */
export interface Chain {
  last: number
  record?: ApprovalRecord
  forged: number
  unreadable: boolean
}

export const NO_CHAIN: Chain = { last: 0, forged: 0, unreadable: false }

/** Reads what is new since `known`. */
export async function readChain(folder: string, known: Chain | undefined, seal: Seal | undefined): Promise<Chain> {
  if (known === undefined && !requireFolder(folder)) return NO_CHAIN
  const numbers = namesIn(folder)
    .flatMap(revisionNumber)
    .toSorted((a, b) => a - b)
  let chain = known ?? NO_CHAIN
  for (const number of numbers) {
    if (number > chain.last) chain = await extend(chain, number, readText(fileOf(folder, number)), seal)
  }
  return chain
}

export function fileOf(folder: string, number: number): string {
  return join(folder, `${number}.json`)
}

function revisionNumber(name: string): number[] {
  const match = /^([1-9][0-9]{0,8})\.json$/.exec(name)
  return match === null ? [] : [Number(match[1])]
}

async function extend(chain: Chain, last: number, text: string | undefined, seal: Seal | undefined): Promise<Chain> {
  const candidate = text === undefined ? undefined : parse(text)
  if (candidate === undefined) return { ...chain, last, unreadable: true }
  if (!(await follows(chain.record, candidate, seal))) return { ...chain, last, forged: chain.forged + 1 }
  return { ...chain, last, record: deepFreeze(candidate) }
}

async function follows(before: ApprovalRecord | undefined, candidate: ApprovalRecord, seal: Seal | undefined): Promise<boolean> {
  if (before === undefined) {
    const fresh = candidate.revision === 1 && candidate.state === 'pending' && candidate.decision === undefined
    return fresh && (seal === undefined || (await seal.fits(candidate)))
  }
  if (!isSuccessor(before, candidate)) return false
  const decides = before.decision === undefined && candidate.decision !== undefined
  const needed = candidate.state === 'approved' || candidate.state === 'rejected'
  if (!decides) return !needed || before.decision !== undefined
  const outcome = candidate.state === 'approved' ? 'approve' : 'reject'
  return candidate.decision?.outcome === outcome && needed && (seal === undefined || (await seal.fits(candidate)))
}

function parse(text: string): ApprovalRecord | undefined {
  try {
    return readRecord(JSON.parse(text))
  } catch {
    return undefined
  }
}
