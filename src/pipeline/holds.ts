import type { TaskId } from '../domain/base/ids.ts';
import { present } from '../domain/base/result.ts';
import { standInFor } from '../domain/derived/derived-tasks.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { dependentsOf, plannedById } from '../domain/plan/plan.ts';
import { isRoundOpen, makerIn } from '../domain/run/round.ts';
import { plannedStates, type RunState } from '../domain/run/run.ts';
import { changedNeed, isMet } from '../domain/run/schedule.ts';
import { snapshotOf } from '../domain/run/task.ts';
import { fact, type Step } from './step.ts';

/** Part of phase 5: holds tasks that may not be integrated, and releases those that may again. One at a time. */
export function holds(state: RunState): readonly Step[] {
  const events = [
    ...conflicting(state),
    ...holdsOfDependents(state),
    ...releasesOfDependents(state),
    ...outdated(state),
  ];
  const [first] = events;
  return first === undefined ? [] : [fact(first)];
}

/** Holds tasks whose snapshot the merger could not integrate in the current round. */
function conflicting(state: RunState): readonly RunEvent[] {
  return state.waves.flatMap(({ rounds }) => {
    const round = rounds.at(-1);
    if (round?.status !== 'built') return [];
    return round.conflicts.flatMap(({ task, files, repair }): readonly RunEvent[] => {
      const maker = makerIn(round, task);
      const known = state.tasks[maker];
      const entered = round.tasks.find((entry) => entry.task === task)?.snapshot;
      const isOpen = known?.progress.status === 'ready' && snapshotOf(known)?.commit === entered;
      // nothing repairs a repair
      const own = maker === task ? present({ repair }) : {};
      return isOpen ? [{ type: 'task-held', task: maker, hold: { because: 'conflict', files, ...own } }] : [];
    });
  });
}

/** Holds ready tasks that need a held or dropped task: they would land without it. */
function holdsOfDependents(state: RunState): readonly RunEvent[] {
  const lost = plannedStates(state).filter(
    ({ id, progress }) => ['held', 'dropped'].includes(progress.status) && standInFor(state, id) === null,
  );
  return lost.flatMap(({ id }) =>
    dependentsOf(state.plan, id).flatMap((dependent): readonly RunEvent[] =>
      statusOf(state, dependent) === 'ready'
        ? [{ type: 'task-held', task: dependent, hold: { because: 'needs', task: id } }]
        : [],
    ),
  );
}

/** Releases tasks whose needed task counts again, or is no longer in the plan: their own proofs are still valid. */
function releasesOfDependents(state: RunState): readonly RunEvent[] {
  return plannedStates(state).flatMap(({ id, progress }): readonly RunEvent[] => {
    if (progress.status !== 'held' || progress.hold.because !== 'needs') return [];
    const { task } = progress.hold;
    const isPlanned = plannedById(state.plan, task) !== undefined;
    const isBack = !isPlanned || isMet(state, task);
    return isBack ? [{ type: 'task-released', task: id }] : [];
  });
}

/**
 * Starts finished tasks again whose base holds other work of a needed task than the one that would be merged: somebody started that
 * task again, or changed its work. A need with the same tree as before changes nothing. Work that is being integrated stays.
 */
function outdated(state: RunState): readonly RunEvent[] {
  return plannedStates(state).flatMap((task): readonly RunEvent[] => {
    const { id, wave, progress, about } = task;
    if ((progress.status !== 'ready' && progress.status !== 'done') || about !== undefined) return [];
    if (state.waves[wave]?.closed !== false || isRoundOpen(state.waves[wave].rounds.at(-1))) return [];
    return changedNeed(state, task) === null
      ? []
      : [{ type: 'task-retried', task: id, by: { who: 'tidegate', via: 'policy' } }];
  });
}

const statusOf = (state: RunState, task: TaskId) => state.tasks[task]?.progress.status;
