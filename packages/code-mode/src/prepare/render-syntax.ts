/**
 * What the model reads of a program that was not run because of how it is written.
 */

export type Refused = 'import' | 'export' | 'require' | 'enum' | 'namespace' | 'html-comment'

export function renderRefused(what: Refused): string {
  switch (what) {
    case 'import':
      return '`import` is not available: there are no modules. Call tools through the global `tools`.'
    case 'export':
      return '`export` is not available: the program is the body of a function. Use `return` for its result.'
    case 'require':
      return '`require` is not available: there are no modules. Call tools through the global `tools`.'
    case 'enum':
      return '`enum` is not available: types are only erased. Use an object, such as `const Color = { Red: "red" } as const`.'
    case 'namespace':
      return '`namespace` is not available: types are only erased. Use a plain object or functions.'
    case 'html-comment':
      return '`<!--` is not available: write spaces where a comparison is meant.'
    default:
      return what satisfies never
  }
}

export function renderTooDeep(): string {
  return 'The program is nested too deeply.'
}

export function renderEmpty(): string {
  return 'The program is empty.'
}
