import { expect, test } from 'vitest';
import { commit, frozenPlan, type PlanSketch, plannedTask, type TaskSketch, tree } from '../../test/support/plans.ts';
import { approved, begun, plan, run, started } from '../../test/support/run-events.ts';
import { runId } from '../domain/base/ids.ts';
import { foldRun, type RunState } from '../domain/run/run.ts';
import { sharePlaces } from './driver.ts';

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

test('tasks that exclude each other take one place between them', () => {
  const made = (name: string, tasks: Record<string, TaskSketch>, sketch: PlanSketch = {}): RunState => {
    const names = Object.keys(tasks);
    const frozen = frozenPlan([names.map((id) => plannedTask(id, { owns: [id], ...tasks[id] }))], {
      limits: { ...plan.limits, ...sketch.limits },
    });
    const state = foldRun([...begun(frozen), ...approved].map((event, at) => ({ seq: at + 1, event })));
    if (state === null) throw new Error('no run');
    return { ...state, run: runId(name) };
  };
  const claude = { agent: ['claude'] };
  const sharing = made('a-0001', { x: { shares: ['s'] }, y: { shares: ['s'] } });
  const limited = made('a-0001', { x: claude, y: claude }, { limits: { agents: { claude: 1 } } });
  const next = made('b-0002', { z: {} });
  for (const first of [sharing, limited]) {
    const runs = [first, next];
    const places = sharePlaces(
      () => runs,
      () => 2,
    );
    expect(runs.map(places)).toEqual([1, 1]);
  }
});
