/**
 * Version tokens: what a file looked like when somebody saw it (F-20). Opaque to callers; the functions here are the only place
 * that knows the shape `dev:inode:size:mtimeNs:ctimeNs[:sha256]`.
 */

declare const versionBrand: unique symbol

/** Opaque token of one state of one file. Compare with `isStale`, never as text. */
export type Version = string & { readonly [versionBrand]: 'Version' }

/** Files up to this size carry a content hash in their version. */
export const HASHED_BYTES: number = 8 * 1024 * 1024

export interface VersionFacts {
  dev: bigint | number
  ino: bigint | number
  size: bigint | number
  mtimeNs: bigint
  ctimeNs: bigint
  /** Lower-case hex; present for files up to `HASHED_BYTES`. */
  sha256?: string
}

export function formatVersion(facts: VersionFacts): Version {
  const stamp = `${facts.dev}:${facts.ino}:${facts.size}:${facts.mtimeNs}:${facts.ctimeNs}`
  return (facts.sha256 === undefined ? stamp : `${stamp}:${facts.sha256}`) as Version
}

/** A version read back from disk or from a caller; undefined when the text is not one. */
export function parseVersion(text: string): Version | undefined {
  return /^\d+:\d+:\d+:-?\d+:-?\d+(:[0-9a-f]{64})?$/.test(text) ? (text as Version) : undefined
}

/** The content hash inside a version, when it has one. */
export function versionHash(version: Version): string | undefined {
  return version.split(':')[5]
}

/** The part that `stat` alone can tell: device, inode, size and both times. */
export function versionStamp(version: Version): string {
  return version.split(':', 5).join(':')
}

/** Size in bytes as the version saw it. */
export function versionSize(version: Version): number {
  return Number(version.split(':')[2])
}

/**
 * Whether `actual` is another content than `expected`. Hashes decide where both have one (a touch is not a change; equal times with
 * other bytes are); otherwise the stamps do.
 */
export function isStale(expected: Version, actual: Version): boolean {
  const expectedHash = versionHash(expected)
  const actualHash = versionHash(actual)
  if (expectedHash !== undefined && actualHash !== undefined) return expectedHash !== actualHash
  return versionStamp(expected) !== versionStamp(actual)
}
