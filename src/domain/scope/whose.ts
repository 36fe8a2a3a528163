import type { FrozenPlan, PlannedTask } from '../plan/plan.ts';
import { type Claim, claimsOf, type Granted } from './claims.ts';
import { matches } from './pattern.ts';

/** `edited`: a person changed it by hand, and it is not the task's by anything else. */
export type Whose = 'owned' | 'shared' | 'locked' | 'granted' | 'generated' | 'unclaimed' | 'edited';

/** On what ground a task may change a path that is within its scope; what it owns by name comes first. */
export function whoseFile(plan: FrozenPlan, task: PlannedTask, granted: Granted, path: string): Whose {
  if (Object.hasOwn(plan.generated, path)) return 'generated';
  const claim = claimsOf(plan, task, granted).find((one) => matches(one.pattern, path));
  return claim === undefined ? 'unclaimed' : words[claim.value.by];
}

const words: Record<Claim['by'], Whose> = { owns: 'owned', shares: 'shared', locks: 'locked', granted: 'granted' };
