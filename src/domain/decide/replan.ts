import type { TaskId } from '../base/ids.ts';
import { err, ok } from '../base/result.ts';
import { waitsForClosure } from '../closure/role-requests.ts';
import type { Finding } from '../findings/finding.ts';
import { leavesUncommitted } from '../gates/preflight.ts';
import { openUndo } from '../landing/landing-queue.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import {
  allTasks,
  canonicalJson,
  everyTask,
  everyTaskOf,
  type FrozenPlan,
  type PlannedTask,
  plannedById,
} from '../plan/plan.ts';
import { lintDirectives } from '../plan/plan-lint.ts';
import { reuseOf } from '../relaunch/fingerprint.ts';
import { isRoundOpen } from '../run/round.ts';
import { currentWave, plannedStates, type RunState } from '../run/run.ts';
import { isLive } from '../run/schedule.ts';
import { endedAttempt } from '../run/task.ts';
import { ownershipConflicts } from '../scope/ownership.ts';
import type { RequestAnswer } from './answer.ts';

type Replan = RequestEvent & { readonly type: 'requested-replan' };

/** Another version of the plan takes over only between two steps of a run, never under one, and never against what is merged. */
export function answerReplan(state: RunState, { plan, hash, replaces, by }: Replan): RequestAnswer {
  if (hash === state.hash) return ok([]);
  if (replaces !== state.hash) return err({ rule: 'replan-behind' });
  const unfit = misfit(state, plan);
  if (unfit !== null) return err(unfit);
  const busy = blockerOf(state);
  if (busy !== null) return busy;
  const gone = plannedStates(state).filter(
    ({ id, progress }) => plannedById(plan, id) === undefined && progress.status !== 'dropped',
  );
  return ok([
    ...giveUpRound(state),
    ...gone.map(({ id }) => ({ type: 'task-dropped', task: id, by }) as const),
    replacement(state, { plan, hash, by }),
    ...(state.mode.mode === 'active' ? [] : [{ type: 'run-resumed', by } as const]),
  ]);
}

/** With what stays of the version before, as things stand. */
export const replacement = (
  state: RunState,
  { plan, hash, by }: Pick<Replan, 'plan' | 'hash' | 'by'>,
): RunEvent & { readonly type: 'plan-replaced' } => {
  const reuses = reusedTasks(state, plan);
  const fingerprints = reuses.flatMap((id) => reuseOf(state, plan, id) ?? []);
  return {
    type: 'plan-replaced',
    plan,
    hash,
    keeps: keptTasks(state, plan),
    ...(reuses.length === 0 ? {} : { reuses }),
    ...(fingerprints.length === 0 ? {} : { fingerprints }),
    threads: keptThreads(state, plan),
    by,
  };
};

/**
 * Ready tasks whose fingerprint is the same under the new plan, and whose base still holds: all that they need is merged or reused too.
 * Attempts that are older than fingerprints are compared by the words of the plan. The scope of these tasks is judged again, under the
 * new plan; no agent runs.
 */
export function reusedTasks(state: RunState, plan: FrozenPlan): readonly TaskId[] {
  const kept = new Set(keptTasks(state, plan));
  const isReusable = (id: TaskId): boolean => {
    const [task, before] = [state.tasks[id], plannedById(state.plan, id)];
    const after = plannedById(plan, id);
    if (task === undefined || before === undefined || after === undefined || kept.has(id)) return false;
    if (task.progress.status !== 'ready' && task.progress.status !== 'done') return false;
    if (!hasTask(plan, task.wave, id)) return false;
    const isSame =
      endedAttempt(task)?.fingerprint === undefined
        ? orderOf(state.plan, before) === orderOf(plan, after)
        : reuseOf(state, plan, id) !== null;
    if (!isSame) return false;
    return after.needs.every((need) => stands(need) || isReusable(need));
  };
  const stands = (id: TaskId): boolean => kept.has(id) && state.tasks[id]?.progress.status !== 'dropped';
  return allTasks(plan)
    .map(({ id }) => id)
    .filter(isReusable);
}

/** Everything that the plan tells the agent of a task. Checks are not part of it: they run on the candidate anyway. */
const orderOf = ({ forbid, focus }: FrozenPlan, task: PlannedTask): string => canonicalJson({ task, forbid, focus });

/** Merged tasks and closed waves stay as they are, and dropped tasks stay dropped. */
function keptTasks(state: RunState, plan: FrozenPlan): readonly TaskId[] {
  return everyTask(plan)
    .map(({ id }) => id)
    .filter((id) => {
      const task = state.tasks[id];
      if (task === undefined) return false;
      const { status } = task.progress;
      // what the plan dropped and has again was not meant to be dropped
      const isDropped = status === 'dropped' && plannedById(state.plan, id) !== undefined;
      return status === 'merged' || isDropped || state.waves[task.wave]?.closed === true;
    });
}

