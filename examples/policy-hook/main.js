// @ts-check
/** Policy is a tap: it may deny, ask, rewrite; it can only tighten. A guard is a last check that can only deny. */
import { Approval, createToolRuntime, defineTool } from '@toolseam/core-tools'

const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys a service.',
  input: {
    type: 'object',
    properties: { service: { type: 'string' }, target: { enum: ['staging', 'production'] }, dryRun: { type: 'boolean' } },
    required: ['service', 'target'],
    additionalProperties: false,
  },
  execute: (/** @type {{ service: string, target: string, dryRun?: boolean }} */ { service, target, dryRun }) =>
    `${service} is on ${target}${dryRun ? ' (dry run)' : ''}`,
})

/** @type {import('@toolseam/core-tools').ToolPlugin} */
const housePolicy = {
  name: 'house-policy',
  apply(runtime) {
    const { hooks } = runtime
    hooks.preExecute.tap('dry-run-first', (decision, { arguments: args }) => {
      const { target, dryRun } = /** @type {any} */ (args)
      // A rewrite: policy judges the new arguments from the start, and both versions are in the record.
      return target === 'staging' && dryRun === undefined
        ? { kind: 'allow', arguments: { .../** @type {any} */ (args), dryRun: true } }
        : decision
    })
    hooks.preExecute.tap('ask-for-production', (decision, { arguments: args }) =>
      /** @type {any} */ (args).target === 'production' ? { kind: 'ask', reason: 'production needs a human' } : decision,
    )
    // Later and looser: kept out. Permission only tightens.
    hooks.preExecute.tap('overeager', () => ({ kind: 'allow' }))
    runtime.guard(({ arguments: args }) => (/** @type {any} */ (args).service === 'billing' ? 'billing is frozen this week' : undefined), {
      name: 'freeze',
    })
  },
}

/** A human, played by a list of answers. @type {import('@toolseam/core-tools').ToolPlugin} */
const human = {
  name: 'human',
  provides: [Approval],
  apply({ services }) {
    return services.provide(Approval, {
      ask: async ({ execution, reason }) => {
        const { service } = /** @type {any} */ (execution.arguments)
        console.log(`  asked: ${reason} (${service})`)
        return service === 'web'
          ? { outcome: 'approved', by: 'operator' }
          : { outcome: 'rejected', by: 'operator', reason: 'not on a Friday' }
      },
    })
  },
}

const runtime = await createToolRuntime({ plugins: [housePolicy, human] })
runtime.register(deploy)
runtime.hooks.result.tap('audit', (_execution, _result, { decision, effectiveArguments }) => {
  console.log(`  record: ${decision?.kind} by ${decision?.by}, ran with ${JSON.stringify(effectiveArguments)}`)
})

for (const args of [
  { service: 'web', target: 'staging' },
  { service: 'web', target: 'production' },
  { service: 'mail', target: 'production' },
  { service: 'billing', target: 'production' },
]) {
  console.log(`${args.service} to ${args.target}`)
  const result = await runtime.execute({ callId: `${args.service}-${args.target}`, name: 'deploy', arguments: args })
  console.log(`  ${result.isError ? `${result.error.code}: ${result.error.message}` : result.value}`)
}

await runtime.dispose()
