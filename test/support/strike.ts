import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { allEnded, killBy, type Outcome, type Scenario, staged, wordsOf } from './kill.ts';
import { ended } from './project.ts';

/** Calls after which something is on disk, or gone from it, that a process which comes later can see. */
const durableCalls = [
  ...['pwrite64', 'fsync', 'fdatasync', 'ftruncate'],
  ...['rename', 'link', 'linkat', 'symlink', 'mkdir', 'unlink', 'unlinkat', 'rmdir'],
] as const;

/** Whose durable writes are struck, and how strike.mjs knows it. */
const subjects = {
  coordinator: { program: 'cli' },
  "coordinator's git": { program: 'cli', git: true },
  merger: { program: 'merger' },
  "merger's git": { program: 'merger', git: true },
  supervisor: { program: 'supervisor' },
  "supervisor's git": { program: 'supervisor', git: true },
} as const;
export type Subject = keyof typeof subjects;

/** One durable write: the `at`-th call of a kind by `one`, which is a name and a number, such as `update-ref.2`. */
export type Target = { readonly of: Subject; readonly one: string; readonly call: string; readonly at: number };

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
  notesAt(log).some(({ text }) => text.includes('+++ killed by SIGKILL'));

/** Kills at one durable write; the run is then brought to its end and judged. */
export const strikeAt = (scenario: Scenario, target: Target): Promise<Outcome> =>
  killBy(scenario, ({ root }) => {
    const log = join(root, 'strike');
    return {
      env: strikeEnvironment({ ...subjects[target.of], ...target, log, ...wordOf(scenario, target.of) }),
      wasReached: () => wasStruck(log),
    };
  });

/** Every durable write that the scenario makes when nothing happens to it, of each process in the order in which they are made. */
export async function durableWritesOf(scenario: Scenario, of: Subject): Promise<readonly Target[]> {
  await using p = await staged(scenario);
  await scenario.before(p);
  const log = join(p.root, 'strike');
  const noting = { ...subjects[of], log, call: durableCalls.join(), ...wordOf(scenario, of) };
  await ended(p.start(await wordsOf(p, scenario), strikeEnvironment(noting)));
  await allEnded(p, ['cli', 'merger', 'supervisor']);
  return notesAt(log).flatMap(({ one, text }) => {
    const seen = new Map<string, number>();
    return [...text.matchAll(/^(\w+)\(/gm)].map(([, call = '']) => {
      seen.set(call, (seen.get(call) ?? 0) + 1);
      return { of, one, call, at: seen.get(call) ?? 0 };
    });
  });
}

const notesAt = (log: string) =>
  readdirSync(dirname(log))
    .filter((name) => name.startsWith(`${basename(log)}.`))
    .toSorted()
    .map((name) => ({
      one: name.slice(basename(log).length + 1),
      text: readFileSync(join(dirname(log), name), 'utf8'),
    }));

/** The coordinator is in the process that was called, or in one that it starts in the background. */
const wordOf = (scenario: Scenario, of: Subject): { readonly word?: string } =>
  subjects[of].program === 'cli' ? { word: scenario.during[0] === 'run' ? 'run' : 'coordinate' } : {};

const hook = new URL('./strike.mjs', import.meta.url).href;
/**
 * `program` and `word` say which processes are meant, `git` that their git children are. Without `at` nothing is killed and
 * all calls are noted, without `one` all processes are struck; with `threads` calls of worker threads and children count too.
 */
export const strikeEnvironment = (strike: object): Record<string, string> => ({
  NODE_OPTIONS: `--import=${hook}`,
  STRIKE: JSON.stringify({ ...strike, strace }),
});
