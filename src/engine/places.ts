import type { RunState } from '../domain/run/run.ts';
import { isLive } from '../domain/run/schedule.ts';
import { waitingForPlace } from '../pipeline/dispatch.ts';

/**
 * Shares the places for attempts out among all runs of a repository: the task that has waited longest starts first, whatever run
 * it is of. Who waits since when is known to this process alone: after a restart all begin to wait anew, the older run first.
 *
 * `recorded` are the runs as the ledger has them. A run that asks may be ahead of that by facts which it is about to record: its
 * tasks keep their turn until the ledger says that they have started, so that nobody else takes their place meanwhile.
 */
export function sharePlaces(recorded: () => readonly RunState[], most: () => number): (run: RunState) => number {
  const since = new Map<string, number>();
  let count = 0;
  return (run) => {
    const runs = recorded();
    const asked = runs.map((one) => (one.run === run.run ? run : one));
    const waiting = asked.flatMap(waitingIn);
    const known = new Set([...runs.flatMap(waitingIn), ...waiting].map(({ key }) => key));
    for (const key of since.keys()) if (!known.has(key)) since.delete(key);
    for (const key of known) if (!since.has(key)) since.set(key, count++);
    const atWork = asked.reduce((sum, { tasks }) => sum + Object.values(tasks).filter(isLive).length, 0);
    return waiting
      .toSorted((a, b) => (since.get(a.key) ?? 0) - (since.get(b.key) ?? 0))
      .slice(0, Math.max(0, most() - atWork))
      .filter((one) => one.run === run.run).length;
  };
}

const waitingIn = (state: RunState) =>
  waitingForPlace(state).map(({ id }) => ({ run: state.run, key: `${state.run}/${id}` }));
