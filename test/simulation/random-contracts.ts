import { requiredLevels } from '../../src/domain/closure/exit-contract.ts';
import { type Maturity, maturity } from '../../src/domain/plan/maturity.ts';
import type { FrozenPlan, PlannedTask, PlannedWave } from '../../src/domain/plan/plan.ts';
import type { Random } from './random.ts';

const none = { completion: null, durability: null, proof: null, docs: null };
const component = 'parser';

/** Sometimes tasks have exit contracts, leave proofs, need the proof of a person, or promote a component. */
export function withContracts(random: Random, plan: FrozenPlan, suffix: string): FrozenPlan {
  if (!random.chance(0.35)) return plan;
  const waves = plan.waves.map((wave) => ({
    ...wave,
    tasks: wave.tasks.map((task) => contracted(random, plan, task)),
  }));
  if (!random.chance(0.5)) return { ...plan, waves };
  const first = 2 + random.below(3);
  const levels = { [component]: maturity[first - 1] ?? 'inventoried' };
  const promoting = waves.map((wave) => ({
    ...wave,
    tasks: wave.tasks.map((task) =>
      random.chance(0.4) ? { ...task, promotes: { [component]: 'pilot-live' as const } } : task,
    ),
  }));
  return levelled({ ...plan, waves: promoting, matrix: { path: `matrix${suffix}.json`, levels } });
}

/** A contract that lint lets through: something can hold up each of its levels. */
function contracted(random: Random, { checks }: FrozenPlan, task: PlannedTask): PlannedTask {
  const artifacts = [{ path: `out/${task.id}.json` }];
  const choices: Partial<PlannedTask>[] = [
    {},
    {},
    { exit: { ...none, completion: 'live' } },
    { exit: { ...none, completion: 'authoritative' }, artifacts },
    { exit: { ...none, durability: 'durable', docs: 'owned' }, artifacts },
    { artifacts },
    ...(checks.length === 0
      ? []
      : [
          { exit: { ...none, proof: 'unit' } },
          { exit: { ...none, completion: 'authoritative', proof: 'unit' }, artifacts },
          { exit: { ...none, completion: 'integrated', proof: 'integration' } },
          { exit: { ...none, completion: 'integrated', proof: 'live' } },
        ]),
  ];
  return { ...task, ...random.pick(choices) };
}

/** Every wave with an owner advances the component by one level. */
export function levelled(plan: FrozenPlan): FrozenPlan {
  const from = plan.matrix?.levels[component];
  if (from === undefined) return plan;
  let at = maturity.indexOf(from);
  const waves = plan.waves.map((wave): PlannedWave => {
    if (!wave.tasks.some(({ promotes }) => promotes !== undefined)) return wave;
    at += 1;
    const level: Maturity = maturity[at] ?? 'deprecation-ready';
    const tasks = wave.tasks.map((task) =>
      task.promotes === undefined ? task : { ...task, promotes: { [component]: level } },
    );
    return { ...wave, tasks };
  });
  return { ...plan, waves };
}

/** The matrix as the branch has it when the run begins. */
export const matrixFile = ({ matrix }: FrozenPlan): Readonly<Record<string, string>> =>
  matrix === undefined
    ? {}
    : {
        [matrix.path]: JSON.stringify({
          components: Object.fromEntries(
            Object.entries(matrix.levels).map(([id, currentLevel]) => [id, { currentLevel }]),
          ),
        }),
      };

/** Tells whether a plan has anything that a person may prove or resolve. */
export const hasContracts = ({ waves, matrix }: FrozenPlan): boolean =>
  matrix !== undefined ||
  waves.some(({ tasks }) =>
    tasks.some(({ exit, artifacts = [] }) => artifacts.length > 0 || requiredLevels(exit).length > 0),
  );
