import {
  type Commit,
  mergeTrees,
  moveRef,
  mustReadCommit,
  readChanges,
  readCommits,
  readRef,
  takeBack,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, TreeId } from '../../domain/base/ids.ts';
import { ok, type Result } from '../../domain/base/result.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { type Intent, type MergerOrder, mergerDone, recordFacts, recordIntent, refused } from '../context.ts';
import { verifyObjects } from '../objects.ts';
import { eventsOf, type History } from '../proof/history.ts';
import { verifyChain } from '../proof/proof.ts';

type Intended = Extract<RunEvent, { type: 'merge-intended' }>;
type Round = { readonly wave: number; readonly round: number };

/**
 * Moves the run branch to a candidate that the ledger proves. Asked again after a crash it looks at the branch: already
 * there, it only records it; still at the old commit, it moves it; anywhere else, it stops and says so.
 */
export async function mergeRound(order: MergerOrder, round: Round): Promise<MergerAnswer> {
  const place = { gitDir: order.state.repository };
  const branch = refs.runBranch(order.run);
  const intent = await recordIntent(order, (history) => decide(order, history, round));
  if (intent.decision === 'answer') return intent.answer;
  failpoint('merger-merge-intended');

  const { old, new: next } = intent.event;
  const why = `merge wave ${round.wave} round ${round.round}`;
  const moved = await moveRef(place, branch, { old, new: next, why });
  if (moved.outcome === 'lost') return diverged(branch, moved.actual, intent.event);
  failpoint('merger-run-branch-moved');
  return await recordFacts(order, { type: 'merged', ...round, old, new: next, tasks: await mergedTasks(order, round) });
}

async function decide(order: MergerOrder, history: History, round: Round): Promise<Intent<Intended>> {
  const isThis = (event: Round) => event.wave === round.wave && event.round === round.round;
  const answer = (given: MergerAnswer): Intent<Intended> => ({ decision: 'answer', answer: given });
  if (eventsOf(history, 'merged').some(({ event }) => isThis(event))) return answer(mergerDone);
  const before = eventsOf(history, 'merge-intended').findLast(({ event }) => isThis(event))?.event;

  const chain = verifyChain(history, round.wave, round.round);
  if (!chain.ok) return answer(refused({ rule: 'proof-broken', ...chain.error }));
  const objects = await verifyObjects(order.state.repository, history, round);
  if (!objects.ok) return answer(refused({ rule: 'objects-differ', ...objects.error }));

  const built = eventsOf(history, 'candidate-built').findLast(({ event }) => isThis(event))?.event;
  const completed = eventsOf(history, 'candidate-completed').findLast(({ event }) => isThis(event))?.event;
  const next = completed?.commit ?? built?.steps.at(-1)?.commit;
  if (built === undefined || next === undefined) return answer(refused({ rule: 'candidate-empty' }));
  const event: Intended = { type: 'merge-intended', ...round, old: built.base, new: next };
  const tip = await readRef({ gitDir: order.state.repository }, refs.runBranch(order.run));
  const finishing = before !== undefined && tip === next;
  if (tip !== event.old && !finishing) return answer(diverged(refs.runBranch(order.run), tip, event));
  return before === undefined ? { decision: 'intend', event } : { decision: 'resume', event };
}

async function mergedTasks(order: MergerOrder, round: Round) {
  const built = eventsOf(await order.ledger.read(order.run), 'candidate-built').findLast(
    ({ event }) => event.wave === round.wave && event.round === round.round,
  );
  return (built?.event.steps ?? []).map(({ task, commit }) => ({ task, commit }));
}

const diverged = (ref: string, actual: CommitId | null, { old, new: next }: Intended): MergerAnswer =>
  refused({ rule: 'ref-diverged', ref, before: old, after: next, actual });

/** Puts the changes of a task since its base onto a tree. On conflict names the files. */
type Integrate = (onto: TreeId, snapshot: SnapshotEvidence) => Promise<Result<TreeId, readonly string[]>>;

/**
 * Prepares to integrate these snapshots, whose commits are read at once. Edits of generated paths are left out here:
 * they are rebuilt on the candidate by their own command, whatever an agent made of them.
 */
export async function integrator(
  repository: string,
  snapshots: readonly SnapshotEvidence[],
  generated: ReadonlySet<string>,
): Promise<Integrate> {
  const commits = await readCommits(repository, [...new Set(snapshots.flatMap(({ commit, base }) => [commit, base]))]);
  const read = async (id: CommitId): Promise<Commit> => commits.get(id) ?? (await mustReadCommit(repository, id));
  return async (ours, snapshot) => {
    const taken = await read(snapshot.commit);
    const theirs = await withoutGenerated(repository, taken, snapshot, generated);
    const base = await read(snapshot.base);
    // Nothing happened since: what the task left is the result. In a chain every step is so.
    if (ours === base.tree) return ok(typeof theirs === 'string' ? theirs : theirs.tree);
    return await mergeTrees(repository, { base, ours, theirs });
  };
}

async function withoutGenerated(
  repository: string,
  taken: Commit,
  snapshot: SnapshotEvidence,
  generated: ReadonlySet<string>,
): Promise<Commit | TreeId> {
  if (generated.size === 0) return taken;
  const changes = await readChanges(repository, snapshot.base, snapshot.commit);
  const dropped = changes.filter((change) => generated.has(change.path));
  return dropped.length === 0 ? taken : await takeBack(repository, taken.tree, dropped);
}
