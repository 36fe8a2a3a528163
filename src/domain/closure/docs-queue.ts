import type { TaskId } from '../base/ids.ts';
import type { Finding } from '../findings/finding.ts';
import type { DiffEntry, HandoffEvidence } from '../gates/evidence.ts';
import type { FrozenPlan, PlannedTask } from '../plan/plan.ts';
import type { RunState } from '../run/run.ts';
import { endedAttempt, snapshotOf } from '../run/task.ts';
import { matches, pattern } from '../scope/pattern.ts';
import type { RoleReport } from './report.ts';

/** The work of one task, as far as docs are concerned. */
export type DocumentedWork = {
  readonly task: TaskId;
  readonly handoff: HandoffEvidence;
  readonly diff: readonly DiffEntry[];
};

/**
 * Lists what the docs role has to close by name, in order: the id of each task that claims an effect on docs, and each changed path of
 * the shared docs.
 */
export function docsQueue({ sharedDocs = [] }: FrozenPlan, work: readonly DocumentedWork[]): readonly string[] {
  const patterns = sharedDocs.map(pattern);
  const items = work.flatMap(({ task, handoff, diff }) => [
    ...(claimsDocs(handoff) ? [task] : []),
    ...diff.map(({ path }) => path).filter((path) => patterns.some((one) => matches(one, path))),
  ]);
  return [...new Set(items)].toSorted();
}

const claimsDocs = (handoff: HandoffEvidence): boolean => {
  const docs = handoff.kind === 'given' ? handoff.handoff.claims?.docs : undefined;
  return docs !== undefined && docs !== 'none';
};

/** The docs queue of a candidate. */
export const docsQueueOf = (state: RunState, steps: readonly { readonly task: TaskId }[]): readonly string[] =>
  docsQueue(
    state.plan,
    steps.flatMap(({ task: id }) => {
      const task = state.tasks[id];
      const attempt = task === undefined ? null : endedAttempt(task);
      const snapshot = task === undefined ? null : snapshotOf(task);
      return attempt === null || snapshot === null ? [] : [{ task: id, handoff: attempt.handoff, diff: snapshot.diff }];
    }),
  );

/** Items that the docs role left open; empty for every other role. */
export function docsFindings(
  { id: task, closes }: PlannedTask,
  { items = [] }: RoleReport,
  queue: readonly string[],
): readonly Finding[] {
  if (closes !== 'docs') return [];
  const open = queue.filter((item) => !items.includes(item));
  return open.length === 0 ? [] : [{ rule: 'docs-open', task, code: 'doc-closure-open', items: open }];
}
