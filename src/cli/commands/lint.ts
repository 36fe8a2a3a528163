import { aPlan } from '../arguments.ts';
import { command } from '../definition.ts';

export const lintCommand = command({
  name: 'lint',
  group: 'begin',
  summary: 'every mistake in a plan and its directives, with place and hint',
  arguments: { plan: aPlan },
  run: async (...call) => (await import('../lint.ts')).lintPlan(...call),
});
