import { addDependency } from '../domain/dependencies/dependency-requests.ts';
import { type LinkedRuns, requirementsOn } from '../domain/dependencies/link.ts';
import type { RunState } from '../domain/run/run.ts';
import type { Effect } from '../pipeline/step.ts';
import type { GitReader } from '../ports/merger.ts';
import type { RunLog } from './run-log.ts';

type Adding = Effect & { readonly do: 'add-dependency' };

/** Adds a dependency to the run of the log, and answers the request for it. */
export type AddDependency = (log: RunLog, effect: Adding) => Promise<void>;

/**
 * Adds dependencies one after the other. Only the holder of the epoch adds any, so each is decided with all earlier ones known: ids
 * are unique in the repository, and no runs are made to wait for each other.
 */
export function dependencyAdder(git: GitReader, runs: () => readonly RunState[]): AddDependency {
  let before: Promise<unknown> = Promise.resolve();
  const add: AddDependency = async (log, { request, number }) => {
    const isBranch = (await git.branchTip(request.on)) !== null;
    await log.record((state) => {
      if (state === null || !state.pending.some(({ seq }) => seq === number)) return null;
      const others = runs().filter(({ run }) => run !== state.run);
      const added = addDependency(state, request, { runs: [...others, state], isBranch });
      return added.ok
        ? [added.value, { type: 'request-accepted', request: number }]
        : [{ type: 'request-refused', request: number, because: added.error }];
    });
  };
  return (log, effect) => {
    const mine = before.then(() => add(log, effect));
    before = mine.catch(() => undefined);
    return mine;
  };
}

/** Returns the other runs, for the dependencies of this one. */
export function linkedTo(runs: readonly RunState[], { run }: RunState): LinkedRuns {
  const others = runs.filter((other) => other.run !== run);
  return {
    stateOf: (id) => others.find((other) => other.run === id) ?? null,
    requiring: others.flatMap((state) => requirementsOn(state, run).map((dependency) => ({ state, dependency }))),
  };
}
