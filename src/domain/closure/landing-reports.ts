import type { Finding } from '../findings/finding.ts';
import type { Rebuilt } from '../landing/landing.ts';
import { closureOf, type FrozenPlan, type PlannedTask } from '../plan/plan.ts';
import { type RunState, selectedWaves, type WaveState } from '../run/run.ts';
import { matches, pattern } from '../scope/pattern.ts';
import { type RoleStatus, roleStatusOf } from './barriers.ts';
import type { ClosureRole } from './roles.ts';

/** The most paths that a landing names. */
const mostPaths = 50;

/**
 * Returns the paths on which the reports of closure roles no longer hold, when their work lands on a branch that has moved: paths that
 * others changed, and that the work changed or reads. Empty when the reports are carried.
 */
export function unjudgedPaths(
  others: readonly string[],
  work: { readonly changed: readonly string[]; readonly reads: readonly string[] },
): readonly string[] {
  const changed = new Set(work.changed);
  const reads = work.reads.map(pattern);
  return others
    .filter((path) => changed.has(path) || reads.some((one) => matches(one, path)))
    .toSorted()
    .slice(0, mostPaths);
}

/** Roles that judge how the work fits together, in order. They judge a landing again when the branch has moved under it. */
const fitting = ['integration', 'qa'] as const satisfies readonly ClosureRole[];

type WaveRole = { readonly role: PlannedTask; readonly wave: number };

/** The roles that have to judge this landing, each of the last wave that has it. */
export function landingRoles(
  plan: FrozenPlan,
  waves: readonly Pick<WaveState, 'index' | 'closed'>[],
  { unjudged = [] }: Pick<Rebuilt, 'unjudged'>,
): readonly WaveRole[] {
  if (unjudged.length === 0) return [];
  const roles = waves
    .filter(({ closed }) => closed)
    .flatMap(({ index: wave }) => closureOf(plan, wave).map((role) => ({ role, wave })));
  return fitting.flatMap((closes) => roles.findLast(({ role }) => role.closes === closes) ?? []);
}

/** A role and what it says of the landing as it is rebuilt now. */
export type LandingRole = WaveRole & { readonly status: RoleStatus };

export function openLandingRole(state: RunState): LandingRole | null {
  const { landing } = state;
  if (landing.status !== 'observed' || landing.rebuilt === null) return null;
  const { commit, tree } = landing.rebuilt;
  for (const { role, wave } of landingRoles(state.plan, selectedWaves(state), landing.rebuilt)) {
    const known = state.waves[wave];
    const status = known && roleStatusOf(state, known, role, { tip: { commit, tree }, steps: [] });
    if (status !== undefined && !status.isResolved && status.because.length > 0) return { role, wave, status };
  }
  return null;
}

/** Says why a landing is refused by a role. */
export const refusedByRole = (
  { run, target }: Pick<RunState, 'run' | 'target'>,
  { role, status }: LandingRole,
): Finding => ({
  rule: 'landing-role',
  run,
  branch: target.branch,
  task: role.id,
  ...(status.because[0] === undefined ? {} : { because: status.because[0] }),
});
