import {
  compareFiles,
  internalAuthor,
  mergeForPerson,
  mustReadCommit,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import { areModified } from '../../domain/derived/derive-resolver.ts';
import { sidesRules } from '../../domain/derived/sides.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import type { RepairInputs, RepairSubject } from '../../domain/ledger/derived-task-events.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../order.ts';
import { derivedIn } from '../proof/derived.ts';
import { eventsOf, lastSnapshot } from '../proof/history.ts';
import { withoutGenerated } from './without-generated.ts';

/** A snapshot and the integrated work that it does not fit on. */
type Pair = { readonly onto: CommitId; readonly snapshot: Pick<SnapshotEvidence, 'commit' | 'base'> };

/**
 * Returns what a resolver may repair of a conflict. Null unless every file that conflicts is text, and one that the snapshot itself
 * changes: a new, removed, renamed or binary file is for a person.
 */
export async function repairOfConflict(
  repository: string,
  { onto, snapshot }: Pair & { readonly snapshot: SnapshotEvidence },
  generated: ReadonlySet<string>,
): Promise<RepairSubject | null> {
  const { files, beside } = await markConflict(repository, { onto, snapshot }, generated);
  const isText = files.length > 0 && beside.length === 0 && areModified(snapshot, files);
  return isText ? { onto, paths: files.toSorted() } : null;
}

/** Merges both sides. Text that conflicts holds both, between markers. */
async function markConflict(
  repository: string,
  { onto, snapshot }: Pair,
  generated: ReadonlySet<string>,
): ReturnType<typeof mergeForPerson> {
  const taken = await mustReadCommit(repository, snapshot.commit);
  const theirs = await withoutGenerated(repository, taken, snapshot, generated);
  const base = await mustReadCommit(repository, snapshot.base);
  const { tree: ours } = await mustReadCommit(repository, onto);
  return await mergeForPerson(repository, { base, ours, theirs });
}

/**
 * The commit that a resolver starts from: the integrated work of the others with the snapshot that it repairs. For a conflict, both
 * sides are between markers. For a task that breaks a check, it is the tree that failed. Both sides are its parents, so that
 * the workspace has them. The same inputs give the same commit.
 */
export async function writeRepairBase(
  repository: string,
  inputs: RepairInputs,
  { message, generated }: { readonly message: string; readonly generated: ReadonlySet<string> },
): Promise<{ readonly commit: CommitId; readonly tree: TreeId }> {
  const { onto, failing, base } = inputs;
  const pair = { onto, snapshot: { commit: inputs.snapshot, base } };
  const { tree } =
    failing === undefined ? await markConflict(repository, pair, generated) : await mustReadCommit(repository, failing);
  const { date } = await mustReadCommit(repository, inputs.snapshot);
  const parents = { parent: failing ?? onto, other: inputs.snapshot };
  return { commit: await writeCommit(repository, { tree, ...parents, message, by: internalAuthor, date }), tree };
}

/** Compares the newest snapshot of a resolver with both sides. Nothing moves. */
export async function compareSides(order: MergerOrder, task: TaskId): Promise<MergerAnswer> {
  const history = await order.ledger.read(order.run);
  const derived = derivedIn(history, task)?.event;
  const snapshot = lastSnapshot(history, task)?.commit;
  if (derived === undefined) return refused({ rule: 'task-unplanned', task });
  if (snapshot === undefined) return refused({ rule: 'no-snapshot', task });
  const isDone = eventsOf(history, 'sides-compared').some(
    ({ event }) => event.task === task && event.snapshot === snapshot,
  );
  if (isDone) return mergerDone;
  const { base, onto, snapshot: held, paths } = derived.inputs;
  const commits = { base, ours: onto, theirs: held, result: snapshot };
  const sides = await compareFiles(order.state.repository, commits, paths);
  failpoint('merger-sides-compared');
  return await recordFacts(order, { type: 'sides-compared', task, snapshot, rules: sidesRules, ...sides });
}
