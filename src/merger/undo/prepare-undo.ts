import { keepReachable } from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, TaskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import { policy } from '../../domain/settings/policy.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { type MergerOrder, recordFacts } from '../context.ts';
import { standingLandings } from '../land/landing-parts.ts';
import { examineMove } from '../land/move-branch.ts';
import { eventsOf, type History } from '../proof/history.ts';
import { buildReverts } from './reverts.ts';

export type Prepared = Extract<RunEvent, { type: 'undo-prepared' }>;

/**
 * Makes the commits that take a run, or one task of it, back on top of the person's branch as it is now, and records
 * them. Nothing moves: they hold a tree that nobody has seen before, so that the checks come first.
 */
export async function prepareUndo(
  order: MergerOrder,
  { history, task, onto }: UndoAt,
): Promise<Result<MergerAnswer, Finding>> {
  const landings = standingLandings(history);
  const branch = landings.at(-1)?.branch ?? '';
  const reverts = await buildReverts(order, { onto, landings, task, undoneTasks: undoneTasks(history) });
  if (!reverts.ok) return reverts;
  const { commit, tree, reverted } = reverts.value;
  const tries = policy.landingTries;
  if (preparations(history, task).length >= tries) return err({ rule: 'undo-busy', branch, tries, reverts: reverted });
  // Told before the checks take their time, not after.
  const ready = await examineMove(order, { ref: `refs/heads/${branch}`, old: onto, new: commit });
  if (!ready.ok) return ready;
  failpoint('merger-undo-written');
  await keepReachable(order.state.repository, refs.undo(order.run), commit);
  failpoint('merger-undo-kept');
  return ok(await recordFacts(order, { type: 'undo-prepared', task, branch, onto, commit, tree, reverts: reverted }));
}

type UndoAt = {
  readonly history: History;
  readonly task: TaskId | null;
  readonly onto: CommitId;
};

/** What was prepared for the undo that is under way now. */
export function preparations(history: History, task: TaskId | null): readonly Prepared[] {
  const ends = ['undone', 'undo-refused', 'landed'];
  const over = history.findLast(({ event }) => ends.includes(event.type))?.position ?? 0;
  return eventsOf(history, 'undo-prepared')
    .filter(({ position, event }) => position > over && event.task === task)
    .map(({ event }) => event);
}

/** Taken back one by one; an undo of the whole run lets all of it land anew. */
export function undoneTasks(history: History): readonly TaskId[] {
  const whole = eventsOf(history, 'undone').findLast(({ event }) => event.task === null)?.position ?? 0;
  return eventsOf(history, 'undone').flatMap(({ position, event }) =>
    position > whole && event.task !== null ? [event.task] : [],
  );
}
