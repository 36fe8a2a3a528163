import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const rejectCommand = command({
  name: 'reject',
  group: 'decide',
  summary: 'say no to the start or the landing',
  arguments: { run: aRun },
  options: { plan: { value: 'hash', about: 'decide only if this is the plan that is asked about' } },
  asks: ({ run, plan }) => ({ action: 'reject', subject: run, input: { hash: plan } }),
});
