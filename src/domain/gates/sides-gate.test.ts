import { expect, test } from 'vitest';
import { attempt, exited, handoff, plan, snapshot } from '../../../test/support/plans.ts';
import { plannedResolver } from '../derived/derive-resolver.ts';
import type { GoneHunk } from '../ledger/derived-task-events.ts';
import type { PlannedTask } from '../plan/plan.ts';
import type { MonitorEvidence } from './evidence.ts';
import { judgeMonitor } from './work-gates.ts';

const frozen = plan([{ b: {} }], { resolver: { agent: ['command'], command: ['resolve'], model: null } });
const [stands] = frozen.waves[0]?.tasks ?? [];
const left = snapshot('resolver', ['b/a.txt']);
const gone: GoneHunk = { path: 'b/a.txt', side: 'ours', from: 2, to: 3 };

const judged = (change: Partial<MonitorEvidence>, dropped?: readonly string[]) => {
  const given = handoff('n', dropped === undefined ? {} : { dropped });
  const own = { attempt: attempt('resolver', 1), nonce: 'n', ending: exited(0), handoff: given, snapshot: left };
  const task = plannedResolver(frozen, stands as PlannedTask, { id: (stands as PlannedTask).id, owns: ['b/a.txt'] });
  const verdicts = judgeMonitor(frozen, task, { ...own, ...change }, []);
  const sides = verdicts.find(({ gate }) => gate === 'sides');
  return sides?.outcome === 'pass' ? [] : (sides?.findings.map(({ rule }) => rule) ?? ['no verdict']);
};
const edit = (path: string, commit = left.commit) => ({ snapshot: commit, who: 'ada', edited: [path] });

test.each<[string, Partial<MonitorEvidence>, readonly string[] | undefined, readonly string[]]>([
  ['kept everything', { sides: { markers: [], gone: [] } }, undefined, []],
  ['was not compared', {}, undefined, ['sides-compared']],
  ['left markers', { sides: { markers: ['b/a.txt'], gone: [] } }, undefined, ['markers-left']],
  ['left markers and named the file', { sides: { markers: ['b/a.txt'], gone: [] } }, ['b/a.txt so'], ['markers-left']],
  ['lost a hunk', { sides: { markers: [], gone: [gone] } }, undefined, ['hunk-gone']],
  ['lost a hunk and named it', { sides: { markers: [], gone: [gone] } }, ['b/a.txt:2-3 said twice'], []],
  [
    'lost a hunk and named another',
    { sides: { markers: [], gone: [gone] } },
    ['b/a.txt:7-9 said twice'],
    ['hunk-gone'],
  ],
  [
    'lost a hunk in a file that a person edited',
    { sides: { markers: [], gone: [gone] }, acceptance: edit('b/a.txt') },
    undefined,
    [],
  ],
  [
    'lost a hunk in another file',
    { sides: { markers: [], gone: [gone] }, acceptance: edit('b/b.txt') },
    undefined,
    ['hunk-gone'],
  ],
])('a resolver that %s', (_, evidence, dropped, rules) => {
  expect(judged(evidence, dropped)).toEqual(rules);
});

test('a task of the plan is not compared with anything', () => {
  const evidence = { attempt: attempt('b', 1), nonce: 'n', ending: exited(0), handoff: handoff('n'), snapshot: left };
  const verdicts = judgeMonitor(frozen, stands as PlannedTask, evidence, []);
  expect(verdicts.some(({ gate }) => gate === 'sides')).toBe(false);
});
