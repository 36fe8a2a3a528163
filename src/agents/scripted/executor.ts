import type { Executor } from '../../ports/executor.ts';

/**
 * An agent that a test steps by hand. `argv` is the puppet's program; it takes its commands from a socket in a directory that
 * the job's fence binds (`fence.write`), named by TIDEGATE_PUPPET in the job's environment.
 */
export const scriptedExecutor: Executor = {
  name: 'scripted',
  resolve: null,
  prepare: ({ job }) => ({
    argv: job.argv,
    environment: { TIDEGATE_PUPPET_NONCE: job.nonce },
    files: {},
    opening: null,
  }),
  follow: null,
  hook: null,
};
