import {
  internalAuthor,
  keepReachable,
  mustReadCommit,
  writeCommit,
  writeStack,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import type { SnapshotEvidence } from '../../domain/gates/evidence.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import type { PlannedTask } from '../../domain/plan/plan.ts';
import { isReadOnly } from '../../domain/plan/plan.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { changesApart } from '../apart.ts';
import { type MergerOrder, mergerDone, recordWhile, refused } from '../order.ts';
import { derivedIn, repairedSnapshot, standInOf } from '../proof/derived.ts';
import {
  allNeeds,
  eventsOf,
  type History,
  inOrder,
  isDoneEmpty,
  isMerged,
  isStartedOver,
  planHere,
  planInForce,
  readySnapshot,
  runTip,
  waveInHistory,
} from '../proof/history.ts';
import { integrator } from './candidate.ts';
import { writeRepairBase } from './repair.ts';

/**
 * The commit that attempts of a task start from: the run branch at the start of its wave, plus the ready snapshots of
 * what it needs; for a retried task, and under a new version of the plan, the run branch as it is now, so that it does not
 * run into the same conflict again; for a need whose work was repaired, the integrated work that it was repaired for.
 * Without such needs it is the run branch's own commit. The same past gives the same commit.
 */
export async function makeTaskBase(order: MergerOrder, task: TaskId): Promise<MergerAnswer> {
  const history = await order.ledger.read(order.run);
  const plan = planHere(history);
  const { since } = planInForce(history);
  const derived = derivedIn(history, task)?.event;
  const generated = new Set(Object.keys(plan.generated));
  if (derived !== undefined) {
    const message = `Base of ${order.run}/${task}\n`;
    const made = await writeRepairBase(order.state.repository, derived.inputs, { message, generated });
    return await recordBase(order, history, { task, since, isOwn: true, of: [], ...made });
  }
  if (waveInHistory(plan, task) === -1) return refused({ rule: 'task-unplanned', task });
  const anew = since > 0 || history.some(({ event }) => isStartedOver(task, event));

  const isBelow = (need: PlannedTask): boolean =>
    isReadOnly(need) || isMerged(history, need.id) || isDoneEmpty(history, need.id);
  const needs = inOrder(plan, allNeeds(plan, task)).filter((need) => !isBelow(need));
  const repairs = new Map(needs.map(({ id }) => [id, standInOf(history, id)?.event]));
  // work that a resolver repaired fits on exactly the work that it was repaired for
  const onto = [...repairs.values()].findLast((repair) => repair !== undefined)?.inputs.onto;
  const tip = onto ?? (anew ? runTip(history) : startingPoint(history, task));
  if (tip === undefined) return refused({ rule: 'run-branch-unmade' });
  const snapshots = new Map<TaskId, SnapshotEvidence>();
  for (const { id } of needs) {
    const repair = repairs.get(id);
    const snapshot = repair === undefined ? readySnapshot(history, id) : repairedSnapshot(history, id, repair.task);
    if (snapshot === undefined) return refused({ rule: 'need-not-ready', task, need: id });
    snapshots.set(id, snapshot);
  }
  const written =
    needs.length === 0
      ? ok(await ownCommit(order, history, tip))
      : await gather(order, task, { tip, snapshots, generated });
  if (!written.ok) return refused({ rule: 'needs-conflict', task, ...written.error });
  const of = [...snapshots].map(([need, { commit: snapshot, tree }]) => ({ task: need, snapshot, tree }));
  return await recordBase(order, history, { task, since, isOwn: needs.length > 0, of, ...written.value });
}

type BaseMade = Extract<RunEvent, { type: 'task-base-made' }>;

/** Keeps and records a base, once. `isOwn` is false for a commit of the run branch, which is reachable anyway. */
async function recordBase(
  order: MergerOrder,
  history: History,
  base: Omit<BaseMade, 'type'> & { readonly since: number; readonly isOwn: boolean },
): Promise<MergerAnswer> {
  const { since, isOwn, ...made } = base;
  const { task, commit } = made;
  if (isStanding(history, task, commit)) return mergerDone;
  failpoint('merger-base-written');
  if (isOwn) await keepReachable(order.state.repository, refs.taskBase(order.run, task), commit);
  failpoint('merger-base-kept');
  const sameVersion = (past: History): boolean => planInForce(past).since === since;
  return await recordWhile(order, sameVersion, { type: 'task-base-made', ...made });
}

type Base = { readonly commit: CommitId; readonly tree: TreeId };

async function ownCommit(order: MergerOrder, history: History, tip: CommitId): Promise<Base> {
  const reachable = [
    ...eventsOf(history, 'run-branch-made').map(({ event }) => event),
    ...eventsOf(history, 'candidate-built').flatMap(({ event }) => event.steps),
  ].find(({ commit }) => commit === tip);
  return { commit: tip, tree: reachable?.tree ?? (await mustReadCommit(order.state.repository, tip)).tree };
}

/** All that a task needs in one commit; where it does not fit, the need that meets the others and the files. */
async function gather(
  order: MergerOrder,
  task: TaskId,
  {
    tip,
    snapshots,
    generated,
  }: {
    readonly tip: CommitId;
    readonly snapshots: ReadonlyMap<TaskId, SnapshotEvidence>;
    readonly generated: ReadonlySet<string>;
  },
): Promise<Result<Base, { readonly need: TaskId; readonly files: readonly string[] }>> {
  const { repository } = order.state;
  const from = await mustReadCommit(repository, tip);
  const ready = [...snapshots.values()];
  const description = { message: `Base of ${order.run}/${task}\n`, by: internalAuthor, date: from.date };
  const changes = ready.length > 1 ? await changesApart(repository, from.tree, ready, generated) : null;
  if (changes !== null) {
    const commits = [{ ...description, changes: changes.flat() }] as const;
    const [made] = await writeStack(repository, { ref: refs.taskBase(order.run, task), parent: tip, commits });
    return ok({ commit: made.id, tree: made.tree });
  }
  const integrate = await integrator(repository, ready, generated);
  let { tree } = from;
  for (const [need, snapshot] of snapshots) {
    const merged = await integrate(tree, snapshot);
    if (!merged.ok) return err({ need, files: merged.error });
    tree = merged.value;
  }
  return ok({ commit: await writeCommit(repository, { ...description, tree, parent: tip }), tree });
}

/** Recorded already, and nobody started the task or what it needs anew since: then the same base is made once more. */
function isStanding(history: History, task: TaskId, commit: CommitId): boolean {
  const last = eventsOf(history, 'task-base-made').findLast(({ event }) => event.task === task);
  const stands = new Set([task, ...allNeeds(planHere(history), task)]);
  const anew = history.findLast(
    ({ event }) =>
      event.type === 'plan-replaced' ||
      (event.type === 'task-reworked' && stands.has(event.task)) ||
      [...stands].some((one) => isStartedOver(one, event)),
  );
  return last?.event.commit === commit && last.position > (anew?.position ?? 0);
}

/** The last merge of an earlier wave, or of something that the task needs, whichever is later; else the very start. */
function startingPoint(history: History, task: TaskId): CommitId | undefined {
  const plan = planHere(history);
  const wave = waveInHistory(plan, task);
  const needs = allNeeds(plan, task);
  const merge = eventsOf(history, 'merged').findLast(
    ({ event }) => event.wave < wave || event.tasks.some((merged) => needs.has(merged.task)),
  );
  return merge?.event.new ?? eventsOf(history, 'run-branch-made').at(-1)?.event.commit;
}
