import { adoptCommit, ensureBareRepository } from '../adapters/bare-repository/index.ts';
import { failpoint } from '../adapters/failpoint.ts';
import { findCheckout } from '../adapters/git-read/index.ts';
import { moveRef, mustReadCommit } from '../adapters/git-write/index.ts';
import { refs } from '../domain/state-dir.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { done, type Order, recordFacts, refused } from './context.ts';
import { creation, eventsOf } from './history.ts';

/** Takes the target's commit into our own repository and begins the run branch there. */
export async function openRun(order: Order): Promise<MergerAnswer> {
  const history = await order.ledger.read(order.run);
  const { commit } = creation(history).target;
  if (eventsOf(history, 'run-branch-made').length > 0) return done;
  const { commonDir } = await findCheckout(order.checkout);
  await ensureBareRepository(order.state.repository, commonDir);
  failpoint('merger-repository-made');
  await adoptCommit(order.state.repository, commonDir, commit);
  failpoint('merger-target-adopted');
  const branch = refs.runBranch(order.run);
  const moved = await moveRef({ gitDir: order.state.repository }, branch, { old: null, new: commit, why: 'open run' });
  if (moved.outcome === 'lost') return refused(`diverged: ${branch} exists at ${moved.found} instead of ${commit}`);
  failpoint('merger-run-branch-set');
  const { tree } = await mustReadCommit(order.state.repository, commit);
  return await recordFacts(order, { type: 'run-branch-made', commit, tree });
}
