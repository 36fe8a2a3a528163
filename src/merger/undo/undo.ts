import { isAncestor, openPerson, readCommit, readRef, zeroId } from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, TaskId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { isExactUndo } from '../../domain/landing/undo.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { recoverLanding } from '../land/landing-recovery.ts';
import { examineMove, hasReached, moveBranch } from '../land/move-branch.ts';
import { standingLandings } from '../land/rebuild-landing.ts';
import { type MergerOrder, mergerDone, recordFacts, recordIntent, refused } from '../order.ts';
import { uncheckedOn } from '../proof/checked.ts';
import { eventsOf, type History } from '../proof/history.ts';
import { type Prepared, preparations, prepareUndo, undoneTasks } from './reverts.ts';

type Intended = Extract<RunEvent, { type: 'undo-intended' }>;

/**
 * Takes a landed run, or one task of it, back out of the person's branch. If nothing came on top, the branch returns at once to
 * exactly the commit it was at (I6). Otherwise reverts are prepared on top of the current tip. When called again, the branch moves
 * to them once the ledger holds that every check passed on their tree.
 */
export async function undoLanding(order: MergerOrder, task: TaskId | null): Promise<MergerAnswer> {
  const recovered = await recoverLanding(order);
  if (!recovered.ok) return await refuse(order, task, recovered.error);
  const history = await order.ledger.read(order.run);
  if (isUndoneInHistory(history, task)) return mergerDone;
  const landings = standingLandings(history);
  const [first, last] = [landings[0], landings.at(-1)];
  if (first === undefined || last === undefined) return await refuse(order, task, { rule: 'nothing-landed' });

  const tip = await readRef(await openPerson(order.checkout, order.env), `refs/heads/${last.branch}`);
  const before = openIntent(history, task);
  if (before !== undefined && (await hasMoved(order, before, tip))) return await undone(order, before, first.old);
  const moving = { task, branch: last.branch, begin: first.old };
  if (tip !== null && isExactUndo(landings, tip, task))
    return await move(order, { ...moving, old: tip, new: first.old });
  if (tip === null) return await refuse(order, task, { rule: 'branch-gone', branch: last.branch });

  const prepared = preparations(history, task).at(-1);
  if (prepared?.onto !== tip) {
    const reverts = await prepareUndo(order, { history, task, onto: tip });
    return reverts.ok ? reverts.value : await refuse(order, task, reverts.error);
  }
  const checked = { tree: prepared.tree, against: prepared.baseline?.tree };
  if (uncheckedOn(history, checked, true).length > 0) return mergerDone;
  const proven = await verifyReverts(order, prepared);
  if (!proven.ok) return await refuse(order, task, proven.error);
  return await move(order, { ...moving, old: tip, new: prepared.commit });
}

type Moving = {
  readonly task: TaskId | null;
  readonly branch: string;
  readonly old: CommitId;
  /** Null when the landing made the branch, which is then removed. */
  readonly new: CommitId | null;
  /** The commit of the branch before the run landed. */
  readonly begin: CommitId | null;
};

async function move(order: MergerOrder, { task, branch, old, new: next, begin }: Moving): Promise<MergerAnswer> {
  const ready = await examineMove(order, { ref: `refs/heads/${branch}`, old, new: next });
  if (!ready.ok) return await refuse(order, task, ready.error);
  const event: Intended = { type: 'undo-intended', task, branch, old, new: next ?? zeroId(old) };
  const intent = await recordIntent<Intended>(order, async (now) => {
    if (isUndoneInHistory(now, task)) return { decision: 'answer', answer: mergerDone };
    return openIntent(now, task)?.new === event.new ? { decision: 'resume', event } : { decision: 'intend', event };
  });
  if (intent.decision === 'answer') return intent.answer;
  failpoint('merger-undo-intended');
  const moved = await moveBranch(order, ready.value);
  if (!moved.ok) return await refuse(order, task, moved.error);
  failpoint('merger-undone');
  return await undone(order, event, begin);
}

/** True when the branch is at the intended commit, or the person added commits to it; only with reverts can that be recognised. */
async function hasMoved(order: MergerOrder, { old, new: next }: Intended, tip: CommitId | null): Promise<boolean> {
  if (tip === null || tip === next) return (tip ?? zeroId(next)) === next;
  return (await isAncestor(order.state.repository, old, next)) && (await hasReached(order, tip, next));
}

/** The recorded commit is there, holds the tree that was checked, and only adds to the branch. */
async function verifyReverts(order: MergerOrder, { onto, commit, tree }: Prepared): Promise<Result<null, Finding>> {
  const { repository } = order.state;
  const written = await readCommit(repository, commit);
  const sound = written?.tree === tree && (await isAncestor(repository, onto, commit));
  return sound ? ok(null) : err({ rule: 'undo-diverged', commit });
}

/** Tells whether it is undone already. Only a landing after the last undo of the same thing can be undone again. */
export function isUndoneInHistory(history: History, task: TaskId | null): boolean {
  const whole = eventsOf(history, 'undone').findLast(({ event }) => event.task === null);
  const landing = eventsOf(history, 'landed').at(-1);
  if (whole !== undefined && whole.position > (landing?.position ?? 0)) return true;
  return task !== null && undoneTasks(history).includes(task);
}

function openIntent(history: History, task: TaskId | null): Intended | undefined {
  const last = history.findLast(({ event }) =>
    ['undo-prepared', 'undo-intended', 'undone', 'undo-refused', 'landed'].includes(event.type),
  );
  return last?.event.type === 'undo-intended' && last.event.task === task ? last.event : undefined;
}

const undone = (
  order: MergerOrder,
  { task, branch, old, new: next }: Intended,
  exactly: CommitId | null,
): Promise<MergerAnswer> =>
  recordFacts(order, { type: 'undone', task, branch, old, new: next, exact: next === (exactly ?? zeroId(next)) });

/** A branch that moved just now is no obstacle: the next call prepares the undo on its new tip. */
async function refuse(order: MergerOrder, task: TaskId | null, because: Finding): Promise<MergerAnswer> {
  if (because.rule === 'branch-moved') return mergerDone;
  const recorded = await recordFacts(order, { type: 'undo-refused', task, because });
  return recorded.outcome === 'done' ? refused(because) : recorded;
}
