import { expect, test } from 'vitest';
import { commit, tree } from '../../test/support/plans.ts';
import { approved, begun, run, started } from '../../test/support/run-events.ts';
import { runId } from '../domain/ids.ts';
import { foldRun, type RunState } from '../domain/run.ts';
import { sharePlaces } from './places.ts';

const made = { type: 'run-branch-made', commit: commit('base'), tree: tree('base') } as const;
const stateOf = (name: string, ...events: Parameters<typeof foldRun>[0][number]['event'][]): RunState => {
  const state = foldRun([...begun(), ...approved, made, ...events].map((event, at) => ({ seq: at + 1, event })));
  if (state === null) throw new Error('no run');
  return { ...state, run: runId(name) };
};

test('the task that has waited longest starts first, whatever run it is of', () => {
  const runs = [stateOf('a-0001')];
  const places = sharePlaces(
    () => runs,
    () => 1,
  );
  expect(runs.map(places)).toEqual([1]);
  runs.unshift(stateOf('b-0002'));
  expect(runs.map(places)).toEqual([0, 1]);
});

test('a task whose start is about to be recorded keeps its place', () => {
  const waiting = stateOf(run);
  const runs = [waiting, stateOf('b-0002')];
  const places = sharePlaces(
    () => runs,
    () => 1,
  );
  expect(runs.map(places)).toEqual([1, 0]);
  // it decided to start; the ledger does not have that yet
  expect(places(stateOf(run, ...started))).toBe(0);
  expect(places(runs[1] ?? waiting)).toBe(0);
});
