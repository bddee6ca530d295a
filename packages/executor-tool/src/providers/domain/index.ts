/** The domain provider. */
export { createToolExecutionDomain } from './domain.ts'
