import type { Executor } from '../../ports/executor.ts';

/** Any program: argv as the plan has it, the brief on stdin. */
export const commandExecutor: Executor = {
  name: 'command',
  resolve: null,
  prepare: ({ job }) => ({ argv: job.argv, environment: {}, files: {}, opening: null }),
  follow: null,
  hook: null,
};
