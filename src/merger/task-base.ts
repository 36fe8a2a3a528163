import { failpoint } from '../adapters/failpoint.ts';
import { keepReachable, mustReadCommit, nobody, writeCommit } from '../adapters/git-write/index.ts';
import type { CommitId, TaskId } from '../domain/ids.ts';
import { refs } from '../domain/state-dir.ts';
import type { MergerAnswer } from '../ports/merger.ts';
import { done, type Order, recordWhile, refused } from './context.ts';
import {
  allNeeds,
  eventsOf,
  type History,
  inOrder,
  isMerged,
  isReadOnly,
  planHere,
  planInForce,
  readySnapshot,
  runTip,
  waveOf,
} from './history.ts';
import { integrator } from './integrate.ts';

/**
 * The commit that attempts of a task start from: the run branch at the start of its wave, plus the ready snapshots of
 * what it needs; for a retried task, and under a new version of the plan, the run branch as it is now, so that it does not
 * run into the same conflict again.
 * Without such needs it is the run branch's own commit. The same past gives the same commit.
 */
export async function makeTaskBase(order: Order, task: TaskId): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const plan = planHere(history);
  if (waveOf(plan, task) === -1) return refused(`the plan has no task ${task}`);
  const { since } = planInForce(history);
  const anew = since > 0 || eventsOf(history, 'task-retried').some(({ event }) => event.task === task);
  const tip = anew ? runTip(history) : startingPoint(history, task);
  if (tip === undefined) return refused('the run branch does not exist yet');

  const needs = inOrder(plan, allNeeds(plan, task)).filter((need) => !isReadOnly(need) && !isMerged(history, need.id));
  const from = await mustReadCommit(repository, tip);
  const snapshots = new Map(needs.map((need) => [need.id, readySnapshot(history, need.id)] as const));
  const ready = [...snapshots.values()].filter((snapshot) => snapshot !== undefined);
  const integrate = await integrator(repository, ready, new Set(Object.keys(plan.generated)));
  let { tree } = from;
  for (const [need, snapshot] of snapshots) {
    if (snapshot === undefined) return refused(`${task} needs ${need}, which is not ready`);
    const merged = await integrate(tree, snapshot);
    if (!merged.ok)
      return refused(`what ${task} needs does not fit together: ${need} conflicts with the rest`, merged.error);
    tree = merged.value;
  }

  const message = `Base of ${order.run}/${task}\n`;
  const commit =
    needs.length === 0
      ? tip
      : await writeCommit(repository, { tree, parent: tip, message, by: nobody, date: from.date });
  if (isStanding(history, task, commit)) return done;
  failpoint('merger-base-written');
  await keepReachable(repository, refs.taskBase(order.run, task), commit);
  failpoint('merger-base-kept');
  const sameVersion = (past: History): boolean => planInForce(past).since === since;
  return await recordWhile(order, sameVersion, { type: 'task-base-made', task, commit, tree });
}

/** Recorded already, and nobody started the task or what it needs anew since: then the same base is made once more. */
function isStanding(history: History, task: TaskId, commit: CommitId): boolean {
  const made = eventsOf(history, 'task-base-made').findLast(({ event }) => event.task === task);
  const stands = new Set([task, ...allNeeds(planHere(history), task)]);
  const anew = history.findLast(
    ({ event }) =>
      event.type === 'plan-replaced' ||
      ((event.type === 'task-retried' || event.type === 'task-reworked') && stands.has(event.task)),
  );
  return made?.event.commit === commit && made.position > (anew?.position ?? 0);
}

/** The last merge of an earlier wave, or of something that the task needs, whichever is later; else the very start. */
function startingPoint(history: History, task: TaskId): CommitId | undefined {
  const plan = planHere(history);
  const wave = waveOf(plan, task);
  const needs = allNeeds(plan, task);
  const merge = eventsOf(history, 'merged').findLast(
    ({ event }) => event.wave < wave || event.tasks.some((merged) => needs.has(merged.task)),
  );
  return merge?.event.new ?? eventsOf(history, 'run-branch-made').at(-1)?.event.commit;
}
