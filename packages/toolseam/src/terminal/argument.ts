/** Input of a command: JSON given directly, from a file, or from standard input. */
import { readFileSync } from 'node:fs'
import { ToolSeamError } from '@toolseam/core-tools'

/** The text; whether it is JSON is judged by the pipeline, like any model's. Throws `TOOLSEAM_USAGE` when it cannot be read. */
export async function readArgument(source: string | undefined): Promise<string> {
  if (source === undefined) return ''
  if (source === '-') return readSource('-')
  return source.startsWith('@') ? readSource(source.slice(1)) : source
}

/** The text of a file, or of standard input for `-` and for nothing. Throws `TOOLSEAM_USAGE` when it cannot be read. */
export async function readSource(source = '-'): Promise<string> {
  return source === '-' ? decode(await standardInput(), 'standard input') : decode(fileBytes(source), source)
}

function fileBytes(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ToolSeamError('TOOLSEAM_USAGE', `cannot read ${file}: ${why}`, { cause })
  }
}

async function standardInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ToolSeamError('TOOLSEAM_USAGE', `${name} is not UTF-8 text`, { cause })
  }
}
