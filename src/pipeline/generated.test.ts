import { expect, test } from 'vitest';
import {
  commit,
  created,
  ended,
  exited,
  idOf,
  log,
  me,
  plan,
  snapshot,
  stateAfter,
  tree,
} from '../../test/support/plans.ts';
import { explain } from '../domain/explain/explain.ts';
import type { CheckOutcome, Ending } from '../domain/gates/evidence.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import { closure } from './closure.ts';

const at = { wave: 0, round: 1 } as const;
const checks = [{ name: 'test', run: 'npm test', minutes: 1 }];
const step = (id: string) => ({ task: idOf(id), commit: commit(id), tree: tree(id) });
const completed: RunEvent = { type: 'candidate-completed', ...at, commit: commit('done'), tree: tree('done') };

/** A run whose round has a candidate of these tasks. */
function built(generated: Readonly<Record<string, string>>, ...ids: string[]) {
  const frozen = plan([Object.fromEntries(ids.map((id) => [id, {}]))], { checks, generated });
  const tasks = ids.map((id) => ({ task: idOf(id), snapshot: snapshot(id).commit }));
  const base = commit('base');
  return stateAfter(
    created(frozen),
    { type: 'run-branch-made', commit: base, tree: tree('base') },
    { type: 'round-opened', ...at, base, tasks },
    { type: 'candidate-built', ...at, base, steps: ids.map(step), conflicts: [] },
  );
}
const after = (state: RunState, ...events: RunEvent[]): RunState =>
  events.reduce((before, event) => evolveRun(before, { seq: 0, event }) ?? before, state);
const generatorEnded = (ending: Ending): RunEvent => {
  const taken = { ...snapshot('x', ['list.txt']), base: commit('b') };
  return {
    type: 'generator-ended',
    ...at,
    ending,
    snapshot: taken,
    log,
    tail: 'no such module\nls > list.txt: exit 1\n',
  };
};
const checked = (on: string, outcome: CheckOutcome['outcome']): RunEvent => ({
  type: 'check-ended',
  purpose: 'candidate',
  check: { name: 'test', tree: tree(on), outcome, code: 0, log, tail: '' },
});
const list = { 'list.txt': 'ls > list.txt' };

test('without generated files the last step is checked as it is', () => {
  expect(closure(built({}, 'a', 'b'))).toMatchObject([{ effect: { do: 'check', commit: commit('b') } }]);
});

test('with them, they are rebuilt on the last step, added by the merger, and only then checked', () => {
  const state = built(list, 'a', 'b');
  expect(closure(state)).toMatchObject([{ effect: { do: 'generate', ...at, commit: commit('b') } }]);
  const rebuilt = after(state, generatorEnded(exited(0)));
  expect(closure(rebuilt)).toMatchObject([{ effect: { do: 'ask-merger', request: { do: 'add-generated', ...at } } }]);
  const whole = after(rebuilt, completed);
  expect(closure(whole)).toMatchObject([{ effect: { do: 'check', commit: commit('done'), tree: tree('done') } }]);
  const [closed] = closure(after(whole, checked('done', 'passed')));
  expect(closed).toMatchObject({ events: [{ evidence: { candidate: commit('done'), tree: tree('done') } }] });
});

test('what was merged is what was completed', () => {
  const merged: RunEvent = { type: 'merged', ...at, old: commit('base'), new: commit('done'), tasks: [] };
  const whole = after(built(list, 'a'), generatorEnded(exited(0)), completed, checked('done', 'passed'));
  const [closed] = closure(whole);
  const facts = closed?.kind === 'fact' ? closed.events : [];
  const intended: RunEvent = { type: 'merge-intended', ...at, old: commit('base'), new: commit('done') };
  expect(after(whole, ...facts, intended, merged).branch).toEqual({ commit: commit('done'), tree: tree('done') });
});

test.each([exited(1), ended('timed-out'), ended('lost')])('%j gives the round up and halts, once', (ending) => {
  const failed = after(built(list, 'a'), generatorEnded(ending));
  const [given] = closure(failed);
  expect(given).toMatchObject({
    events: [
      { type: 'round-abandoned', ...at },
      { type: 'run-halted', because: { rule: 'round-unblamed' } },
    ],
  });
  const [, event] = given?.kind === 'fact' ? given.events : [];
  expect(event?.type === 'run-halted' && explain(event.because)).toMatchObject({
    detail: expect.stringMatching(/list\.txt.*no such module; ls > list\.txt: exit 1/),
    fix: "tidegate logs demo-ab12 --generated; if a broke it: tidegate drop demo-ab12/a or tidegate rework demo-ab12/a -m 'the generated files (list.txt) could not be rebuilt'",
  });
  const halted = after(failed, ...(given?.kind === 'fact' ? given.events : []));
  expect([halted.mode.mode, closure(halted)]).toEqual(['halted', []]);
});

test('a run that a person stopped stays stopped when its generator fails', () => {
  const stopped = after(built(list, 'a'), { type: 'run-stopped', by: me }, generatorEnded(exited(1)));
  expect(closure(stopped)).toMatchObject([{ events: [{ type: 'round-abandoned' }] }]);
  expect(closure(stopped)[0]).not.toMatchObject({ events: [{}, {}] });
});

test('a check that fails on rebuilt files, like a command that fails, leaves suspects and holds nobody', () => {
  const whole = after(built(list, 'a', 'b', 'c', 'd'), generatorEnded(exited(0)), completed, checked('done', 'failed'));
  const unbuilt = after(built(list, 'a', 'b', 'c', 'd'), generatorEnded(exited(1)));
  for (const failed of [whole, unbuilt])
    expect(closure(failed)).toEqual([
      { kind: 'fact', events: [{ type: 'round-abandoned', ...at, because: expect.any(Object), suspects: 4 }] },
    ]);
});

test('one task alone is blamed for its check', () => {
  const failed = after(built(list, 'a'), generatorEnded(exited(0)), completed, checked('done', 'failed'));
  expect(closure(failed)).toMatchObject([
    {
      events: [
        { type: 'culprit-found', task: 'a' },
        { type: 'task-held', task: 'a', hold: { because: 'check', check: 'test' } },
        { type: 'round-abandoned', because: { rule: 'round-check', check: 'test', tasks: ['a'] } },
      ],
    },
  ]);
});

test('where nothing may be merged before everything is, a person looks, and nobody is held', () => {
  const held = { ...built(list, 'a', 'b') };
  const careful = { ...held, plan: { ...held.plan, partial: 'hold' as const } };
  const failed = after(careful, generatorEnded(exited(0)), completed, checked('done', 'failed'));
  expect(closure(failed)).toMatchObject([
    {
      events: [
        { type: 'round-abandoned' },
        { type: 'run-halted', because: { rule: 'round-unblamed', tasks: ['a', 'b'] } },
      ],
    },
  ]);
});
