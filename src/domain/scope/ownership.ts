import type { TaskId } from '../base/ids.ts';
import { foldPath } from '../base/paths.ts';
import type { Finding, FindingOf } from '../findings/finding.ts';
import { allTasks, closureOf, type FrozenPlan, type PlannedTask, type PlannedWave } from '../plan/plan.ts';
import { type Claim, claimsOf, type Granted } from './claims.ts';
import { indexPatterns, intersect, type PatternEntry, pattern } from './pattern.ts';
import { agentSteering, steeringIn } from './steering.ts';

/** A longer list helps nobody. The finding says that there is more. */
const mostOverlaps = 20;

/**
 * Tasks of one wave that may run at the same time and could write the same path: one finding per pair of tasks,
 * with each pair of patterns that meet. Judged over the patterns, not over the files of today.
 */
export function ownershipConflicts(plan: FrozenPlan, wave: number, granted: Granted): readonly OwnershipConflict[] {
  const roles = closureOf(plan, wave);
  const isRole = new Set(roles.map(({ id }) => id));
  const tasks = [...(plan.waves[wave]?.tasks ?? []), ...roles];
  const order = new Map(tasks.map((task, at) => [task.id, at]));
  const { ordered, tasks: byId } = relationsOf(plan);
  const conflicts = new Map<string, { overlaps: Overlap[]; more: boolean; ofRole: boolean }>();
  const index = indexPatterns(tasks.flatMap((task) => claimsOf(plan, task, granted)));
  index.pairs((a, b) => {
    // no order and no agreement lets anything else write the paths of a role
    const ofRole = isRole.has(a.value.task) || isRole.has(b.value.task);
    if (a.value.task === b.value.task || (!ofRole && agrees(a, b, byId))) return;
    if (!ofRole && !bothLock(a, b) && ordered(a.value.task, b.value.task)) return;
    const isTurned = (order.get(a.value.task) ?? 0) > (order.get(b.value.task) ?? 0);
    const [one, other] = isTurned ? [b, a] : [a, b];
    const key = `${one.value.task} ${other.value.task}`;
    const pair = conflicts.get(key);
    if (pair?.more) return;
    const met = intersect(one.pattern, other.pattern);
    if (!met) return;
    if (pair === undefined) conflicts.set(key, { overlaps: [overlap(one, other, met)], more: false, ofRole });
    else if (pair.overlaps.length < mostOverlaps) pair.overlaps.push(overlap(one, other, met));
    else pair.more = true;
  });
  return [...conflicts.values()].map(({ overlaps, more, ofRole }) => ({
    rule: 'ownership-conflict',
    overlaps: overlaps.toSorted(byPatterns),
    more,
    ...(ofRole ? { role: true } : {}),
  }));
}

type OwnershipConflict = FindingOf<'ownership-conflict'>;
type Overlap = OwnershipConflict['overlaps'][number];

const byPatterns = (a: Overlap, b: Overlap): number => (sortKey(a) < sortKey(b) ? -1 : sortKey(a) > sortKey(b) ? 1 : 0);
const sortKey = ({ claims }: Overlap): string => claims.map(({ by, pattern: text }) => `${by} ${text}`).join('\n');

/** Tells whether two tasks without an order must run one after the other, because they share a path. */
export function mustSerialise(plan: FrozenPlan, a: TaskId, b: TaskId): boolean {
  const { tasks, ordered } = relationsOf(plan);
  const [one, other] = [tasks.get(a), tasks.get(b)];
  if (!one || !other || a === b || ordered(a, b)) return false;
  return meetAny(one.shares, other.shares);
}

/** Tells whether a task of a later wave may start while one of an earlier wave is open. A task without a bounded scope may not. */
export function mayRunBeside(plan: FrozenPlan, later: TaskId, earlier: TaskId): boolean {
  const { tasks } = relationsOf(plan);
  const [late, early] = [tasks.get(later), tasks.get(earlier)];
  if (!late || !early || late.owns === null || early.owns === null) return false;
  const written = (task: PlannedTask) => [...(task.owns ?? []), ...task.shares, ...task.locks];
  return !meetAny([...written(late), ...late.reads], written(early)) && !meetAny(written(late), early.reads);
}

/** Shown at approval: tasks that own a path which tasks without `owns` may not change. */
export function protectWarnings(plan: FrozenPlan, wave: number): readonly Finding[] {
  const guards = plan.protect.map(pattern);
  return (plan.waves[wave]?.tasks ?? []).flatMap((task) =>
    claimsOf(plan, task, []).flatMap((claim): Finding[] => {
      const { text } = claim.pattern;
      // A pattern that is merely wide does not open agent configuration: only one that names it is worth a warning.
      const steering = steeringIn(text)?.config;
      const met = steering ?? guards.find((guard) => intersect(guard, claim.pattern))?.text;
      if (met === undefined) return [];
      const wide = steering === undefined || claim.pattern.literal ? {} : ({ wide: true } as const);
      return [{ rule: 'owns-protected', where: task.id, task: task.id, pattern: text, protected: met, ...wide }];
    }),
  );
}

