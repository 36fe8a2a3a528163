import { failpoint } from '../adapters/failpoint.ts';
import { openPerson, readRef, zeroId } from '../adapters/git-write/index.ts';
import type { RunEvent } from '../domain/events.ts';
import type { CommitId, TaskId } from '../domain/ids.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { done, type Order, recordFacts, recordIntent, refused } from './context.ts';
import { eventsOf, type History } from './history.ts';
import { standingLandings } from './land.ts';
import { recoverLanding } from './landing-recovery.ts';
import { examineMove, moveBranch } from './move-branch.ts';
import type { Obstacle } from './obstacles.ts';
import { buildReverts } from './reverts.ts';

type Intended = Extract<RunEvent, { type: 'undo-intended' }>;

/**
 * Takes a landed run, or one task of it, back out of the person's branch. Nothing came on top: the branch returns to
 * exactly the commit it was at (I6). Otherwise commits that revert it are put on top of what is there now.
 */
export async function undo(order: Order, task: TaskId | null): Promise<MergerAnswer> {
  const recovered = await recoverLanding(order);
  if (!recovered.ok) return await refuse(order, task, recovered.error);
  const history = await order.ledger.read(order.run);
  if (isUndone(history, task)) return done;
  const landings = standingLandings(history);
  const [first, last] = [landings[0], landings.at(-1)];
  if (first === undefined || last === undefined)
    return await refuse(order, task, { why: 'nothing of this run has landed', files: [], fix: 'tidegate status' });

  const ref = `refs/heads/${last.branch}`;
  const person = await openPerson(order.checkout, order.env);
  const found = await readRef(person, ref);
  const before = openIntent(history, task);
  if (before !== undefined && (found ?? zeroId(before.new)) === before.new)
    return await undone(order, before, first.old);
  const next = await decideTarget(order, { history, task, found, first, last });
  if (!next.ok) return await refuse(order, task, next.error);

  const move = {
    ref,
    old: found,
    new: next.value,
    retry: `tidegate undo ${order.run}${task === null ? '' : `/${task}`}`,
  };
  const ready = await examineMove(order, move);
  if (!ready.ok) return await refuse(order, task, ready.error);
  const old = found ?? last.new;
  const event: Intended = { type: 'undo-intended', task, branch: last.branch, old, new: next.value ?? zeroId(old) };
  const intent = await recordIntent<Intended>(order, async (now) => {
    if (isUndone(now, task)) return { decision: 'answer', answer: done };
    return openIntent(now, task)?.new === event.new ? { decision: 'resume', event } : { decision: 'intend', event };
  });
  if (intent.decision === 'answer') return intent.answer;
  failpoint('merger-undo-intended');
  const moved = await moveBranch(order, ready.value);
  if (!moved.ok) return await refuse(order, task, moved.error);
  failpoint('merger-undone');
  return await undone(order, event, first.old);
}

type Landed = Extract<RunEvent, { type: 'landed' }>;

/** The exact old commit (null: the branch goes), when nothing but our own landings happened since; else reverts on top. */
async function decideTarget(
  order: Order,
  at: {
    readonly history: History;
    readonly task: TaskId | null;
    readonly found: CommitId | null;
    readonly first: Landed;
    readonly last: Landed;
  },
): Promise<Result<CommitId | null, Obstacle>> {
  const { history, task, found, first, last } = at;
  const landings = standingLandings(history);
  const unbroken = landings.every((landing, index) => index === 0 || landings[index - 1]?.new === landing.old);
  if (task === null && found === last.new && unbroken) return ok(first.old);
  if (found === null) return err({ why: `the branch ${last.branch} is gone`, files: [], fix: 'git branch' });
  const undoneTasks = eventsOf(history, 'undone').flatMap(({ event }) => event.task ?? []);
  return await buildReverts(order, { onto: found, landings, task, undoneTasks });
}

/** Only what landed after the last undo of the same thing is there to be undone again. */
function isUndone(history: History, task: TaskId | null): boolean {
  const undo = eventsOf(history, 'undone').findLast(({ event }) => event.task === task || event.task === null);
  const landing = eventsOf(history, 'landed').at(-1);
  return undo !== undefined && undo.position > (landing?.position ?? 0);
}

function openIntent(history: History, task: TaskId | null): Intended | undefined {
  const last = history.findLast(({ event }) =>
    ['undo-intended', 'undone', 'undo-refused', 'landed'].includes(event.type),
  );
  return last?.event.type === 'undo-intended' && last.event.task === task ? last.event : undefined;
}

const undone = (
  order: Order,
  { task, branch, old, new: next }: Intended,
  exactly: CommitId | null,
): Promise<MergerAnswer> =>
  recordFacts(order, { type: 'undone', task, branch, old, new: next, exact: next === (exactly ?? zeroId(next)) });

async function refuse(order: Order, task: TaskId | null, { why, files, fix }: Obstacle): Promise<MergerAnswer> {
  const named = files.length === 0 ? why : `${why}: ${files.join(', ')}`;
  const recorded = await recordFacts(order, { type: 'undo-refused', task, why: named, fix });
  return recorded.outcome === 'done' ? refused(`${why}. ${fix}`, files) : recorded;
}
