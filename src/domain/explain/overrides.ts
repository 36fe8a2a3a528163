import type { TaskId, TreeId } from '../base/ids.ts';
import { roleOf } from '../closure/role-state.ts';
import { plannedById } from '../plan/plan.ts';
import { componentBarrier, promotionsOf } from '../proofs/components.ts';
import { coreOf } from '../run/round.ts';
import { currentWave, type RunState, type WaveState } from '../run/run.ts';
import { handoffOf, snapshotOf, type TaskState } from '../run/task.ts';
import { plural } from './text.ts';

/** The fate of the files that a closure role changed, when a person resolves its report. */
export const roleChanges = ['none', 'added', 'left-out'] as const;
type RoleChanges = (typeof roleChanges)[number];

/** A barrier that a person resolved, and that counts for the work as it is now. */
export type Override = {
  readonly wave: number;
  readonly barrier: string;
  readonly who: string;
  readonly reason: string;
  /** The word of the role that was overruled; null without a report. */
  readonly word: string | null;
  readonly findings: readonly string[];
  readonly changes: RoleChanges;
};

/** Lists the barriers of a run that people resolved, by wave. A resolution for a candidate that was built again is not among them. */
export const overridesOf = (state: RunState): readonly Override[] =>
  state.waves.flatMap((wave) => overridesIn(state, wave));

export function overridesIn(state: RunState, wave: WaveState): readonly Override[] {
  const { index, resolved = [] } = wave;
  // a component stays at its level whichever candidate the wave gets
  const counting = resolved.filter(
    ({ barrier, tree }) => componentNamed(state, index, barrier) !== undefined || isSubject(state, wave, barrier, tree),
  );
  return [...new Map(counting.map((one) => [one.barrier, one])).values()].map(({ barrier, tree, reason, by }) => {
    const role = roleNamed(state, barrier);
    const report = role?.about?.tree === tree ? handoffOf(role)?.report : undefined;
    return {
      ...{ wave: index, barrier, who: by.who, reason },
      ...{ word: report?.word ?? null, findings: report?.findings ?? [] },
      changes: role === undefined ? 'none' : changesOf(state, role, tree),
    };
  });
}

/** A candidate that was not given up, a snapshot that is still the newest, or the landing that a role judged. */
function isSubject({ tasks }: RunState, { rounds, index }: WaveState, barrier: string, tree: TreeId): boolean {
  const isCandidate = rounds.some(
    (round) =>
      'tip' in round &&
      round.tip !== null &&
      (round.tip.tree === tree || coreOf({ ...round, tip: round.tip }).tree === tree),
  );
  const own = Object.values(tasks).filter((task) => task.wave === index);
  return isCandidate || own.some((task) => snapshotOf(task)?.tree === tree || isJudged(task, barrier, tree));
}

const isJudged = ({ id, about }: TaskState, barrier: string, tree: TreeId): boolean =>
  id === barrier && about?.landing === true && about.tree === tree;

const roleNamed = ({ tasks, plan }: RunState, barrier: string): TaskState | undefined =>
  Object.values(tasks).find(({ id }) => id === barrier && plannedById(plan, id)?.closes !== undefined);

/** A role that judged another tree, or has no snapshot that passed its gates, adds nothing to this one. */
function changesOf({ plan }: RunState, task: TaskState, tree: TreeId): RoleChanges {
  const owns = plannedById(plan, task.id)?.owns ?? [];
  if (owns.length === 0 || task.about?.landing === true) return 'none';
  if (task.about?.tree !== tree) return 'left-out';
  const files = snapshotOf(task)?.diff.length ?? 0;
  if (task.progress.status === 'ready') return files > 0 ? 'added' : 'none';
  return task.progress.status === 'done' ? 'none' : 'left-out';
}

/** The component of a wave that this barrier is about. */
const componentNamed = ({ plan }: RunState, wave: number, barrier: string): string | undefined =>
  promotionsOf(plan, wave).find(({ component }) => componentBarrier(component) === barrier)?.component;

/** Tells what becomes of the changes of a role that is being resolved. Empty for one that changed nothing, and for other barriers. */
export function changesText(state: RunState, barrier: string): string {
  const component = componentNamed(state, currentWave(state)?.index ?? -1, barrier);
  if (component !== undefined) return ` The matrix keeps the present level of ${component}.`;
  const role = roleNamed(state, barrier);
  const tree = role === undefined ? null : (roleOf(state, role)?.tree ?? null);
  if (role === undefined || tree === null) return '';
  const files = snapshotOf(role)?.diff.length ?? 0;
  switch (changesOf(state, role, tree)) {
    case 'none':
      return '';
    case 'added':
      return ` Its changes (${plural(files, 'file')}) stay part of the work.`;
    case 'left-out':
      return ' Its changes are not part of the work, because they have not passed its gates.';
  }
}

/** The overruled report, the person and the reason, in full. The first line names the barrier; the others belong to it. */
export function overrideText(override: Override): readonly [string, ...string[]] {
  const { barrier, who, reason, word, findings, changes } = override;
  const [first] = findings;
  const reported = word === null ? [] : [`it reported ${word}${first === undefined ? '' : `: ${first}`}`];
  const left = changes === 'left-out' ? ['its changes are not part of the work'] : [];
  return [`${barrier} was resolved by ${who}: ${reason}`, ...reported, ...left];
}

/** Returns the override of one closure role; null when nobody resolved it. */
export const overrideOf = (state: RunState, task: TaskId): Override | null =>
  overridesOf(state).find(({ barrier }) => barrier === task) ?? null;
