import type { ThreadEvidence } from '../../domain/gates/evidence.ts';
import { judged } from '../../domain/gates/judge.ts';
import { contextOf, type Effect } from '../../pipeline/step.ts';
import type { Threads } from '../../ports/threads.ts';
import type { RunLog } from '../run-log.ts';

/** Asks for the thread of a wave and records what came of it. Under another version of the plan it is asked for anew. */
export async function bindThread(
  threads: Threads | undefined,
  log: RunLog,
  { wave, key }: Effect & { readonly do: 'bind-thread' },
): Promise<void> {
  const state = log.state();
  const planned = state?.plan.waves[wave];
  const places = state?.plan.thread;
  if (state === null || planned === undefined || places === undefined) return;
  const { run, hash } = state;
  const { name } = planned;
  const tasks = planned.tasks.map(({ id }) => id);
  const builtin: ThreadEvidence = { board: 'builtin', id: `${run}/wave-${wave}` };
  const evidence = (await threads?.bind({ run, wave, name, tasks, key, places })) ?? builtin;
  await log.record((now) => {
    const waits = now?.hash === hash && now.waves[wave]?.thread === null;
    return waits ? [judged(contextOf(now), { phase: 'thread', wave, evidence })] : null;
  });
}
