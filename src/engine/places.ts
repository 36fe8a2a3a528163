import type { RunState } from '../domain/run/run.ts';
import { isLive } from '../domain/run/schedule.ts';
import { waitingForPlace } from '../pipeline/dispatch.ts';

/**
 * Distributes the places for attempts among all runs of a repository: the task that has waited longest starts first, of whatever
 * run. Only this process knows the waiting times: after a restart all tasks begin to wait anew, those of the older run first.
 *
 * `recorded` returns the runs as they are in the ledger. The calling run may be ahead of that by facts that it is about to record:
 * its tasks keep their turn until their start is in the ledger, so that no other task takes their place meanwhile.
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
