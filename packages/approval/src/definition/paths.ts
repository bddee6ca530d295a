/**
 * What policy needs to know of the file system: where a path really leads, and which names are the same name there.
 *
 * Promises: `resolve` never rejects; it gives an absolute path without `.` and `..`, links followed for every existing part, the missing
 * tail appended, or undefined where that cannot be done (a loop, no permission, a magic path): such a path is outside of everything.
 * `fold` gives equal strings for paths that the file system takes for the same name (case, Unicode form).
 */
export interface PathResolver {
  resolve(path: string): Promise<string | undefined>
  fold(path: string): string
}
