import { expect, test } from 'vitest';
import { plan } from '../../../test/support/plans.ts';
import { planDifference } from './plan-difference.ts';

test('two versions of a plan differ by tasks and their keys, and by settings', () => {
  const before = plan([{ a: {}, b: {}, c: {} }, { d: {} }]);
  const after = plan(
    [
      { a: {}, b: { owns: ['x/**'], directive: { file: null, text: 'else', clauses: ['merge-gate'] } } },
      { c: {}, e: {} },
    ],
    {
      checks: [{ name: 'test', run: 'npm test', minutes: 1 }],
      limits: { parallel: 1 },
    },
  );
  expect(planDifference(before, after)).toEqual([
    'b: do, owns',
    'c: wave',
    'e is new',
    'd is gone',
    'limits',
    'checks',
  ]);
});

test('something new that is forbidden is no other brief', () => {
  const told = (text: string) => ({
    a: { directive: { file: null, text, clauses: ['merge-gate', 'forbid'] as const } },
  });
  const before = plan([{ a: {} }]);
  const text = before.waves[0]?.tasks[0]?.directive.text ?? '';
  expect(planDifference(before, plan([told(text)], { forbid: ['rm -rf'] }))).toEqual(['forbid']);
});

test('equal versions differ in nothing', () => {
  expect(planDifference(plan([{ a: {} }]), plan([{ a: {} }]))).toEqual([]);
});

test('a difference that no task and no setting has is still told', () => {
  const before = plan([{ a: {}, b: {} }]);
  expect(planDifference(before, plan([{ b: {}, a: {} }]))).toEqual(['names of waves, or the order of tasks']);
});
