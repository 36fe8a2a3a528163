import { compileDefinitions, definedParts, mayTouch } from '../check-definitions/definition.ts';
import type { FindingOf } from '../findings/finding.ts';
import { closureOf, type FrozenPlan, type PlannedTask } from '../plan/plan.ts';
import { intersect, matches, type Pattern, pattern } from '../scope/pattern.ts';
import { steeringIn } from '../scope/steering.ts';
import { judgesWholeTree } from './roles.ts';

/**
 * Returns the paths that a closure role must not own: everything, because the other roles judge the candidate without them, and
 * files that decide what is proven. QA owns nothing, because a change of its own would be one that its report is not about.
 */
export const roleScopeFaults = (plan: FrozenPlan, wave: number): readonly FindingOf<'role-owns'>[] =>
  closureOf(plan, wave).flatMap((role) => faultsOf(plan, role));

function faultsOf(plan: FrozenPlan, { id, owns, closes }: PlannedTask): readonly FindingOf<'role-owns'>[] {
  const guards = plan.protect.map(pattern);
  const definitions = compileDefinitions(definedParts(plan));
  const faultOf = (one: Pattern): FindingOf<'role-owns'>['fault'] | null => {
    if (matches(one, 'a') && matches(one, 'a/b')) return 'everything';
    if (guards.some((guard) => intersect(guard, one) !== null) || steeringIn(one.text) !== null) return 'protected';
    if (mayTouch(definitions, one.text)) return 'check-definition';
    return closes !== undefined && judgesWholeTree(closes) ? 'whole-tree' : null;
  };
  return (owns ?? []).flatMap((text) => {
    const fault = faultOf(pattern(text));
    return fault === null ? [] : [{ rule: 'role-owns', where: id, task: id, pattern: text, fault }];
  });
}
