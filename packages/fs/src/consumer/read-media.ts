/**
 * What a file is by its content (F-51), before any of it is given out: images checked whole, documents on wish, notebooks as cells.
 */
import { FsError } from '../definition/errors.ts'
import type { FileFacts, FileSystem, FileTarget } from '../definition/file-system.ts'
import { IMAGE_BYTES, IMAGE_SIDE, checkImage, imageType, type ImageType } from '../reading/images.ts'
import { notebookCells } from '../reading/notebook.ts'
import { readWindow, resolveWindow } from '../reading/window.ts'
import { decodeFile, SNIFFED_BYTES, sniffEncoding } from '../text/encoding.ts'
import type { ToolParts } from './parts.ts'
import type { ReadDocument, ReadImage, ReadInput, ReadText, ReadValue } from './values.ts'

const DOCUMENT_BYTES = 10 * 1024 * 1024
const NOTEBOOK_BYTES = 8 * 1024 * 1024

const BY_NAME: { [extension: string]: ImageType } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

interface Look {
  fileSystem: FileSystem
  target: FileTarget
  facts: FileFacts
  input: ReadInput
  parts: ToolParts
}

/** Undefined: it is text. @throws FsError FS_UNSUPPORTED_MEDIA, FS_BINARY */
export async function readMedia(look: Look): Promise<ReadValue | undefined> {
  const { fileSystem, target, facts } = look
  const head = await fileSystem.readBytes(target, { offset: 0, length: SNIFFED_BYTES })
  const image = imageType(head)
  if (image !== undefined) return readImage(look, image)
  if (startsWith(head, '%PDF-')) return readPdf(look)
  if (sniffEncoding(head).encoding === 'binary') throw await binary(facts, head)
  return isNotebook(look) ? readNotebook(look) : undefined
}

async function readImage(look: Look, mimeType: ImageType): Promise<ReadImage> {
  const { facts } = look
  const { path } = facts
  refuseSize(facts, { mimeType, limit: IMAGE_BYTES })
  const bytes = await readAll(look)
  const verdict = checkImage(bytes, mimeType)
  if (!verdict.ok) {
    const sides = verdict.width === undefined || verdict.height === undefined ? {} : { width: verdict.width, height: verdict.height }
    const limit = verdict.reason === 'dimensions' ? { limit: IMAGE_SIDE } : {}
    throw new FsError('FS_UNSUPPORTED_MEDIA', { path, reason: verdict.reason, mimeType, ...sides, ...limit })
  }
  const { width, height } = verdict.image
  return { kind: 'image', path, mimeType, width, height, size: bytes.length, data: Buffer.from(bytes).toString('base64') }
}

async function readPdf(look: Look): Promise<ReadDocument> {
  const mimeType = 'application/pdf'
  const { path } = look.facts
  if (!look.parts.documents) throw new FsError('FS_UNSUPPORTED_MEDIA', { path, reason: 'kind', mimeType })
  refuseSize(look.facts, { mimeType, limit: DOCUMENT_BYTES })
  const bytes = await readAll(look)
  return { kind: 'document', path, mimeType, size: bytes.length, data: Buffer.from(bytes).toString('base64') }
}

function refuseSize({ path, size }: FileFacts, { mimeType, limit }: { mimeType: string; limit: number }): void {
  if (size > limit) throw new FsError('FS_UNSUPPORTED_MEDIA', { path, reason: 'size', mimeType, size, limit })
}

/** All bytes; noted as seen whole, so that the file may be replaced, moved or deleted. */
async function readAll({ fileSystem, target, facts }: Look): Promise<Uint8Array> {
  const bytes = await fileSystem.readBytes(target, { offset: 0, length: facts.size })
  if (facts.version !== undefined) fileSystem.observations(target.agent).note(target, { version: facts.version, seen: 'whole' })
  return bytes
}

/** Neither text nor an image: what it is, as far as its first bytes tell. A name that claims an image is told what is wrong with it. */
async function binary(facts: FileFacts, head: Uint8Array): Promise<FsError> {
  const { path, size } = facts
  const { fileTypeFromBuffer } = await import('file-type/core')
  const kind = await fileTypeFromBuffer(head).catch(() => undefined)
  if (kind !== undefined) return new FsError('FS_UNSUPPORTED_MEDIA', { path, reason: 'kind', mimeType: kind.mime, size })
  const claimed = BY_NAME[extensionOf(path)]
  if (claimed === undefined) return new FsError('FS_BINARY', { path, size })
  if (size > IMAGE_BYTES) return new FsError('FS_UNSUPPORTED_MEDIA', { path, reason: 'size', mimeType: claimed, size, limit: IMAGE_BYTES })
  return new FsError('FS_UNSUPPORTED_MEDIA', { path, reason: 'corrupt', mimeType: claimed })
}

function isNotebook({ facts, input }: Look): boolean {
  const windowed = input.offset !== undefined || input.limit !== undefined || input.tail !== undefined
  return !windowed && extensionOf(facts.path) === 'ipynb' && facts.size <= NOTEBOOK_BYTES
}

async function readNotebook({ fileSystem, target, facts }: Look): Promise<ReadText | undefined> {
  const bytes = await fileSystem.readBytes(target, { offset: 0, length: facts.size })
  const { body, bom, encoding } = decodeFile(bytes, facts.path)
  const cells = notebookCells(body.toString('utf8'))
  if (cells === undefined || facts.version === undefined) return undefined
  const shown = Buffer.from(cells, 'utf8')
  const source = { size: shown.length, read: (offset: number, length: number) => Promise.resolve(shown.subarray(offset, offset + length)) }
  const { seen: _seen, ...lines } = await readWindow(source, resolveWindow({}), facts.path)
  // Cells are not the bytes: enough to edit, not to write the whole file.
  fileSystem.observations(target.agent).note(target, { version: facts.version, seen: [] })
  const notes = ['a notebook, shown as cells; give offset to read its JSON']
  const { path, size, version } = facts
  return { kind: 'text', path, ...lines, noFinalEol: false, bom, encoding, size, version, notes: [...target.notes, ...notes] }
}

function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase()
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return String.fromCharCode(...bytes.subarray(0, text.length)) === text
}
