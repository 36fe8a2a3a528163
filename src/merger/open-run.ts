import { adoptCommit, ensureBareRepository } from '../adapters/bare-repository/index.ts';
import { failpoint } from '../adapters/failpoint.ts';
import { findCheckout } from '../adapters/git-read/index.ts';
import { isAncestor, moveRef, mustReadCommit, readRef } from '../adapters/git-write/index.ts';
import type { CommitId } from '../domain/ids.ts';
import type { RunOrder } from '../domain/requests.ts';
import { refs } from '../domain/state-dir.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { done, type Order, recordFacts, refused } from './context.ts';
import { creation, eventsOf } from './history.ts';

/**
 * Takes the target's tip into our own repository and begins the run branch there. A run that waited in line begins on
 * what has landed meanwhile.
 */
export async function openRun(order: Order): Promise<MergerAnswer> {
  const history = await order.ledger.read(order.run);
  if (eventsOf(history, 'run-branch-made').length > 0) return done;
  const { commonDir } = await findCheckout(order.checkout);
  await ensureBareRepository(order.state.repository, commonDir);
  failpoint('merger-repository-made');
  const branch = refs.runBranch(order.run);
  const begun = await readRef({ gitDir: order.state.repository }, branch);
  const commit = begun ?? (await startOf(order, creation(history), commonDir));
  failpoint('merger-target-adopted');
  const moved = await moveRef({ gitDir: order.state.repository }, branch, { old: null, new: commit, why: 'open run' });
  if (moved.outcome === 'lost')
    return refused({ rule: 'ref-exists', ref: branch, expected: commit, actual: moved.found });
  failpoint('merger-run-branch-set');
  const { tree } = await mustReadCommit(order.state.repository, commit);
  return await recordFacts(order, { type: 'run-branch-made', commit, tree });
}

/** The branch of an earlier run that this one goes on from; else the target as it is now, if it only went on since the run was ordered; else where it was then. */
async function startOf(
  order: Order,
  { target, continues }: Pick<RunOrder, 'target' | 'continues'>,
  commonDir: string,
): Promise<CommitId> {
  const { repository } = order.state;
  if (continues !== undefined) {
    await adoptCommit(repository, commonDir, continues.commit);
    return continues.commit;
  }
  await adoptCommit(repository, commonDir, target.commit);
  const tip = await readRef({ gitDir: commonDir }, `refs/heads/${target.branch}`);
  if (tip === null || tip === target.commit) return target.commit;
  await adoptCommit(repository, commonDir, tip);
  return (await isAncestor(repository, target.commit, tip)) ? tip : target.commit;
}
