import { execFileSync } from 'node:child_process';

/** Runs a program to its end in a test and gives its output without the last newline; throws when it fails. */
export function runOnly(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  /** Another user than ours. */
  as: { readonly uid?: number; readonly gid?: number } = {},
): string {
  const environment = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
    ...env,
  };
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const options = { ...as, cwd, env: environment, encoding: 'utf8' } as const;
  return execFileSync(program, args, { ...options, stdio: [...stdio] }).replace(/\n$/, '');
}
