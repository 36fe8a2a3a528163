import type { TaskId } from '../base/ids.ts';
import { err, ok, present, type Result } from '../base/result.ts';
import { waitsForClosure } from '../closure/role-requests.ts';
import { closureRoles } from '../closure/roles.ts';
import { restarts } from '../decide/take-work.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunEvent } from '../ledger/events.ts';
import type { RequestEvent } from '../ledger/requests.ts';
import { closureOf, plannedById } from '../plan/plan.ts';
import { strayed } from '../run/recovery.ts';
import { isRoundOpen } from '../run/round.ts';
import { currentWave, type RunState, tasksOfWave, type WaveState } from '../run/run.ts';
import { isLive } from '../run/schedule.ts';
import { isHalted, type TaskState } from '../run/task.ts';
import { reusableIn } from './reusable.ts';

type Request = RequestEvent & { readonly type: 'requested-relaunch' };
type Relaunched = RunEvent & { readonly type: 'wave-relaunched' };
type Effect = Pick<Relaunched, 'starts' | 'reuses' | 'roles'>;

/**
 * Decides a person's selection of what runs again. It is decided at once, applied as a whole or refused: a selection that waits could
 * be applied to a wave that is no longer the one that the person saw.
 */
export function answerRelaunch(state: RunState, request: Request): Result<readonly RunEvent[], Finding> {
  const { run } = state;
  const wave = currentWave(state);
  if (wave === undefined) return err({ rule: 'relaunch-nothing', run });
  const unfit = misnamed(state, wave, request);
  if (unfit !== null) return err(unfit);
  const effect = effectOf(state, wave, request);
  const affected = [...effect.starts, ...effect.reuses].map(({ task }) => task);
  if (affected.length + effect.roles.length === 0) return err({ rule: 'relaunch-nothing', run });
  const busy = [...affected, ...effect.roles].filter((id) => isBusy(state.tasks[id]));
  if (busy.length > 0) return err({ rule: 'tasks-running', run, tasks: busy });
  const interrupted = interruptRound(state, wave, affected);
  if (!interrupted.ok) return interrupted;
  const { only, from, clear, by } = request;
  const order = present({ only, from, clear });
  return ok([...interrupted.value, { type: 'wave-relaunched', wave: wave.index, ...order, ...effect, by }]);
}

/** Why the selection names something that cannot run again. */
function misnamed(state: RunState, wave: WaveState, { only = [], from, clear = [] }: Request): Finding | null {
  const { run, plan } = state;
  const known = Object.keys(state.tasks);
  for (const id of [...only, ...clear]) {
    const task = state.tasks[id];
    if (task === undefined) return { rule: 'no-such-task', run, task: id, known };
    const [standsFor] = state.derived?.[id]?.standsFor ?? [];
    if (standsFor !== undefined) return { rule: 'derived-selected', run, task: id, standsFor };
    if (plannedById(plan, id) === undefined) return { rule: 'task-removed', task: id };
    if (state.waves[task.wave]?.closed === true) return { rule: 'wave-closed', wave: task.wave };
    const { status } = task.progress;
    if (isRole(state, id)) {
      if (task.about === undefined) return { rule: 'role-not-open', task: id };
    } else if (status === 'merged' || isStarting(task))
      return { rule: 'task-status', task: id, action: 'select', status };
  }
  if (from === undefined || from === 'implementation') return null;
  const roles = closureOf(plan, wave.index).flatMap(({ closes }) => closes ?? []);
  return roles.includes(from) ? null : { rule: 'relaunch-role', run, wave: wave.index, role: from, roles };
}

const isRole = ({ plan }: RunState, id: TaskId): boolean => plannedById(plan, id)?.closes !== undefined;

/** It starts anyway. */
const isStarting = (task: TaskState): boolean => task.progress.status === 'waiting' && !isHalted(task);

const isBusy = (task: TaskState | undefined): boolean =>
  task !== undefined && (isLive(task) || task.progress.status === 'ended');

function effectOf(state: RunState, wave: WaveState, { only = [], from, clear = [] }: Request): Effect {
  const named = [...new Set([...only, ...clear])];
  const whole = from === 'implementation' && only.length === 0 ? unmerged(state, wave) : [];
  const reuses = reusableIn(state, state.plan, { except: named }).filter(({ task }) => whole.includes(task));
  const again = [...named.filter((id) => !isRole(state, id)), ...whole].filter(
    (id) => !reuses.some(({ task }) => task === id),
  );
  const dependents = again.flatMap((id) =>
    restarts(state, id).flatMap((event) => (event.type === 'task-retried' ? event.task : [])),
  );
  const starts = [...new Set([...again, ...dependents])].flatMap((id) => {
    const task = state.tasks[id];
    return task === undefined ? [] : [{ task: task.id, ...strayed(task) }];
  });
  return { starts, reuses, roles: rolesAgain(state, wave, named, from) };
}

/** The tasks of the wave that are settled and neither merged nor dropped. A task that runs is one of them, so that it is named. */
const unmerged = (state: RunState, { index }: WaveState): readonly TaskId[] =>
  tasksOfWave(state, index)
    .filter((task) => !isStarting(task) && !['merged', 'dropped'].includes(task.progress.status))
    .map(({ id }) => id);

/** The roles that are named, and those from this phase on that have been opened. Their order is that of the wave. */
function rolesAgain(
  state: RunState,
  wave: WaveState,
  named: readonly TaskId[],
  from: Request['from'],
): readonly TaskId[] {
  const first = from === undefined ? closureRoles.length : from === 'implementation' ? 0 : closureRoles.indexOf(from);
  return closureOf(state.plan, wave.index)
    .filter(({ id, closes }) => named.includes(id) || (closes !== undefined && closureRoles.indexOf(closes) >= first))
    .filter(({ id }) => state.tasks[id]?.about !== undefined)
    .map(({ id }) => id);
}

/** A round with a selected task that has moved nothing is given up. One that is being integrated is finished first. */
function interruptRound(
  state: RunState,
  wave: WaveState,
  tasks: readonly TaskId[],
): Result<readonly RunEvent[], Finding> {
  const round = wave.rounds.at(-1);
  if (!isRoundOpen(round)) return ok([]);
  const { run } = state;
  if (['closing', 'merging', 'merged'].includes(round.status)) return err({ rule: 'run-branch-moving', run });
  if (state.mode.mode !== 'halted' && !waitsForClosure(state, wave))
    return err({ rule: 'wave-integrating', run, wave: wave.index });
  const task = tasks.find((id) => round.tasks.some((entry) => entry.task === id));
  if (task === undefined) return ok([]);
  const because = { rule: 'round-interrupted', task } as const;
  return ok([{ type: 'round-abandoned', wave: wave.index, round: round.round, because }]);
}
