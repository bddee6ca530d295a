/** The definition room in one place: vocabulary, seams, errors. */
export * from './change-journal.ts'
export * from './edits.ts'
export * from './errors.ts'
export * from './file-system.ts'
export * from './search.ts'
export * from './versions.ts'
