import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyGoal } from '../../test/support/goals.ts';
import { decompose } from './decompose.ts';
import { clausesOf } from './goal-text.ts';
import { registryOf } from './registry.ts';

const registry = registryOf({});
const sha256 = (text: string): string => hash('sha256', text, 'hex');
const planOf = (goal: string, maxParallel = 3, maxTotalTurns = 50) =>
  decompose({ goal, session: 's', constraints: { maxParallel, maxTotalTurns } }, registry, sha256);
function stepsOf(goal: string, ...limits: number[]) {
  const made = planOf(goal, ...limits);
  if (!made.ok) throw new Error(made.error.detail);
  return made.value.steps.map(({ wave, agent, description, dependsOn }) => [wave, agent.type, description, dependsOn]);
}

describe('a goal in clauses', () => {
  test('is cut where something else begins to be done', () => {
    expect(clausesOf('Add login, update the docs and write tests for it; then review the code.')).toEqual([
      'Add login',
      'update the docs',
      'write tests for it',
      'review the code',
    ]);
    expect(clausesOf('Add search and filter fields, with tests. Support dark mode')).toEqual([
      'Add search and filter fields, with tests',
      'Support dark mode',
    ]);
  });

  test('has the items of a list, without what announces them', () => {
    expect(clausesOf('Build a shop:\n- add a cart\n  that is kept\n2) show\n\nLater more')).toEqual([
      'add a cart that is kept',
      'show',
      'Later more',
    ]);
  });

  test('is never cut within quotes, back-ticks and brackets, nor after an abbreviation', () => {
    const whole = 'Print "done. Then add; and fix" (and remove `a; b. c`), e.g. Foo';
    expect(clausesOf(whole)).toEqual([whole]);
  });
});

test('runs of one character take no longer than others', { timeout: 20_000 }, () => {
  for (const one of [' ', '.', '“', '(', ';', '\t', '"', ', ', 'then ', '- a\n'])
    expect(planOf(`a${one.repeat(20_000)}b`, 3, 200).ok).toBe(true);
});

describe('a decomposition', () => {
  test('understands, does and judges', () => {
    expect(stepsOf('Build a complete user management system with roles')).toEqual([
      [
        0,
        'Explore',
        'Explore and understand the codebase relevant to: Build a complete user management system with roles',
        [],
      ],
      [1, 'Snipper', 'Implement: Build a complete user management system with roles', [0]],
      [2, 'code-reviewer', 'Review and validate changes from: Build a complete user management system with roles', [1]],
    ]);
  });

  test('gives each agent its own part', () => {
    expect(stepsOf('Build a react component with a supabase schema and write tests for it').slice(1)).toEqual([
      [
        1,
        'frontend-react',
        'Implement (part 1 of 2): the part about react, component of: Build a react component with a supabase schema',
        [0],
      ],
      [
        1,
        'supabase-backend',
        'Implement (part 2 of 2): the part about supabase, schema of: Build a react component with a supabase schema',
        [0],
      ],
      [2, 'test-engineer', 'Validate: write tests for it', [1, 2]],
      [2, 'code-reviewer', expect.stringContaining('Review and validate changes from: '), [1, 2]],
    ]);
  });

  test('has no wave in which nothing is done', () => {
    expect(stepsOf('Find where sessions are created')).toEqual([
      [0, 'Explore', 'Explore: Find where sessions are created', []],
    ]);
    expect(stepsOf('Review the parser').map(([wave, agent]) => [wave, agent])).toEqual([
      [0, 'Explore'],
      [1, 'code-reviewer'],
    ]);
  });

  test('drops no part when there are more than may work side by side', () => {
    const goal =
      '- rename a to b\n- fix c\n- update d\n- style the css\n- mend the sql\n- cache the list\n- write the docs';
    const steps = stepsOf(goal, 2, 200);
    expect(steps.map(([wave, agent]) => [wave, agent])).toEqual([
      [0, 'Explore'],
      [1, 'Snipper'],
      [1, 'frontend-react'],
      [2, 'supabase-backend'],
      [2, 'performance-engineer'],
      [3, 'docs-writer'],
      [4, 'code-reviewer'],
    ]);
    for (const clause of clausesOf(goal))
      expect(steps.slice(1, -1).filter(([, , text]) => String(text).includes(clause))).toHaveLength(1);
  });

  test('scales turns down to what is allowed, and refuses what cannot be', () => {
    const made = planOf('Build a shop', 3, 9);
    expect(made.ok && [made.value.totalTurns, made.value.steps.map(({ maxTurns }) => maxTurns)]).toEqual([
      8,
      [3, 3, 2],
    ]);
    expect(planOf('Build a shop', 3, 5)).toEqual({
      ok: false,
      error: { reason: 'too-few-turns', detail: '3 steps take at least 6 turns, and 5 are allowed' },
    });
    expect(planOf(' … ')).toMatchObject({ ok: false, error: { reason: 'empty-goal' } });
  });

  test('fits whatever number of turns is allowed', () => {
    for (const goal of ['Build a shop', 'Migration of a, then style the css. Write tests for it and document it'])
      for (let allowed = 12; allowed <= 100; allowed += 1) {
        const made = planOf(goal, 3, allowed);
        expect(made.ok && made.value.totalTurns <= allowed).toBe(true);
      }
  });

  test('follows from its input alone, and is named after it', () => {
    const [one, again, other] = [planOf('Build a shop'), planOf('Build a shop'), planOf('Build a shop!')];
    expect(one).toEqual(again);
    expect(one.ok && one.value.id).toMatch(/^plan_[0-9a-f]{16}$/);
    expect(one.ok && other.ok && one.value.id === other.value.id).toBe(false);
  });

  test('never has more turns or more side by side than allowed, and depends only on what was before', () => {
    fc.assert(
      fc.property(
        anyGoal,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 5, max: 200 }),
        (goal, parallel, turns) => {
          const made = planOf(goal, parallel, turns);
          if (!made.ok) return;
          const { steps, waves, totalTurns } = made.value;
          expect(totalTurns).toBe(steps.reduce((sum, { maxTurns }) => sum + maxTurns, 0));
          expect(totalTurns).toBeLessThanOrEqual(turns);
          expect(Math.min(...steps.map(({ maxTurns }) => maxTurns))).toBeGreaterThanOrEqual(2);
          expect(Math.max(...waves.map(({ tasks }) => tasks.length))).toBeLessThanOrEqual(parallel);
          expect(Math.min(...waves.map(({ tasks }) => tasks.length))).toBeGreaterThan(0);
          expect(waves.flatMap(({ tasks }) => tasks)).toEqual(steps.map((_, at) => at));
          for (const { wave, dependsOn } of steps)
            expect(dependsOn.map((step) => steps[step]?.wave)).toEqual(dependsOn.map(() => wave - 1));
          expect(planOf(goal, parallel, turns)).toEqual(made);
        },
      ),
      { numRuns: 300 },
    );
  });
});
