/** Public entry point of `@toolseam/fs`. */
export * from './definition/index.ts'
