import type { TaskId } from '../base/ids.ts';
import { type Barrier, openBarriers } from '../closure/barriers.ts';
import type { Finding } from '../findings/finding.ts';
import { currentWave, plannedStates, type RunState } from '../run/run.ts';
import { isBlocked, isLive, startable } from '../run/schedule.ts';
import type { NextStart, TaskState } from '../run/task.ts';

/** A task or closure role that is launched next, and why. */
export type NextLaunch = { readonly task: TaskId; readonly reason: Finding };

/** Everything that decides what is launched next. */
export type RelaunchInput = {
  /** Tasks that may start now, in the order in which they start. */
  readonly starting: readonly Pick<TaskState, 'id' | 'launches' | 'progress'>[];
  /** The open barriers of the wave. */
  readonly barriers: readonly (Pick<Barrier, 'id' | 'kind' | 'because'> & { readonly owner: TaskId | 'person' })[];
  /** Tasks that are running or being judged. */
  readonly busy: readonly TaskId[];
  /** Tasks that nothing but a person moves on. */
  readonly stuck: readonly TaskId[];
};

/**
 * Returns what is launched next without a person, in the order of launches. Tasks that may start now come first, those that a person
 * selected before the others. Without them, the barriers of the wave say who acts: the tasks that open records are for, in the order
 * of the records; for any other barrier nobody while one of them waits for a person.
 */
export function relaunchOf(state: RunState): readonly NextLaunch[] {
  const wave = currentWave(state);
  const tasks = plannedStates(state);
  if (state.ended !== null || state.abandoned !== null || state.mode.mode !== 'active') return [];
  return nextLaunches({
    starting: startable(state),
    // an owner outside of the run, such as the run of a dependency, is waited for like a person
    barriers: (wave === undefined ? [] : openBarriers(state, wave)).map((barrier) => ({
      ...barrier,
      owner: tasks.find(({ id }) => id === barrier.owner)?.id ?? 'person',
    })),
    busy: tasks.filter((task) => isLive(task) || task.progress.status === 'ended').map(({ id }) => id),
    stuck: tasks.filter((task) => isStuck(state, task)).map(({ id }) => id),
  });
}

const isStuck = (state: RunState, task: TaskState): boolean =>
  ['held', 'failed', 'dropped'].includes(task.progress.status) || isBlocked(state, task);

export function nextLaunches({ starting, barriers, busy, stuck }: RelaunchInput): readonly NextLaunch[] {
  if (starting.length > 0) return starting.map((task) => ({ task: task.id, reason: startReason(task) }));
  const isForPerson = ({ owner }: RelaunchInput['barriers'][number]): boolean =>
    owner === 'person' || stuck.includes(owner);
  // a task that a record is for starts whatever else waits for a person
  const asked = barriers.filter((one) => (one.kind === 'question' || one.kind === 'record') && !isForPerson(one));
  if (asked.length === 0 && barriers.some(isForPerson)) return [];
  const [first] = barriers.map(({ kind }) => targeting[kind]).toSorted((a, b) => a.rank - b.rank);
  const level = barriers.filter(({ kind }) => targeting[kind].rank === first?.rank);
  const targets = asked.length > 0 ? asked : first?.takes === 'first' ? level.slice(0, 1) : level;
  return targets.flatMap(({ id, owner, because }): readonly NextLaunch[] =>
    owner === 'person' || busy.includes(owner)
      ? []
      : [{ task: owner, reason: { rule: 'next-barrier', id, task: owner, because } }],
  );
}

/**
 * The order in which barriers name whoever acts next, one row for each kind. Of the lowest rank that is open, all owners act, or only
 * the first. Records of the board come before the work of closure roles, and those before components that wait for a sibling.
 */
const targeting: Readonly<Record<Barrier['kind'], { readonly rank: number; readonly takes: 'all' | 'first' }>> = {
  question: { rank: 0, takes: 'all' },
  record: { rank: 0, takes: 'all' },
  dependency: { rank: 0, takes: 'all' },
  contract: { rank: 1, takes: 'all' },
  check: { rank: 1, takes: 'all' },
  proof: { rank: 1, takes: 'all' },
  // roles run one by one
  report: { rank: 2, takes: 'first' },
  component: { rank: 3, takes: 'all' },
};

function startReason({ launches, progress }: RelaunchInput['starting'][number]): Finding {
  const next: Partial<NextStart> = progress.status === 'waiting' ? progress.next : {};
  if (next.relaunched !== undefined) return { rule: 'next-selected', who: next.relaunched };
  if (next.continues !== undefined) return { rule: 'next-continues', components: next.continues };
  if (launches === 0 || next.after == null) return { rule: 'next-first' };
  return { rule: 'next-again', outcome: next.after };
}
