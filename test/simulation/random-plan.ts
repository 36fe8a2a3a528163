import { hash as digest } from 'node:crypto';
import { type ClosureRole, closureRoles, roleId } from '../../src/domain/closure/roles.ts';
import { type Check, canonicalJson, type FrozenPlan, type PlannedTask } from '../../src/domain/plan/plan.ts';
import { plan, type TaskSketch, task } from '../support/plans.ts';
import type { Random } from './random.ts';
import { withContracts } from './random-contracts.ts';

/** A plan that the gates let through, with everything that the scheduler and the rounds have to cope with. */
export function randomPlan(random: Random, suffix = ''): FrozenPlan {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => name + suffix);
  const waves: Record<string, TaskSketch>[] = [];
  const earlier: string[] = [];
  const count = 1 + random.below(3);
  for (let wave = 0; wave < count; wave += 1) {
    const tasks: Record<string, TaskSketch> = {};
    const size = 1 + random.below(wave === 0 ? 4 : 2);
    for (let index = 0; index < size && names.length > 0; index += 1) {
      const id = names.shift() ?? '';
      tasks[id] = randomTask(random, id, [...earlier, ...Object.keys(tasks)], wave);
    }
    waves.push(tasks);
    earlier.push(...Object.keys(tasks));
  }
  const checks = [
    { name: 'test', run: 'npm test', minutes: 10 },
    { name: 'lint', run: 'npm run lint', minutes: 10 },
  ].slice(0, random.below(3));
  const made = plan(waves, {
    checks,
    generated: names.length % 3 === 0 ? { 'list.txt': 'ls > list.txt' } : {},
    land: random.pick(['ask', 'ask', 'auto', 'branch', 'pr', 'wave'] as const),
    schedule: random.pick(['strict', 'strict', 'eager'] as const),
    partial: random.pick(['merge', 'merge', 'hold'] as const),
    limits: { parallel: 1 + random.below(3), attempts: 1 + random.below(2) },
    taps: { start: random.pick(['run', 'run', 'wave'] as const) },
  });
  const limits = { ...made.limits, ...random.pick(budgets) };
  const roles = closureRoles.filter(() => random.chance(0.3));
  const isClosed = random.chance(0.35) && roles.length > 0;
  const reads = random.chance(0.5) ? ['by-hand.txt'] : [];
  const closed = made.waves.map(({ tasks, ...wave }, index) => ({
    ...wave,
    tasks: tasks.map((one) => ({ ...one, reads })),
    closure: roles.map((role) => randomRole(role, index)),
  }));
  // the last draws of chance, so that plans without contracts are the ones that these seeds always had
  const drawn = withContracts(random, { ...made, limits, ...(isClosed ? { waves: closed } : {}) }, suffix);
  const compared = isCompared(drawn)
    ? { ...drawn, checks: drawn.checks.map((check) => ratcheted(check, drawn.waves.length)) }
    : drawn;
  const whole = withCapability(compared);
  return hasResolver(drawn) ? withConflicts(whole) : whole;
}

/** The first task of each wave can do what some records ask for. */
const withCapability = (made: FrozenPlan): FrozenPlan => ({
  ...made,
  waves: made.waves.map(({ tasks, ...wave }) => ({
    ...wave,
    tasks: tasks.map((one, index) => (index === 0 ? { ...one, capabilities: ['sql'] } : one)),
  })),
});

/** Its tasks may all change one file, so that the resolver has something to do. */
const withConflicts = (made: FrozenPlan): FrozenPlan => ({
  ...made,
  resolver: { agent: ['command'], command: ['resolve'], model: null },
  waves: made.waves.map((wave) => ({
    ...wave,
    tasks: wave.tasks.map((one) => (one.owns?.length === 0 ? one : { ...one, shares: ['shared.txt'] })),
  })),
});

/** By the plan itself: no draw of chance that would make every other history another one. */
const hasResolver = (made: FrozenPlan): boolean => digest('sha256', canonicalJson(made), 'hex') < '8';

const isCompared = (made: FrozenPlan): boolean => digest('sha256', `compared ${canonicalJson(made)}`, 'hex') >= 'a';

/** `test` has a report. `lint` has a count, or only its exit code. */
const ratcheted = (check: Check, waves: number): Check => ({
  ...check,
  policy: 'ratchet',
  ...(check.name === 'test'
    ? { parse: { as: 'junit' } as const }
    : waves === 1
      ? { parse: { as: 'count' } as const }
      : {}),
  definitions: [{ path: 'ci.sh' }],
});

/** The docs role writes; the others only look. */
function randomRole(role: ClosureRole, wave: number): PlannedTask {
  const owns = role === 'docs' ? ['docs/**'] : [];
  return { ...task(roleId(role, wave), { owns, role, allowEmpty: true }), closes: role };
}

const budgets = [{}, {}, { usd: 0.7 }, { runUsd: 1.2 }];
const chains = [['command'], ['command'], ['claude'], ['codex', 'claude']];

function randomTask(random: Random, id: string, before: readonly string[], wave: number): TaskSketch {
  return { ...randomScope(random, id, before, wave), agent: random.pick(chains) };
}

function randomScope(random: Random, id: string, before: readonly string[], wave: number): TaskSketch {
  const needs = before.filter(() => random.chance(0.25));
  const kind = random.next();
  const shares = random.chance(0.25) ? ['shared.txt'] : [];
  if (kind < 0.12) return { owns: [], needs };
  if (kind < 0.2 && wave > 0) return { owns: null, needs };
  return { owns: [`${id}/**`], needs, shares, allowEmpty: random.chance(0.1) };
}
