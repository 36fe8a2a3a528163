import type { FrozenPlan, PlannedTask } from '../../src/domain/plan.ts';
import { plan, type TaskSketch, task } from './plans.ts';

/** A task that owns whatever no other claims; tests name only what they are about. */
export const plannedTask = (id: string, sketch: TaskSketch = {}): PlannedTask => task(id, { owns: null, ...sketch });

/** A plan of tasks that were made before. */
export const frozenPlan = (waves: readonly (readonly PlannedTask[])[], keys: Partial<FrozenPlan> = {}): FrozenPlan => ({
  ...plan([], { name: 'plan' }),
  waves: waves.map((tasks, index) => ({ name: `wave-${index}`, tasks })),
  ...keys,
});
