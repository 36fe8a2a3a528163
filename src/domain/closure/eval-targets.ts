import type { PlannedTask } from '../plan/plan.ts';
import type { RoleReport } from './report.ts';

/**
 * Something that the eval role has to evaluate. With `family` it chooses at least one of `benchmarks`, which are those of the family in
 * the catalogue; without, it runs all of them.
 */
export type EvalTarget = {
  readonly id: string;
  readonly benchmarks: readonly string[];
  readonly family?: string;
  /** The condition for satisfied, in words. */
  readonly threshold?: string;
};

/** Returns the codes of everything in a satisfied report that differs from the targets of the plan. */
export function judgeEval(report: RoleReport, { targets }: Pick<PlannedTask, 'targets'>): readonly string[] {
  const regressed = (report.regressions ?? 0) > 0 ? ['cont-eval-regressions'] : [];
  return targets === undefined
    ? regressed
    : [...judgeTargets(report, targets), ...judgeBenchmarks(report, targets), ...regressed];
}

function judgeTargets({ targets: reported = [] }: RoleReport, targets: readonly EvalTarget[]): readonly string[] {
  if (reported.length === 0) return ['missing-cont-eval-target-ids'];
  const given = new Set(reported);
  const isSame = given.size === targets.length && targets.every(({ id }) => given.has(id));
  return isSame ? [] : ['cont-eval-target-mismatch'];
}

function judgeBenchmarks({ benchmarks: reported = [] }: RoleReport, targets: readonly EvalTarget[]): readonly string[] {
  if (reported.length === 0) return ['missing-cont-eval-benchmarks'];
  const given = new Set(reported);
  const allowed = new Set(targets.flatMap(({ benchmarks }) => benchmarks));
  const isHeld = ({ family, benchmarks }: EvalTarget): boolean =>
    family === undefined ? benchmarks.every((id) => given.has(id)) : benchmarks.some((id) => given.has(id));
  return [...given].every((id) => allowed.has(id)) && targets.every(isHeld) ? [] : ['cont-eval-benchmark-mismatch'];
}