/** Under another version of the plan a wave keeps its thread, unless threads are opened elsewhere now. */
function keptThreads(state: RunState, plan: FrozenPlan): readonly number[] {
  const isSame = canonicalJson(state.plan.thread ?? null) === canonicalJson(plan.thread ?? null);
  return isSame ? state.waves.filter(({ bound }) => bound !== undefined).map(({ index }) => index) : [];
}

/** Why this run cannot go on under that plan at all. */
export function misfit(state: RunState, plan: FrozenPlan): Finding | null {
  const { only, run } = state;
  if (plan.base !== state.plan.base)
    return { rule: 'replan', fault: 'base', run, base: state.plan.base, asked: plan.base };
  for (const { id, wave, progress } of plannedStates(state))
    if (progress.status === 'merged' && !hasTask(plan, wave, id))
      return { rule: 'replan', fault: 'task-merged', task: id, wave };
  for (const { index, closed, rounds } of state.waves) {
    if (rounds.length > 0 && plan.waves[index] === undefined)
      return { rule: 'replan', fault: 'wave-begun', wave: index };
    if (closed && idsIn(plan, index) !== idsIn(state.plan, index))
      return { rule: 'replan', fault: 'wave-closed', wave: index };
  }
  if (only !== null && withoutWave(plan, only) !== withoutWave(state.plan, only))
    return { rule: 'replan', fault: 'other-wave', run, wave: only };
  const open = plan.waves.flatMap((_, index) => (state.waves[index]?.closed === true ? [] : [index]));
  if (open.length === 0) return { rule: 'replan', fault: 'all-closed' };
  const findings = [
    ...(state.uncommitted === null ? [] : leavesUncommitted(plan)),
    ...open.flatMap((wave) => [...lintDirectives(plan, wave).errors, ...ownershipConflicts(plan, wave, [])]),
  ];
  return findings.length === 0 ? null : { rule: 'replan', fault: 'mistakes', findings };
}

/** Null when nothing is under way. Waits for attempts that a stop is about to end. */
function blockerOf(state: RunState): RequestAnswer | null {
  const { mode } = state.mode;
  const live = plannedStates(state).filter(isLive);
  if (live.length > 0)
    return mode === 'stopped'
      ? ok('later')
      : err({ rule: 'tasks-running', run: state.run, tasks: live.map(({ id }) => id) });
  if (state.landing.status === 'undoing' || openUndo(state) !== null) return err({ rule: 'undo-under-way' });
  if (['observed', 'intended', 'offering'].includes(state.landing.status)) return err({ rule: 'landing-under-way' });
  const wave = currentWave(state);
  const round = wave?.rounds.at(-1);
  if (wave === undefined || !isRoundOpen(round)) return null;
  if ((mode === 'active' || mode === 'paused') && !waitsForClosure(state, wave))
    return err({ rule: 'wave-integrating', run: state.run, wave: wave.index });
  if (round.status === 'merging' || round.status === 'merged')
    return mode === 'stopped' ? ok('later') : err({ rule: 'run-branch-moving', run: state.run });
  // the merger is about to finish it
  return mode === 'stopped' && (round.status === 'opened' || round.status === 'closing') ? ok('later') : null;
}

/** An open round has moved nothing yet, and belongs to the old plan. */
function giveUpRound(state: RunState): readonly RunEvent[] {
  const wave = currentWave(state);
  const round = wave?.rounds.at(-1);
  if (wave === undefined || !isRoundOpen(round)) return [];
  return [{ type: 'round-abandoned', wave: wave.index, round: round.round, because: { rule: 'round-replanned' } }];
}

const hasTask = (plan: FrozenPlan, wave: number, id: string): boolean =>
  plan.waves[wave] !== undefined && everyTaskOf(plan.waves[wave]).some((task) => task.id === id);

const idsIn = (plan: FrozenPlan, wave: number): string =>
  (plan.waves[wave] === undefined ? [] : everyTaskOf(plan.waves[wave]))
    .map((task) => task.id)
    .toSorted()
    .join();

/** Returns the plan without this wave, for comparison. A plan with more or fewer waves differs. */
const withoutWave = (plan: FrozenPlan, only: number): string =>
  canonicalJson(plan.waves.map((wave, index) => (index === only ? null : wave)));

/** Merged tasks that say something else now: it has no effect, and a person is to know. */
export const changedInVain = (state: RunState, plan: FrozenPlan): readonly string[] =>
  allTasks(plan)
    .filter(({ id }) => state.tasks[id]?.progress.status === 'merged')
    .filter((task) => canonicalJson(task) !== canonicalJson(plannedById(state.plan, task.id)))
    .map(({ id }) => id);
