import type { TaskId, TreeId } from '../base/ids.ts';
import { closureOf, plannedById } from '../plan/plan.ts';
import type { Tip } from '../run/round.ts';
import type { RunState, WaveState } from '../run/run.ts';
import type { TaskState } from '../run/task.ts';
import { type RoleStatus, roleStatusOf } from './barriers.ts';
import type { ClosureRole } from './roles.ts';

/**
 * Where a closure role is. `absent`: it ended without a report that counts. `failed`: its report did not pass its own gates.
 * `resolved`: a person decided instead of it.
 */
export const roleStates = ['waiting', 'running', 'reported', 'absent', 'failed', 'resolved'] as const;
export type RoleProgress = (typeof roleStates)[number];

/** A closure role of a wave, for people and programs. */
export type RoleView = {
  readonly role: ClosureRole;
  readonly task: TaskId;
  readonly state: RoleProgress;
  /** Null without a report. */
  readonly word: string | null;
  /** The tree that it judges; null while there is no candidate. */
  readonly tree: TreeId | null;
  readonly findings: readonly string[];
  /** Whether it lets the wave close. */
  readonly closes: boolean;
};

/** Returns the closure roles of a wave, in the order in which they run. */
export function rolesOf(state: RunState, wave: WaveState): readonly RoleView[] {
  const round = wave.rounds.at(-1);
  const candidate = round !== undefined && 'tip' in round && round.tip !== null ? { ...round, tip: round.tip } : null;
  return closureOf(state.plan, wave.index).flatMap((planned): readonly RoleView[] => {
    if (planned.closes === undefined) return [];
    const judged = landingOf(state.tasks[planned.id]) ?? candidate;
    const standing = judged === null ? null : roleStatusOf(state, wave, planned, judged);
    return [{ role: planned.closes, task: planned.id, ...viewOf(standing) }];
  });
}

/** The landing that a role of a closed wave judged last, as a candidate; null when it judged none. */
const landingOf = (task: TaskState | undefined): Parameters<typeof roleStatusOf>[3] | null =>
  task?.about?.landing === true ? { tip: { commit: task.about.commit, tree: task.about.tree }, steps: [] } : null;

function viewOf(standing: RoleStatus | null): Omit<RoleView, 'role' | 'task'> {
  if (standing === null) return { state: 'waiting', word: null, tree: null, findings: [], closes: false };
  const { subject, report, because } = standing;
  return {
    state: progressOf(standing),
    word: report?.word ?? null,
    tree: (subject satisfies Tip).tree,
    findings: report?.findings ?? [],
    closes: because.length === 0,
  };
}

function progressOf({ task, report, isResolved }: RoleStatus): RoleProgress {
  if (isResolved) return 'resolved';
  if (task === null) return 'waiting';
  if (report !== null) return 'reported';
  return unreported(task);
}

function unreported({ progress }: TaskState): RoleProgress {
  switch (progress.status) {
    case 'waiting':
    case 'dropped':
      return 'waiting';
    case 'launching':
    case 'running':
    case 'ended':
      return 'running';
    case 'held':
    case 'failed':
      return progress.attempt.handoff.kind === 'given' && progress.attempt.handoff.handoff.report !== undefined
        ? 'failed'
        : 'absent';
    default:
      return 'absent';
  }
}

/** The view of a task that is a closure role; null for an ordinary task. */
export function roleOf(state: RunState, { id, wave }: Pick<TaskState, 'id' | 'wave'>): RoleView | null {
  const at = state.waves[wave];
  if (at === undefined || plannedById(state.plan, id)?.closes === undefined) return null;
  return rolesOf(state, at).find(({ task }) => task === id) ?? null;
}

/** Reports of security that let their waves close with concerns. People see them before the landing. */
export const securityConcerns = (state: RunState): readonly RoleView[] =>
  state.waves
    .flatMap((wave) => rolesOf(state, wave))
    .filter(({ role, word, closes }) => role === 'security' && word === 'concerns' && closes);

/** The closure roles of a wave as tasks, in the order in which they run. */
export const rolesOfWave = (state: RunState, wave: number): readonly TaskState[] =>
  closureOf(state.plan, wave).flatMap((role) => state.tasks[role.id] ?? []);
