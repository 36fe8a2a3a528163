import { existsSync } from 'node:fs';
import { mustReadCommit, readChanges } from '../adapters/git/write/index.ts';
import { failpoint } from '../adapters/process/failpoint.ts';
import type { CommitId, TaskId } from '../domain/base/ids.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { SnapshotEvidence } from '../domain/gates/evidence.ts';
import type { By } from '../domain/ledger/requests.ts';
import { editedFiles, refs } from '../domain/ledger/state-dir.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { type MergerOrder, mergerDone, recordWhile, refused } from './context.ts';
import { eventsOf, type History, isVoidedBy, lastSnapshot } from './proof/history.ts';
import { walkEdited } from './walk-edited.ts';

type TakeEdit = { readonly task: TaskId; readonly from: CommitId; readonly copy: string; readonly by: By };

/**
 * Makes the next snapshot of a task out of what a person left in a copy of the last one, by the walk that takes every snapshot. What
 * could not be taken from the agent, and secrets in what the person did not touch, stay findings of the new one.
 */
export async function takeEdit(order: MergerOrder, { task, from, copy, by }: TakeEdit): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const edits = eventsOf(history, 'task-edited').filter(({ event }) => event.task === task);
  if (edits.some(({ event }) => event.copy === copy)) return mergerDone;
  const last = lastSnapshot(history, task);
  const ended = eventsOf(history, 'attempt-ended').findLast(({ event }) => event.task === task);
  if (last === undefined || !ended?.event.snapshot) return refused({ rule: 'no-snapshot', task });
  if (last.commit !== from) return refused({ rule: 'snapshot-outdated', task, named: from, newest: last.commit });
  const files = editedFiles(order.state, copy);
  if (files === null || !existsSync(files)) return refused({ rule: 'edit-gone' });

  const taken = await walkEdited(order, files, {
    base: last.base,
    from,
    ref: refs.edit(order.run, task, edits.length + 1),
    message: `Snapshot of ${order.run}/${task}, edited by hand`,
  });
  if (!taken.ok) return refused({ rule: 'edit-unreadable', because: taken.error });
  // the copy was made of what could be taken: what cannot be is the person's own, and stays theirs
  const unfit = taken.value.refused.find(({ rule }) => rule !== 'two-spellings');
  if (unfit !== undefined) return refused({ rule: 'edit-unreadable', because: unfit });
  const { tree } = await mustReadCommit(repository, from);
  if (taken.value.tree === tree) return refused({ rule: 'edit-unchanged', task });
  failpoint('merger-edit-taken');
  const { attempt, snapshot: left } = ended.event;
  const touched = pathsOf(await readChanges(repository, from, taken.value.commit));
  const paths = pathsOf(await readChanges(repository, left.commit, taken.value.commit));
  const snapshot = withEarlierFindings(taken.value, last, new Set(touched));
  const stands = (past: History): boolean =>
    !past.some(({ position, event }) => position > history.length && isVoidedBy(task, event));
  return await recordWhile(order, stands, { type: 'task-edited', task, attempt, from, snapshot, paths, copy, by });
}

const pathsOf = (changes: readonly { readonly path: string }[]): readonly string[] => changes.map(({ path }) => path);

/** The copy is made of what could be taken, and holds values that nobody remembers: what was found before stays found. */
function withEarlierFindings(
  snapshot: SnapshotEvidence,
  before: SnapshotEvidence,
  touched: ReadonlySet<string>,
): SnapshotEvidence {
  const isStill = ({ rule, where }: Finding): boolean =>
    rule !== 'two-spellings' && (where === undefined || !touched.has(where));
  const joined = (now: readonly Finding[], earlier: readonly Finding[]): readonly Finding[] => [
    ...now,
    ...earlier.filter(
      (finding) => isStill(finding) && !now.some(({ rule, where }) => rule === finding.rule && where === finding.where),
    ),
  ];
  return {
    ...snapshot,
    refused: joined(snapshot.refused, before.refused),
    secrets: joined(snapshot.secrets, before.secrets),
  };
}
