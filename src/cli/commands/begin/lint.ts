import { aPlan } from '../../frame/arguments.ts';
import { command } from '../../frame/definition.ts';

export const lintCommand = command({
  name: 'lint',
  group: 'begin',
  summary: 'every mistake in a plan and its directives, with place and hint',
  arguments: { plan: aPlan },
  run: async (...call) => (await import('../../begin/lint.ts')).lintPlan(...call),
});
