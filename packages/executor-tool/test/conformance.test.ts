/**
 * The conformance suite on our own domain.
 */
import { createToolExecutionDomain } from '@toolseam/executor-tool'
import { executorConformance } from '@toolseam/executor-tool/testing'

executorConformance((options) => createToolExecutionDomain(options))
