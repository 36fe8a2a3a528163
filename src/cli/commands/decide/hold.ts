import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const holdCommand = command({
  name: 'hold',
  group: 'decide',
  summary: 'put the decision off; a later approve lifts it',
  arguments: { run: aRun },
  options: { plan: { value: 'hash', about: 'decide only if this is the plan that is asked about' } },
  asks: ({ run, plan }) => ({ action: 'hold', subject: run, input: { hash: plan } }),
});
