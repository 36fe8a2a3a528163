import type { DraftTask, PlanProblem } from './plan-draft.ts';

/** How far a component is, one honest step after the other. */
export const maturity = [
  'inventoried',
  'contract-frozen',
  'repo-landed',
  'baseline-proved',
  'pilot-live',
  'qa-proved',
  'fleet-ready',
  'cutover-ready',
  'deprecation-ready',
] as const;
export type Maturity = (typeof maturity)[number];

/** One step up, or none: what one wave may do. */
export function isStep(from: Maturity, to: Maturity): boolean {
  const steps = maturity.indexOf(to) - maturity.indexOf(from);
  return steps === 0 || steps === 1;
}

/** As near to a level as one wave may come. */
export function stepTowards(from: Maturity, to: Maturity): Maturity {
  const at = maturity.indexOf(from);
  return maturity[Math.min(maturity.indexOf(to), at + 1)] ?? to;
}

/** Tasks that say in `exit.completion` how far they bring their `components`: from wave to wave by one step at most. */
export function lintMaturity(tasks: readonly DraftTask[]): readonly PlanProblem[] {
  const reached = new Map<string, { readonly wave: number; readonly level: Maturity }>();
  return tasks
    .toSorted((a, b) => a.wave - b.wave)
    .flatMap((task) => {
      const level = levelOf(task);
      if (level === null) return [];
      return (task.keys.components ?? []).flatMap((component): PlanProblem[] => {
        const before = reached.get(component);
        const isFine = before === undefined || before.wave === task.wave || isStep(before.level, level);
        if (before?.wave !== task.wave || isBehind(before.level, level))
          reached.set(component, { wave: task.wave, level });
        if (isFine) return [];
        const from = before.level;
        const skipped = maturity.slice(maturity.indexOf(from) + 1, maturity.indexOf(level));
        const place = [...task.place, 'exit', 'completion'];
        return [{ rule: 'maturity-jump', task: task.id, component, from, to: level, skipped, place }];
      });
    });
}

const isBehind = (one: Maturity, other: Maturity): boolean => maturity.indexOf(one) < maturity.indexOf(other);

/** Other words there mean something else. */
const levelOf = ({ keys }: DraftTask): Maturity | null =>
  maturity.find((level) => level === keys.exit?.completion) ?? null;