/** Agent configuration at the top of the repository that neither this task nor a grant names: read-only in its fence. */
export function protectedConfig(plan: FrozenPlan, task: PlannedTask, granted: Granted): readonly string[] {
  const claims = claimsOf(plan, task, granted).flatMap(({ pattern: one }) => (one.literal ? one.prefix[0] : []));
  const open = (plan.unprotect ?? []).map((text) => pattern(text).prefix[0]);
  const own = new Set([...claims, ...open]);
  return agentSteering.filter((name) => !own.has(foldPath(name)));
}

/** Pairs that may both name a path: sharing is agreed on by both, and a lock is carved out of wider claims. */
function agrees(a: PatternEntry<Claim>, b: PatternEntry<Claim>, tasks: ReadonlyMap<TaskId, PlannedTask>): boolean {
  const kinds = [a.value.by, b.value.by];
  if (kinds.includes('locks')) return !bothLock(a, b) && !(a.pattern.text === b.pattern.text);
  if (a.value.by === 'shares' && b.value.by === 'shares') return true;
  const shared = a.value.by === 'shares' ? a : b.value.by === 'shares' ? b : null;
  const owner = shared === a ? b : a;
  return shared !== null && tasks.get(owner.value.task)?.shares.includes(shared.pattern.text) === true;
}

const bothLock = (a: PatternEntry<Claim>, b: PatternEntry<Claim>): boolean =>
  a.value.by === 'locks' && b.value.by === 'locks';

const overlap = (
  a: PatternEntry<Claim>,
  b: PatternEntry<Claim>,
  met: { witness: string; spelling: string },
): Overlap => ({
  claims: [claimFact(a), claimFact(b)],
  path: met.witness,
  folded: met.spelling === 'folded',
});

const claimFact = ({ pattern: { text }, value: { task, by } }: PatternEntry<Claim>) => ({ task, by, pattern: text });

function meetAny(left: readonly string[], right: readonly string[]): boolean {
  const patterns = right.map(pattern);
  return left.map(pattern).some((one) => patterns.some((other) => intersect(one, other) !== null));
}

type Relations = {
  readonly tasks: ReadonlyMap<TaskId, PlannedTask>;
  /** True when one of them needs the other, however indirectly. */
  ordered(a: TaskId, b: TaskId): boolean;
};
const relationsByPlan = new WeakMap<FrozenPlan, Relations>();

/** A plan never changes, so its relations are computed once. */
function relationsOf(plan: FrozenPlan): Relations {
  const relations = relationsByPlan.get(plan) ?? relate(plan);
  relationsByPlan.set(plan, relations);
  return relations;
}

function relate(plan: FrozenPlan): Relations {
  const tasks = new Map(allTasks(plan).map((task) => [task.id, task]));
  const closures = new Map<TaskId, ReadonlySet<TaskId>>();
  const closure = (id: TaskId): ReadonlySet<TaskId> => {
    const done = closures.get(id);
    if (done) return done;
    const all = new Set<TaskId>();
    closures.set(id, all);
    for (const need of tasks.get(id)?.needs ?? []) {
      all.add(need);
      for (const further of closure(need)) all.add(further);
    }
    return all;
  };
  return { tasks, ordered: (a, b) => closure(a).has(b) || closure(b).has(a) };
}

/**
 * Adds the needs that follow from locks. One task writes a locked path first, the rest read it. So every task of the wave that could see the path
 * needs the one that locks it, and starts from its snapshot. A task that the locker itself needs stays before it.
 */
export function withLockNeeds(plan: FrozenPlan): FrozenPlan {
  return { ...plan, waves: plan.waves.map(orderByLocks) };
}

function orderByLocks(wave: PlannedWave): PlannedWave {
  const lockers = wave.tasks.filter((task) => task.locks.length > 0);
  if (lockers.length === 0) return wave;
  const needs = new Map(wave.tasks.map((task) => [task.id, new Set(task.needs)]));
  for (const locker of lockers)
    for (const task of wave.tasks)
      if (task.id !== locker.id && couldSee(task, locker) && !reaches(needs, locker.id, task.id))
        needs.get(task.id)?.add(locker.id);
  return { ...wave, tasks: wave.tasks.map((task) => ({ ...task, needs: [...(needs.get(task.id) ?? [])].sort() })) };
}

/** A task without `owns` works on all unclaimed paths, so it counts as building on every lock. */
function couldSee(task: PlannedTask, locker: PlannedTask): boolean {
  if (task.owns === null) return true;
  const visible = [...task.owns, ...task.shares, ...task.reads].map(pattern);
  return locker.locks.map(pattern).some((lock) => visible.some((one) => intersect(one, lock) !== null));
}

function reaches(needs: ReadonlyMap<TaskId, ReadonlySet<TaskId>>, from: TaskId, to: TaskId): boolean {
  const open = [from];
  const seen = new Set(open);
  for (const id of open) {
    if (id === to) return true;
    for (const need of needs.get(id) ?? []) {
      if (!seen.has(need)) open.push(need);
      seen.add(need);
    }
  }
  return false;
}
