import { adoptCommit, ensureBareRepository } from '../adapters/git/bare/index.ts';
import { findCheckout } from '../adapters/git/read/index.ts';
import { ensureStore, isCut } from '../adapters/git/stores/index.ts';
import { isAncestor, moveRef, mustReadCommit, readRef } from '../adapters/git/write/index.ts';
import { failpoint } from '../adapters/process/failpoint.ts';
import type { CommitId } from '../domain/base/ids.ts';
import { ok, type Result } from '../domain/base/result.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { RunOrder } from '../domain/ledger/requests.ts';
import { refs } from '../domain/ledger/state-dir.ts';
import { policy } from '../domain/settings/policy.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from './order.ts';
import { creation, eventsOf } from './proof/history.ts';
import { takeUncommitted } from './take-uncommitted.ts';

/**
 * Takes the target's tip into our own repository and begins the run branch there. A run that waited in line begins on
 * what has landed meanwhile.
 */
export async function openRun(order: MergerOrder): Promise<MergerAnswer> {
  const history = await order.ledger.read(order.run);
  if (eventsOf(history, 'run-branch-made').length > 0) return mergerDone;
  const { commonDir } = await findCheckout(order.checkout);
  await ensureBareRepository(order.state.repository, commonDir);
  failpoint('merger-repository-made');
  const branch = refs.runBranch(order.run);
  const begun = await readRef({ gitDir: order.state.repository }, branch);
  const start = begun === null ? await startOf(order, creation(history), commonDir) : ok(await begunAt(order, begun));
  if (!start.ok) return refused(start.error);
  const { commit, onto } = start.value;
  failpoint('merger-target-adopted');
  const moved = await moveRef({ gitDir: order.state.repository }, branch, { old: null, new: commit, why: 'open run' });
  if (moved.outcome === 'lost')
    return refused({ rule: 'ref-exists', ref: branch, expected: commit, actual: moved.actual });
  failpoint('merger-run-branch-set');
  // Here once, before any number of attempts ask for it at the same moment.
  const store = await ensureStore(order.state.repository, { from: commit, base: commit });
  const { tree } = await mustReadCommit(order.state.repository, commit);
  const added = onto === null ? {} : { onto };
  const cut = isCut(store) ? { history: policy.historyCommits } : {};
  return await recordFacts(order, { type: 'run-branch-made', commit, tree, ...added, ...cut });
}

/** `onto`: the commit that uncommitted changes were added to; null when there are none. */
type Start = { readonly commit: CommitId; readonly onto: CommitId | null };

/** The run branch was set before, and nobody recorded it. */
async function begunAt(order: MergerOrder, commit: CommitId): Promise<Start> {
  const { repository } = order.state;
  const taken = await readRef({ gitDir: repository }, refs.uncommitted(order.run));
  const [onto = null] = taken === commit ? (await mustReadCommit(repository, commit)).parents : [];
  return { commit, onto };
}

/** The branch of an earlier run that this one continues; else the target, with the uncommitted changes of the checkout if they were requested. */
async function startOf(
  order: MergerOrder,
  { target, continues, uncommitted }: Pick<RunOrder, 'target' | 'continues' | 'uncommitted'>,
  commonDir: string,
): Promise<Result<Start, Finding>> {
  const { repository } = order.state;
  if (continues !== undefined) {
    await adoptCommit(repository, commonDir, continues.commit);
    return ok({ commit: continues.commit, onto: null });
  }
  const tip = await tipOf(order, target, commonDir);
  const taken = uncommitted === true ? await takeUncommitted(order, { ...target, commit: tip }) : ok(null);
  if (!taken.ok) return taken;
  return ok(taken.value === null ? { commit: tip, onto: null } : { commit: taken.value, onto: tip });
}

/** The branch as it is now, if it only went on since the run was ordered; else where it was then. */
async function tipOf(order: MergerOrder, target: RunOrder['target'], commonDir: string): Promise<CommitId> {
  const { repository } = order.state;
  await adoptCommit(repository, commonDir, target.commit);
  const tip = await readRef({ gitDir: commonDir }, `refs/heads/${target.branch}`);
  if (tip === null || tip === target.commit) return target.commit;
  await adoptCommit(repository, commonDir, tip);
  return (await isAncestor(repository, target.commit, tip)) ? tip : target.commit;
}
