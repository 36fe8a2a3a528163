import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { allEnded, killBy, type Outcome, type Scenario } from './kill.ts';
import { ended, project } from './project.ts';

/** Calls after which something is on disk that was not there before. */
export const durableCalls = ['pwrite64', 'fsync', 'fdatasync', 'rename', 'link', 'linkat'] as const;

/** One durable write of one process: the n-th call of a kind, of the coordinator, the merger, or the merger's n-th git. */
export type Target = {
  readonly of: 'coordinator' | 'merger' | 'git';
  readonly call: string;
  readonly at: number;
  readonly child?: number;
};

const strace = ['/usr/bin/strace', '/usr/local/bin/strace'].find((path) => existsSync(path));

/** Why nothing can be struck here, or null. */
export function whyUnarmed(): string | null {
  if (strace === undefined) return 'strace is not installed';
  const tried = spawnSync(strace, ['-DDD', '-q', '-o', '/dev/null', '-e', 'trace=rename', 'true'], {
    encoding: 'utf8',
  });
  return tried.status === 0 ? null : `strace cannot trace here: ${tried.stderr.trim()}`;
}

export const wasStruck = (log: string): boolean =>
  existsSync(log) && readFileSync(log, 'utf8').includes('+++ killed by SIGKILL');

/** Kills at one durable write; the run is then brought to its end and judged. */
export const strikeAt = (scenario: Scenario, target: Target): Promise<Outcome> =>
  killBy(scenario, ({ root }) => {
    const log = join(root, 'strike.log');
    return {
      env: strikeEnvironment({ ...target, log, ...wordOf(scenario, target.of) }),
      wasReached: () => wasStruck(log),
    };
  });

/** Every durable write that the scenario makes when nothing happens to it, in the order in which they are made. */
export async function durableWritesOf(scenario: Scenario, of: Target['of']): Promise<readonly Target[]> {
  await using p = await project({ plan: scenario.plan });
  await scenario.before(p);
  const log = join(p.root, 'strike.log');
  const run = scenario.during.includes('RUN') ? (await p.events())[0]?.stream : undefined;
  const words = scenario.during.map((word) => word.replace('RUN', run ?? ''));
  await ended(p.start(words, strikeEnvironment({ of, log, call: durableCalls.join(), ...wordOf(scenario, of) })));
  await allEnded(p, ['cli', 'merger', 'supervisor']);
  const logs = readdirSync(dirname(log)).filter((name) => name.startsWith(basename(log)));
  return logs.flatMap((name) => {
    const child = Number(name.slice(basename(log).length + 1));
    const calls = readFileSync(join(p.root, name), 'utf8').matchAll(/^(\w+)\(/gm);
    const seen = new Map<string, number>();
    return [...calls].map(([, call = '']) => {
      seen.set(call, (seen.get(call) ?? 0) + 1);
      return { of, call, at: seen.get(call) ?? 0, ...(of === 'git' ? { child } : {}) };
    });
  });
}

/** The coordinator is in the process that was called, or in one that it starts in the background. */
const wordOf = (scenario: Scenario, of: Target['of']): { readonly word?: string } =>
  of === 'coordinator' ? { word: scenario.during[0] === 'run' ? 'run' : 'coordinate' } : {};

const hook = new URL('./strike.mjs', import.meta.url).href;
/** Without `at` nothing is killed and all calls are noted; with `threads` those of worker threads and children count too. */
export const strikeEnvironment = (strike: object): Record<string, string> => ({
  NODE_OPTIONS: `--import=${hook}`,
  STRIKE: JSON.stringify({ ...strike, strace }),
});
