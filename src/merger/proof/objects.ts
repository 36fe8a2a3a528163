import { isDeepStrictEqual } from 'node:util';
import { readChanges, readCommits, readManyChanges } from '../../adapters/git/write/index.ts';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, present, type Result } from '../../domain/base/result.ts';
import type { ObjectGap } from '../../domain/findings/merger-rules.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import { repairedSnapshot } from './derived.ts';
import { verifyGeneratedObjects } from './generated-objects.ts';
import { eventsOf, type History, isOfRound, judgedPhases } from './history.ts';
import { verifyPromotedObjects } from './promoted-objects.ts';
import { verifyRepairObjects } from './repair-objects.ts';

/**
 * Verifies that the repository holds what the ledger says of this round: snapshots are one commit on their recorded base, the
 * recorded diff is the whole diff, and the candidate is one commit per task that touches nothing else, with one more for generated
 * files.
 */
export async function verifyObjects(
  repository: string,
  history: History,
  { wave, round }: { readonly wave: number; readonly round: number },
): Promise<Result<null, ObjectGap>> {
  const built = eventsOf(history, 'candidate-built').findLast(
    ({ event }) => event.wave === wave && event.round === round,
  )?.event;
  if (built === undefined) return err({ gap: 'no-candidate' });
  const ofRound = isOfRound({ wave, round });
  const entries = eventsOf(history, 'round-opened').findLast(ofRound)?.event.tasks ?? [];
  const completed = eventsOf(history, 'candidate-completed').findLast(ofRound)?.event.commit;
  const roles = eventsOf(history, 'candidate-extended')
    .filter(ofRound)
    .map(({ event }) => event);
  const promoted = eventsOf(history, 'components-promoted').findLast(ofRound)?.event.commit;
  const core = promoted ?? completed ?? built.steps.at(-1)?.commit ?? built.base;
  const parentOf = (at: number): CommitId => built.steps[at - 1]?.commit ?? built.base;
  const steps = [
    ...built.steps.map((step, at) => {
      const by = entries.find(({ task }) => task === step.task)?.by;
      return { ...step, ...present({ by }), parent: parentOf(at), snapshot: snapshotIn(history, by ?? step.task) };
    }),
    ...roles.map(({ task, snapshot: commit, ...step }, at) => ({
      ...step,
      task,
      parent: roles[at - 1]?.commit ?? core,
      snapshot: snapshotIn(history, task, commit),
    })),
  ];
  const ids = steps.flatMap(({ commit, parent, snapshot }) =>
    snapshot ? [commit, parent, snapshot.commit, snapshot.base] : [commit, parent],
  );
  const commits = await readCommits(repository, [...new Set(ids)]);

  const compared: {
    readonly task: TaskId;
    readonly judged: ReadonlySet<string>;
    readonly pair: readonly [TreeId, TreeId];
  }[] = [];
  for (const step of steps) {
    const { task, commit, tree, parent, snapshot } = step;
    const by = 'by' in step ? step.by : undefined;
    if (!snapshot) return err({ gap: 'snapshot-unrecorded', task });
    const [taken, base] = [commits.get(snapshot.commit), commits.get(snapshot.base)];
    if (taken === undefined || base === undefined) return err({ gap: 'snapshot-missing', task });
    if (taken.tree !== snapshot.tree) return err({ gap: 'snapshot-tree', task });
    if (taken.parents.length !== 1 || taken.parents[0] !== snapshot.base) return err({ gap: 'snapshot-parent', task });
    const [made, before] = [commits.get(commit), commits.get(parent)];
    if (made === undefined || before === undefined) return err({ gap: 'candidate-missing', task });
    if (made.parents.length !== 1 || made.parents[0] !== parent) return err({ gap: 'candidate-parent', task });
    if (made.tree !== tree) return err({ gap: 'candidate-tree', task });
    const paths = new Set(snapshot.diff.map((entry) => entry.path));
    compared.push({ task, judged: paths, pair: [base.tree, taken.tree] });
    const whole = by === undefined ? snapshot : repairedSnapshot(history, task, by);
    const inStep = new Set((whole ?? snapshot).diff.map((entry) => entry.path));
    compared.push({ task, judged: inStep, pair: [before.tree, made.tree] });
  }
  const changes = await readManyChanges(
    repository,
    compared.map(({ pair }) => pair),
  );
  for (const [at, { task, judged: paths }] of compared.entries()) {
    const hidden = changes[at]?.find((change) => !paths.has(change.path));
    if (hidden !== undefined) return err({ gap: 'path-unjudged', task, path: hidden.path });
  }
  for (const step of steps) {
    const by = 'by' in step ? step.by : undefined;
    const edited = await verifyEdit(repository, history, by ?? step.task);
    if (!edited.ok) return edited;
    const repaired = by === undefined ? ok(null) : await verifyRepairObjects(repository, history, by);
    if (!repaired.ok) return repaired;
  }
  const levels = await verifyPromotedObjects(repository, history, { wave, round });
  return levels.ok ? await verifyGeneratedObjects(repository, history, { wave, round }) : levels;
}

/** The snapshot of a task that its gates judged last; with `commit` the last one that is this commit. */
const snapshotIn = (history: History, task: TaskId, commit?: CommitId): SnapshotEvidence | null | undefined =>
  judgedPhases(history, 'monitor').findLast(
    ({ event }) => event.task === task && (commit === undefined || event.evidence.snapshot?.commit === commit),
  )?.event.evidence.snapshot;

/** Verifies that the paths that a person changed, and no others, differ from the agent's snapshot. */
async function verifyEdit(repository: string, history: History, task: TaskId): Promise<Result<null, ObjectGap>> {
  const edit = eventsOf(history, 'task-edited').findLast(({ event }) => event.task === task);
  const left = eventsOf(history, 'attempt-ended').findLast(({ event }) => event.task === task);
  if (edit === undefined || left === undefined || edit.position < left.position) return ok(null);
  if (!left.event.snapshot) return err({ gap: 'snapshot-unrecorded', task });
  const changes = await readChanges(repository, left.event.snapshot.commit, edit.event.snapshot.commit);
  const paths = changes.map(({ path }) => path).toSorted();
  return isDeepStrictEqual(paths, edit.event.paths.toSorted()) ? ok(null) : err({ gap: 'edit-paths', task });
}
