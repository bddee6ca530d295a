/**
 * Refusals leave a tool's body with their code and facts as they were, and a sentence for the model.
 */
import { FsError, isFsError } from '../definition/errors.ts'
import { renderRefusal } from './render-refusal.ts'

export async function withWords<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    if (!isFsError(error)) throw error
    throw new FsError(error.code, error.details, { message: renderRefusal(error), cause: error })
  }
}
