import { adoptCommit, ensureBareRepository } from '../adapters/git/bare/index.ts';
import { findCheckout } from '../adapters/git/read/index.ts';
import { ensureStore, isCut } from '../adapters/git/stores/index.ts';
import { isAncestor, moveRef, mustReadCommit, readRef } from '../adapters/git/write/index.ts';
import { failpoint } from '../adapters/process/failpoint.ts';
import type { CommitId, RunId } from '../domain/base/ids.ts';
import { ok, type Result } from '../domain/base/result.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { RunOrder } from '../domain/ledger/requests.ts';
import { refs, type StateDir } from '../domain/ledger/state-dir.ts';
import { policy } from '../domain/settings/policy.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { abandonReason, creation, eventsOf, type History } from './proof/history.ts';
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

/** The inputs of every operation of the merger. */
export type MergerContext = {
  readonly ledger: Ledger;
  readonly state: StateDir;
  /** The person's checkout. */
  readonly checkout: string;
  /** The person's own environment, for the steps that are theirs: identity, signing, filters of their checkout. */
  readonly env: Readonly<Record<string, string>>;
};

/** One request about one run, under the epoch of the coordinator that sent it. */
export type MergerOrder = MergerContext & { readonly run: RunId; readonly epoch: number };

export const mergerDone: MergerAnswer = { outcome: 'done' };
export const stale: MergerAnswer = { outcome: 'stale-epoch' };
export const refused = (because: Finding): MergerAnswer => ({ outcome: 'refused', because });

/** Records facts about the world that stay true whatever else was appended meanwhile. */
export const recordFacts = (order: MergerOrder, ...events: readonly RunEvent[]): Promise<MergerAnswer> =>
  recordWhile(order, () => true, ...events);

/** Records facts while their condition holds. Once it does not, nothing is recorded, and the caller may try again. */
export async function recordWhile(
  order: MergerOrder,
  isValid: (past: History) => boolean,
  ...events: readonly RunEvent[]
): Promise<MergerAnswer> {
  for (;;) {
    const past = await order.ledger.read(order.run);
    if (!isValid(past)) return mergerDone;
    const appended = await order.ledger.append(order.run, past.length, events, order.epoch);
    if (appended.outcome === 'appended') return mergerDone;
    if (appended.outcome === 'stale-epoch') return stale;
  }
}

export type Intent<E> =
  | { readonly decision: 'intend'; readonly event: E & RunEvent }
  /** This intent is in the ledger already and was never finished. */
  | { readonly decision: 'resume'; readonly event: E & RunEvent }
  | { readonly decision: 'answer'; readonly answer: MergerAnswer };

/**
 * Records an intent, decided by exactly the events before it: another writer in between means deciding again.
 * This append is the fence against a coordinator that was replaced (I10): after it the ref may move, not before. A run that a person
 * gave up meanwhile begins nothing more; only what has landed may still be taken back.
 */
export async function recordIntent<E>(
  order: MergerOrder,
  decide: (history: History) => Promise<Intent<E>>,
): Promise<Intent<E>> {
  for (;;) {
    const history = await order.ledger.read(order.run);
    const intent = await decide(history);
    if (intent.decision === 'answer') return intent;
    if (intent.decision === 'resume') return (await isCurrent(order)) ? intent : { decision: 'answer', answer: stale };
    const because = intent.event.type === 'undo-intended' ? null : abandonReason(history);
    if (because !== null) return { decision: 'answer', answer: refused(because) };
    const appended = await order.ledger.append(order.run, history.length, [intent.event], order.epoch);
    if (appended.outcome === 'appended') return intent;
    if (appended.outcome === 'stale-epoch') return { decision: 'answer', answer: stale };
  }
}

/** Tells whether the coordinator that sent the request still holds the epoch. */
export async function isCurrent(order: Pick<MergerOrder, 'ledger' | 'epoch'>): Promise<boolean> {
  return (await order.ledger.holder())?.epoch === order.epoch;
}
