import { expect, test } from 'vitest';
import { begun, by } from '../../../test/support/run-events.ts';
import { runId } from '../base/ids.ts';
import type { RunEvent } from '../ledger/events.ts';
import { evolveRun, foldRun, type RunState } from '../run/run.ts';
import { aheadInQueue, landingQueue } from './landing-queue.ts';

const fresh = foldRun(begun().map((event, at) => ({ seq: at + 1, event })));
if (fresh === null) throw new Error('no run');
const run = (name: string, change: Partial<RunState>): RunState => ({
  ...fresh,
  run: runId(name),
  taps: {},
  ...change,
});
const queued = (name: string, seq: number, change: Partial<RunState> = {}): RunState =>
  run(name, { landing: { status: 'queued', seq }, ...change });
const begins = (name: string): RunState =>
  run(name, { landing: { status: 'observed', tip: null, rebuilt: null, moves: 0 } });
const undoing = (name: string, seq: number): RunState =>
  run(name, { ended: 'landed', pending: [{ seq, request: { type: 'requested-undo', task: null, by } }] });
const order = (...runs: RunState[]) => landingQueue(runs, 'main').map((entry) => entry.run);

test('landings go in the order in which the ledger has them, whatever the order of the runs', () => {
  expect(order(queued('c-0003', 30), queued('a-0001', 10), queued('b-0002', 20))).toEqual([
    'a-0001',
    'b-0002',
    'c-0003',
  ]);
});

test('what has begun is ended first; an undo goes ahead of landings that have not begun', () => {
  expect(order(queued('a-0001', 10), undoing('b-0002', 40), begins('c-0003'))).toEqual(['c-0003', 'b-0002', 'a-0001']);
});

test('a run that waits for a person is not in it: asked, paused, stopped or halted', () => {
  const because = { rule: 'git-missing' } as const;
  const waiting = [
    queued('a-0001', 1, { taps: { land: { status: 'pending', hash: fresh.hash, expires: null } } }),
    queued('b-0002', 2, { mode: { mode: 'paused', who: 'ada' } }),
    queued('c-0003', 3, { mode: { mode: 'stopped', who: 'ada' } }),
    queued('d-0004', 4, { mode: { mode: 'halted', because } }),
    run('e-0005', { landing: { status: 'refused', because } }),
    queued('f-0006', 6, { plan: { ...fresh.plan, land: 'branch' } }),
    queued('g-0007', 7, { target: { ...fresh.target, branch: 'other' } }),
  ];
  expect(order(...waiting)).toEqual([]);
  expect(aheadInQueue([...waiting, queued('z-0009', 99)], queued('z-0009', 99))).toBeNull();
});

test('a move that has begun stays in it while its run is paused or stopped; so does an undo', () => {
  const next = queued('z-0009', 99);
  const moving = { status: 'intended', branch: 'main', old: null, new: fresh.target.commit, moves: 0 } as const;
  const ahead = (state: RunState) => aheadInQueue([state, next], next);
  const who = 'ada';
  for (const mode of ['paused', 'stopped'] as const) {
    expect(ahead(run('a-0001', { landing: moving, mode: { mode, who } }))).toBe('a-0001');
    expect(ahead({ ...undoing('b-0002', 40), ended: null, mode: { mode, who } })).toBe('b-0002');
  }
  const halted = { mode: 'halted', because: { rule: 'git-missing' } } as const;
  expect(ahead(run('a-0001', { landing: moving, mode: halted }))).toBeNull();
  expect(ahead({ ...undoing('b-0002', 40), mode: halted })).toBeNull();
});

test('a run that a critical question holds is not in it until the question is answered, unless its move has begun', () => {
  const next = queued('z-0009', 99);
  const ahead = (state: RunState) => aheadInQueue([state, next], next);
  const asks: RunEvent = {
    type: 'record-posted',
    kind: 'question',
    target: 'person',
    text: 'sure?',
    severity: 'critical',
    place: { id: '1', to: 'person', status: 'open' },
    by,
  };
  const asked = (state: RunState): RunState => evolveRun(state, { seq: 50, event: asks }) ?? state;
  const answered: RunEvent = { type: 'record-answered', record: '1', text: 'yes', by };
  const moving = { status: 'intended', branch: 'main', old: null, new: fresh.target.commit, moves: 0 } as const;
  for (const state of [queued('a-0001', 10), begins('a-0001')]) {
    expect(ahead(state)).toBe('a-0001');
    expect(ahead(asked(state))).toBeNull();
    expect(ahead(evolveRun(asked(state), { seq: 51, event: answered }) ?? state)).toBe('a-0001');
  }
  expect(ahead(asked(run('a-0001', { landing: moving })))).toBe('a-0001');
});

test('a move that is being made goes before one that is only prepared, whatever the order of the runs', () => {
  const moving = { status: 'intended', branch: 'main', old: null, new: fresh.target.commit, moves: 0 } as const;
  expect(order(begins('a-0001'), run('b-0002', { landing: moving }))).toEqual(['b-0002', 'a-0001']);
});

test('a run learns who goes before it', () => {
  const [first, second] = [queued('a-0001', 10), queued('b-0002', 20)];
  expect([aheadInQueue([first, second], first), aheadInQueue([first, second], second)]).toEqual([null, 'a-0001']);
});

test('a run that was abandoned delays nobody, but for a move of the branch that has begun', () => {
  const next = queued('z-0009', 99);
  const moving = { status: 'intended', branch: 'main', old: null, new: fresh.target.commit, moves: 0 } as const;
  const ahead = (change: Partial<RunState>) => aheadInQueue([run('a-0001', change), next], next);
  const observed = { status: 'observed', tip: null, rebuilt: null, moves: 0 } as const;
  expect(ahead({ abandoned: by, landing: observed })).toBeNull();
  expect(ahead({ abandoned: by, ended: 'abandoned', landing: observed })).toBeNull();
  expect(ahead({ abandoned: by, landing: moving })).toBe('a-0001');
});

test('of runs that have ended only one that is done and was approved since is about to land', () => {
  const next = queued('z-0009', 99);
  const ahead = (ended: RunState['ended'], taps: RunState['taps']) =>
    aheadInQueue([queued('a-0001', 1, { ended, taps }), next], next);
  const yes = { land: { status: 'approved', hash: fresh.hash, by } } as const;
  expect([ahead('done', yes), ahead('done', {}), ahead('failed', yes), ahead('landed', yes)]).toEqual([
    'a-0001',
    null,
    null,
    null,
  ]);
});
