import type { TaskId } from '../base/ids.ts';
import type { MonitorEvidence } from '../gates/evidence.ts';
import { findingsIn } from '../gates/verdict.ts';
import { type RunState, tasksOfWave, type WaveState } from '../run/run.ts';
import { snapshotOf, type TaskState } from '../run/task.ts';
import type { Barrier } from './barriers.ts';

/** The id of the barrier that a task with an open exit contract is. */
export const contractBarrier = (task: TaskId): string => `contract-${task}`;

const ofContracts: ReadonlySet<string> = new Set(['exit-contract', 'evidence']);

/** Tasks of the wave that only their exit contract holds. Nothing but a contract can be resolved; the other gates decide as before. */
export const openContracts = (state: RunState, wave: WaveState): readonly Barrier[] =>
  tasksOfWave(state, wave.index).flatMap(({ id, progress }): readonly Barrier[] => {
    if (progress.status !== 'held' || progress.hold.because !== 'gate') return [];
    const opposed = progress.hold.verdicts.filter(({ outcome }) => outcome !== 'pass');
    const [because] = findingsIn(opposed);
    if (because === undefined || !opposed.every(({ gate }) => ofContracts.has(gate))) return [];
    const { tree } = progress.snapshot;
    return [{ id: contractBarrier(id), kind: 'contract', owner: 'person', task: id, because, tree }];
  });

/** A person's resolution of the contract of a task, for the tree of its snapshot; null when there is none. */
export function resolvedContract(
  { waves }: RunState,
  task: TaskState,
): NonNullable<MonitorEvidence['resolved']> | null {
  const tree = snapshotOf(task)?.tree;
  const found = (waves[task.wave]?.resolved ?? []).findLast(
    (one) => one.barrier === contractBarrier(task.id) && one.tree === tree,
  );
  return found === undefined ? null : { tree: found.tree, who: found.by.who };
}
