import { statSync } from 'node:fs';
import { loginFile, secretsIn } from '../../agents/common/login.ts';
import type { Job } from '../../ports/supervisor.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The values that must not be shown, asked for before each write. An agent may renew its login at any time: what was in the file
 * before something was printed is known when that is written. A value that was known stays known.
 */
export type KnownSecrets = () => readonly string[];

/** Looks at the file again only when it has changed: this is asked for every chunk of output. */
export function knownSecrets(job: Job, environment: Variables): KnownSecrets {
  const file = job.agent?.login === undefined ? null : loginFile(job.agent.login, environment);
  let seen = file === null ? null : stampOf(file);
  let known: readonly string[] = [...new Set(secretsOf(job, environment))];
  if (file === null) return () => known;
  return () => {
    const now = stampOf(file);
    if (now !== null && now === seen) return known;
    seen = now;
    const values = new Set([...known, ...secretsOf(job, environment)]);
    if (values.size > known.length) known = [...values];
    return known;
  };
}

/** Values that were passed into the fence by name, or are in the file that logs the agent in. Short ones (`on`, a port) would be found everywhere. */
export const secretsOf = (job: Job, environment: Variables): readonly string[] =>
  [
    ...[...job.fence.env, ...(job.agent?.credentials ?? [])].map((name) => environment[name] ?? ''),
    ...(job.agent?.login === undefined ? [] : secretsIn(loginFile(job.agent.login, environment))),
  ].filter((value) => value.length >= 8);

/** Equal only for equal content; null when that cannot be told yet, because the clock of a file system is coarse. */
function stampOf(file: string): string | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  const isFresh = Math.abs(Date.now() - Number(stats.ctimeMs)) < 1000;
  return isFresh ? null : `${stats.dev}:${stats.ino}:${stats.ctimeNs}:${stats.size}`;
}
