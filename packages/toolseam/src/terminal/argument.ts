/** The argument of a call as the command line gives it: JSON text, `@FILE`, or `-` for standard input. */
import { readFileSync } from 'node:fs'
import { ToolSeamError } from '@toolseam/core-tools'

/** The text; whether it is JSON is judged by the pipeline, like any model's. Throws `TOOLSEAM_USAGE` when it cannot be read. */
export async function readArgument(source: string | undefined): Promise<string> {
  if (source === undefined) return ''
  if (source === '-') return decode(await standardInput(), 'standard input')
  if (!source.startsWith('@')) return source
  const file = source.slice(1)
  let bytes: Uint8Array
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new ToolSeamError('TOOLSEAM_USAGE', `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
  return decode(bytes, file)
}

async function standardInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new ToolSeamError('TOOLSEAM_USAGE', `${name} is not UTF-8 text`, { cause: error })
  }
}
