import { plannedStates } from '../../domain/run/run.ts';
import { knownRuns } from '../../engine/orders/find-run.ts';
import { type Context, done, type Outcome } from './command.ts';
import type { Ports } from './ports.ts';
import { withRepository } from './with-repository.ts';

/** The newest first; older ones than these are typed. */
const mostRuns = 20;

/** `tidegate completion names`: runs and tasks, for a shell that completes them. */
export const printNames = (context: Context, { openRepository }: Ports): Promise<Outcome> =>
  withRepository(openRepository, context, 'look', async (repo) => {
    const runs = (await knownRuns(repo.ledger)).toReversed().slice(0, mostRuns);
    const all = runs.flatMap(({ run, state }) => [
      run,
      ...(state === null ? [] : plannedStates(state).map(({ id }) => `${run}/${id}`)),
    ]);
    return done(all, { names: all });
  });
