import type { Executor } from '../../ports/executor.ts';

/** Any program: argv as the plan has it, the brief on stdin. */
export const commandExecutor: Executor = {
  name: 'command',
  prepare: (job) => ({ argv: job.argv, environment: {} }),
};
