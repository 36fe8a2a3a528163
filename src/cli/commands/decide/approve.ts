import { aRun } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const approveCommand = command({
  name: 'approve',
  group: 'decide',
  summary: 'say yes to what is asked: the start, or the landing',
  arguments: { run: aRun },
  options: { plan: { value: 'hash', about: 'decide only if this is the plan that is asked about' } },
  asks: ({ run, plan }) => ({ action: 'approve', subject: run, input: { hash: plan } }),
});
