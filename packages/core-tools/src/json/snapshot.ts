/**
 * JSON values: snapshots of what comes from outside, text, equality and pointers.
 */
export { MAX_DEPTH, snapshotJson } from './copy.ts'
export { jsonEquals } from './equals.ts'
export { parseJsonText } from './parse.ts'
export { pointer } from './pointer.ts'
