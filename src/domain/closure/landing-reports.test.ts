import { expect, test } from 'vitest';
import { plan, task } from '../../../test/support/plans.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import { landingRoles, unjudgedPaths } from './landing-reports.ts';
import type { ClosureRole } from './roles.ts';

const work = { changed: ['src/a.ts', 'docs/how.md'], reads: ['lib/**', 'conf.json'] };

test('reports are carried when others changed nothing that the work changes or reads', () => {
  expect(unjudgedPaths([], work)).toEqual([]);
  expect(unjudgedPaths(['src/b.ts', 'library/x', 'conf.json5', 'docs'], work)).toEqual([]);
});

test('paths that the work changes or reads are named, sorted, and no more than 50 of them', () => {
  expect(unjudgedPaths(['src/b.ts', 'src/a.ts', 'lib/deep/x.ts', 'conf.json'], work)).toEqual([
    ...['conf.json', 'lib/deep/x.ts', 'src/a.ts'],
  ]);
  const many = Array.from({ length: 60 }, (_, at) => `lib/${at}.ts`);
  expect(unjudgedPaths(many, work)).toHaveLength(50);
});

/** A plan with these roles in its waves. */
function planned(...waves: readonly (readonly ClosureRole[])[]): FrozenPlan {
  const base = plan(waves.map((_, at) => ({ [`t${at}`]: {} })));
  const closureAt = (at: number) =>
    (waves[at] ?? []).map((closes) => task(`wave-${at + 1}-${closes}`, { closes, owns: [] }));
  return { ...base, waves: base.waves.map((wave, at) => ({ ...wave, closure: closureAt(at) })) };
}

const judges = (frozen: FrozenPlan, closed: readonly boolean[], unjudged: readonly string[] | undefined) =>
  landingRoles(
    frozen,
    closed.map((isClosed, index) => ({ index, closed: isClosed })),
    unjudged === undefined ? {} : { unjudged },
  ).map(({ role, wave }) => `${wave} ${role.id}`);

test('integration and QA judge a landing, each of the last closed wave that has it', () => {
  const frozen = planned(['security', 'integration', 'docs', 'qa'], ['security'], ['qa']);
  expect(judges(frozen, [true, true, false], ['a'])).toEqual(['0 wave-1-integration', '0 wave-1-qa']);
  expect(judges(frozen, [true, true, true], ['a'])).toEqual(['0 wave-1-integration', '2 wave-3-qa']);
});

test('nobody judges a landing whose reports are carried, or that no role of the waves could judge', () => {
  const frozen = planned(['qa']);
  expect(judges(frozen, [true], [])).toEqual([]);
  expect(judges(frozen, [true], undefined)).toEqual([]);
  expect(judges(frozen, [false], ['a'])).toEqual([]);
  expect(judges(planned(['security', 'docs']), [true], ['a'])).toEqual([]);
});
