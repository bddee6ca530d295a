/**
 * The thread in which the fallback engine reads files and runs patterns: a pattern that never ends is ended with its thread. The functions
 * below are handed over as source text together with the pure scanner, because a bundled library has no file of its own for a worker; they
 * refer to nothing outside of themselves.
 */
import type { isAscii } from 'node:buffer'
import type * as NodeFs from 'node:fs'
import { Worker, type MessagePort } from 'node:worker_threads'
import { scannerSource, type createScanner, type ScanRequest } from '../../search/scan-text.ts'
import { searchedTextSource, type searchedText } from '../../search/searched-text.ts'
import type { FileScan } from '../../search/tree.ts'

export interface ScanOrder {
  id: number
  request: ScanRequest
  /** A path of the directory that this process holds open. */
  directory: string
  names: readonly string[]
}

export interface ScanAnswer {
  id: number
  scans: FileScan[]
}

interface WorkerParts {
  port: MessagePort
  fs: typeof NodeFs
  createScanner: typeof createScanner
  searchedText: typeof searchedText
  isAscii: typeof isAscii
}

function serveScans({ port, fs, createScanner: newScanner, searchedText: textOf, isAscii: plain }: WorkerParts): void {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  const wholeBytes = 64 * 1024 * 1024
  const mostBytes = 4 * wholeBytes
  const pieceBytes = 16 * 1024 * 1024

  const readFully = (descriptor: number, size: number, position: number): Buffer => {
    const buffer = Buffer.allocUnsafe(size)
    let filled = 0
    while (filled < size) {
      const read = fs.readSync(descriptor, buffer, filled, size - filled, position + filled)
      if (read === 0) break
      filled += read
    }
    return buffer.subarray(0, filled)
  }
  /** Pieces of whole lines; a line longer than a piece makes a longer piece. */
  const scanPieces = (
    name: string,
    { descriptor, size, request }: { descriptor: number; size: number; request: ScanRequest },
  ): FileScan => {
    const scanner = newScanner(request)
    let carried: Buffer = Buffer.alloc(0)
    for (let position = 0; position < size && !scanner.full;) {
      const read = readFully(descriptor, Math.min(pieceBytes, size - position), position)
      position += read.length
      if (read.length === 0 || read.includes(0)) break
      const bytes = carried.length === 0 ? read : Buffer.concat([carried, read])
      const end = position >= size ? bytes.length : bytes.lastIndexOf(10) + 1
      if (end === 0 && bytes.length > mostBytes) return { name, kind: 'unreadable' }
      if (end > 0) scanner.push(textOf(bytes.subarray(0, end)) ?? '')
      carried = bytes.subarray(end)
    }
    const result = scanner.finish()
    return result.count === 0 && readFully(descriptor, 8192, 0).includes(0) ? { name, kind: 'binary' } : { name, kind: 'text', ...result }
  }
  const scanDescriptor = (name: string, descriptor: number, request: ScanRequest): FileScan => {
    const stat = fs.fstatSync(descriptor)
    if (!stat.isFile()) return { name, kind: 'gone' }
    if (stat.size > wholeBytes && !request.multiline) return scanPieces(name, { descriptor, size: stat.size, request })
    if (stat.size > mostBytes) return { name, kind: 'unreadable' }
    const bytes = readFully(descriptor, stat.size, 0)
    const ascii = plain(bytes)
    const text = ascii && !bytes.includes(0) ? bytes.toString('latin1') : textOf(bytes)
    if (text === undefined) return { name, kind: 'binary' }
    const scanner = newScanner(request)
    scanner.push(text, ascii)
    return { name, kind: 'text', ...scanner.finish() }
  }
  const scanFile = (directory: string, name: string, request: ScanRequest): FileScan => {
    let descriptor: number
    try {
      const path = name === '' ? directory : `${directory}/${name}`
      descriptor = fs.openSync(path, O_RDONLY | O_NONBLOCK | (name === '' && directory.startsWith('/proc/') ? 0 : O_NOFOLLOW))
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      return { name, kind: code === 'EACCES' || code === 'EPERM' || code === 'EIO' ? 'unreadable' : 'gone' }
    }
    try {
      return scanDescriptor(name, descriptor, request)
    } catch {
      return { name, kind: 'unreadable' }
    } finally {
      fs.closeSync(descriptor)
    }
  }

  port.on('message', ({ id, request, directory, names }: ScanOrder) => {
    const scans: FileScan[] = []
    let left = request.limit
    for (const name of names) {
      const scan = scanFile(directory, name, request)
      scans.push(scan)
      if (scan.kind !== 'text' || scan.count === 0) continue
      left -= request.mode === 'lines' ? scan.hits.length : 1
      if (left <= 0) break
    }
    port.postMessage({ id, scans } satisfies ScanAnswer)
  })
}

/** Starts a thread that answers orders. */
export function startScanWorker(): Worker {
  const source = [
    `const { parentPort: port } = require('node:worker_threads')`,
    `const __name = (value) => value`,
    `const createScanner = ${scannerSource()}`,
    `const searchedText = ${searchedTextSource()}`,
    `;(${String(serveScans)})({ port, fs: require('node:fs'), isAscii: require('node:buffer').isAscii, createScanner, searchedText })`,
  ].join('\n')
  return new Worker(source, { eval: true, env: {}, execArgv: [], stdout: false, stderr: false })
}
