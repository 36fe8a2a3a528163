import { expect, test } from 'vitest';
import { runId } from '../domain/base/ids.ts';
import type { LedgerEvent } from '../domain/ledger/events.ts';
import { type CoordinatorInput, type CoordinatorState, evolveCoordinator, noRuns } from './coordinator-state.ts';

const [a, b, c] = [runId('a-0001'), runId('b-0002'), runId('c-0003')];
const by = { who: 'ann', via: 'api' } as const;
const paused: LedgerEvent = { type: 'run-paused', by };
const ended: LedgerEvent = { type: 'run-ended', outcome: 'done' };
const request: LedgerEvent = { type: 'requested-pause', by };
const committed = (run: typeof a, event: LedgerEvent): CoordinatorInput => ({ type: 'committed', run, event });

/** Plays inputs one after the other. `effects` are those of the last one, as text. */
function play(from: CoordinatorState, inputs: readonly CoordinatorInput[], open: readonly string[] = [a, b, c]) {
  let state = from;
  let effects: readonly string[] = [];
  for (const input of inputs) {
    const next = evolveCoordinator(state, input, (run) => open.includes(run));
    state = next.state;
    effects = next.effects.map((effect) => ('run' in effect ? `${effect.do} ${effect.run}` : effect.do));
  }
  return { state, effects };
}
const driving = (...runs: readonly (typeof a)[]): CoordinatorState =>
  play(
    noRuns,
    runs.map((run) => ({ type: 'admitted', run })),
  ).state;

test('an event of an unknown run admits it, and later events wake it', () => {
  const first = play(noRuns, [committed(a, request)]);
  expect(first.effects).toEqual(['announce', 'admit']);
  expect(first.state.runs.get(a)).toBe('known');
  const admitted = play(first.state, [{ type: 'admitted', run: a }, committed(a, request)]);
  expect(admitted.effects).toEqual([`wake ${a}`, 'announce']);
  expect(play(admitted.state, [{ type: 'found', run: a }]).state.runs.get(a)).toBe('driven');
});

test('an event that frees something wakes every other open run that is driven', () => {
  const { state } = play(driving(a, b), [{ type: 'found', run: c }]);
  expect(play(state, [committed(a, paused)]).effects).toEqual([`wake ${a}`, `wake ${b}`, 'announce']);
  expect(play(state, [committed(a, paused)], [a]).effects).toEqual([`wake ${a}`, 'announce']);
  expect(play(state, [committed(a, request)]).effects).toEqual([`wake ${a}`, 'announce']);
});

test('the end of work is followed by a look at the disk, and a change there wakes every driven run', () => {
  const state = driving(a, b);
  expect(play(state, [committed(a, ended)], []).effects).toEqual(['measure-disk', `wake ${a}`, 'announce']);
  expect(play(state, [{ type: 'disk-changed' }], []).effects).toEqual([`wake ${a}`, `wake ${b}`]);
});

test('when the checkout is gone, agents end first, and the coordinator fails once', () => {
  const leaving = play(driving(a), [{ type: 'checkout-gone' }]);
  expect(leaving.effects).toEqual(['end-agents']);
  expect(play(leaving.state, [{ type: 'checkout-gone' }]).effects).toEqual([]);
  const gone = play(leaving.state, [{ type: 'agents-ended' }]);
  expect([gone.effects, gone.state.phase]).toEqual([['fail'], 'gone']);
  expect(play(gone.state, [{ type: 'agents-ended' }]).effects).toEqual([]);
  expect(play(driving(a), [{ type: 'agents-ended' }]).effects).toEqual([]);
});

test('a stopped coordinator does nothing more', () => {
  const stopped = play(driving(a, b), [{ type: 'stopped' }]);
  expect(stopped.effects).toEqual(['let-go']);
  for (const input of [committed(a, paused), { type: 'disk-changed' }, { type: 'checkout-gone' }] as const)
    expect(play(stopped.state, [input]).effects).toEqual([]);
  expect(play(stopped.state, [{ type: 'stopped' }]).effects).toEqual([]);
});
