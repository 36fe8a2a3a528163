import { describe, expect, test } from 'vitest';
import { idOf } from '../../../test/support/plans.ts';
import type { Barrier } from '../closure/barriers.ts';
import { fresh, type NextStart } from '../run/task.ts';
import { nextLaunches, type RelaunchInput } from './relaunch.ts';

const because = { rule: 'resolve-reason' } as const;
const waiting = (id: string, launches = 0, next: Partial<NextStart> = {}): RelaunchInput['starting'][number] => ({
  id: idOf(id),
  launches,
  progress: { status: 'waiting', next: { ...fresh, ...next }, last: null },
});
const barrier = (kind: Barrier['kind'], owner: string): RelaunchInput['barriers'][number] => ({
  id: `${kind}-${owner}`,
  kind,
  owner: owner === 'person' ? owner : idOf(owner),
  because,
});
const barriers = (of: Readonly<Partial<Record<Barrier['kind'], string>>>): RelaunchInput['barriers'] =>
  Object.entries(of).map(([kind, owner]) => barrier(kind as Barrier['kind'], owner));
const next = (change: Partial<RelaunchInput>): readonly (readonly [string, string])[] =>
  nextLaunches({ starting: [], barriers: [], busy: [], stuck: [], ...change }).map(({ task, reason }) => [
    task,
    reason.rule,
  ]);

describe('tasks that may start now', () => {
  test.each([
    ['selected by a person', waiting('a', 2, { relaunched: 'ada', after: 'strayed' }), 'next-selected'],
    ['after an attempt that did not finish', waiting('a', 1, { after: 'rejected' }), 'next-again'],
    ['that continues for a component', waiting('a', 2, { continues: ['api'], after: 'interrupted' }), 'next-continues'],
    ['that never started', waiting('a'), 'next-first'],
  ])('one %s says so', (_, task, rule) => {
    expect(next({ starting: [task] })).toEqual([['a', rule]]);
  });

  test('come before every barrier, also before one that waits for a person', () => {
    const open = barriers({ question: 'person', report: 'wave-1-qa', component: 'b' });
    expect(next({ starting: [waiting('a')], barriers: open })).toEqual([['a', 'next-first']]);
  });
});

describe('without them, the open barriers say who acts next', () => {
  test('nobody, while one of them waits for a person', () => {
    expect(next({ barriers: barriers({ question: 'person', report: 'wave-1-qa' }) })).toEqual([]);
    expect(next({ barriers: barriers({ report: 'wave-1-qa', proof: 'person' }) })).toEqual([]);
    expect(next({ barriers: barriers({ component: 'b' }), stuck: [idOf('b')] })).toEqual([]);
  });

  test('a task that a record is for starts, whatever else waits for a person', () => {
    expect(next({ barriers: [barrier('record', 'person'), barrier('record', 'b'), barrier('question', 'a')] })).toEqual(
      [
        ['b', 'next-barrier'],
        ['a', 'next-barrier'],
      ],
    );
    expect(next({ barriers: barriers({ dependency: 'person', record: 'b' }) })).toEqual([['b', 'next-barrier']]);
    expect(next({ barriers: barriers({ dependency: 'person', record: 'b' }), stuck: [idOf('b')] })).toEqual([]);
  });

  test.each([
    ['an open record before a contract', { contract: 'b', question: 'a' }, ['a']],
    ['a contract or proof before a closure role', { report: 'wave-1-qa', proof: 'b' }, ['b']],
    [
      'a closure role before a component that waits for a sibling',
      { component: 'b', report: 'wave-1-qa' },
      ['wave-1-qa'],
    ],
    ['a component alone names its owner', { component: 'b' }, ['b']],
    ['nothing open names nobody', {}, []],
  ] as const)('%s', (_, open, tasks) => {
    expect(next({ barriers: barriers(open) })).toEqual(tasks.map((task) => [task, 'next-barrier']));
  });

  test('closure roles run one by one; owners of other barriers act together', () => {
    const roles = [barrier('report', 'wave-1-security'), barrier('report', 'wave-1-qa')];
    expect(next({ barriers: roles })).toEqual([['wave-1-security', 'next-barrier']]);
    const owners = [barrier('component', 'a'), barrier('component', 'b')];
    expect(next({ barriers: owners }).map(([task]) => task)).toEqual(['a', 'b']);
  });

  test('a task that is running already is not launched next', () => {
    expect(next({ barriers: barriers({ report: 'wave-1-qa' }), busy: [idOf('wave-1-qa')] })).toEqual([]);
  });
});
