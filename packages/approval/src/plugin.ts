/**
 * The wiring: policy, store, seal and answerers put together; the tokens provided; the taps set.
 */
import type { ToolPlugin, ToolRuntime } from '@toolseam/core-tools'
import { createApprovalService, type ApprovalService } from './consumer/service.ts'
import { POLICY_TAP } from './consumer/parts.ts'
import { policyTap } from './consumer/pre-execute.ts'
import type { Answerer } from './definition/answerer.ts'
import { Approval, type AskForwarding } from './definition/approval.ts'
import type { PolicyPreset, PolicySource } from './definition/policy-file.ts'
import { Policy, type PolicyRuntime, type RulePolicy } from './definition/policy.ts'
import { ApprovalStore } from './definition/store.ts'
import { isKeyInside, userKey } from './providers/hash/key-file.ts'
import { createSeal } from './providers/hash/seal.ts'
import { lazyStore } from './providers/lazy-store.ts'
import { openSealed, storeFolder, type OpenStoreOptions } from './providers/open-store.ts'
import { loadPolicy } from './providers/policy-files/load.ts'
import { thisProcess } from './providers/this-process/worker.ts'

export interface ApprovalOptions {
  /** The folder that the runtime works in. */
  root: string
  preset?: PolicyPreset
  /** A file's content or path (session layer), or one for each layer; given layers replace the files found. */
  policy?: PolicySource
  /** A store, or what `openStore` takes. Default: files in `.toolseam/approvals` of the root, opened at the first ask. */
  store?: ApprovalStore | OpenStoreOptions
  /** In the order in which they are asked. Default: none, so an ask is a refusal. */
  answerers?: readonly Answerer[]
  /** Id of the session. Default: a fresh one. The same id again keeps grants of the session and answers of its calls. */
  session?: string
  /** Of the codes on decisions. Default: the key file in the user's configuration folder, made on first use. */
  secret?: string
  /** Whether asks of an agent go to answerers, its own or an ancestor's. Default 'forward'. */
  asks?: AskForwarding
}

/** Last of all taps, so that it is the outermost of the global ones. */
const OUTERMOST = Number.MAX_SAFE_INTEGER

/** Throws `POLICY_INVALID` (from `createToolRuntime`) where a policy file is not valid. */
export function approval(options: ApprovalOptions): ToolPlugin {
  return {
    name: '@toolseam/approval',
    provides: [Approval, ApprovalStore, Policy],
    async apply(runtime) {
      const policy = await loadPolicy(options.policy, {
        root: options.root,
        ...(options.preset === undefined ? {} : { preset: options.preset }),
      })
      policy.attach(policyRuntime(runtime))
      // What can be tested before the other plugins are there; the rest at the first call.
      await policy.runTests()
      for (const notice of policy.notices) runtime.logger.info(`approval: ${notice}`)
      if (options.secret === undefined && isKeyInside(options.root)) {
        runtime.logger.warn('approval: the configuration folder, which holds the key of approvals, lies inside the root: tools can read it')
      }
      const parts = partsOf(runtime, policy, options)
      const service = createApprovalService(parts)
      provide(runtime, { policy, store: parts.store, service })
      setTaps(runtime, policy, service)
      return async () => {
        await service.close()
        // A store that was handed in is its owner's to close.
        if (parts.store !== options.store) await parts.store.dispose()
      }
    },
  }
}

function partsOf(runtime: ToolRuntime, policy: RulePolicy, options: ApprovalOptions): Parameters<typeof createApprovalService>[0] {
  const { root, secret } = options
  const seal = createSeal(async () => secret ?? userKey())
  const chosen: ApprovalStore | OpenStoreOptions = options.store ?? { kind: 'files', path: storeFolder(root) }
  return {
    runtime,
    policy,
    seal,
    store: 'request' in chosen ? chosen : lazyStore(async () => openSealed(chosen, seal)),
    session: options.session ?? `ses_${crypto.randomUUID()}`,
    worker: thisProcess(),
    asks: options.asks ?? 'forward',
    answerers: options.answerers ?? [],
  }
}

function provide(runtime: ToolRuntime, parts: { policy: RulePolicy; store: ApprovalStore; service: ApprovalService }): void {
  runtime.services.provide(Policy, parts.policy)
  runtime.services.provide(ApprovalStore, parts.store)
  runtime.services.provide(Approval, parts.service)
}

function setTaps(runtime: ToolRuntime, policy: RulePolicy, service: ApprovalService): void {
  const { hooks } = runtime
  hooks.preExecute.tapPromise(POLICY_TAP, policyTap(runtime, policy))
  hooks.execute.tap({ name: POLICY_TAP, stage: OUTERMOST }, (dispatch, execution) => service.claims.wrap(dispatch, execution))
  hooks.result.tap(POLICY_TAP, (execution, result) => service.claims.settled(execution, result))
}

/** What policy needs of a runtime. */
export function policyRuntime(runtime: ToolRuntime): PolicyRuntime {
  return {
    describe: async (call) => runtime.describe(call),
    lookup: (name, agent) => runtime.get(name, agent),
  }
}
