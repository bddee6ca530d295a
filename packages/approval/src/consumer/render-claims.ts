/**
 * What the model reads where an approved call may not run after all.
 */
import type { ToolResult } from '@toolseam/core-tools'

type Loss = 'lost' | 'lost-running' | 'not-kept' | 'taken' | 'withdrawn'

const SENTENCES: { readonly [loss in Loss]: { code: string; message: string } } = {
  lost: { code: 'APPROVAL_LEASE_LOST', message: 'The call was not run: another process took over its approval.' },
  'lost-running': {
    code: 'APPROVAL_LEASE_LOST',
    message: 'The call was stopped while it ran: another process took over its approval. It may have had effects.',
  },
  'not-kept': { code: 'APPROVAL_STORE_FAILED', message: 'The call was not run: that it starts could not be recorded.' },
  taken: { code: 'APPROVAL_LEASE_LOST', message: 'The call was not run: another process runs it, or has run it.' },
  withdrawn: { code: 'APPROVAL_STALE', message: 'The call was not run: its approval no longer stands.' },
}

export function renderLost(loss: Loss, claim: { id: string }): ToolResult {
  const { code, message } = SENTENCES[loss]
  return { isError: true, error: { code, message, details: { recordId: claim.id } }, content: [{ type: 'text', text: message }] }
}
