import { expect, test } from 'vitest';
import { approved, begun, by, ended, held, hello, run, started } from '../../../test/support/run-events.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { foldRun } from '../../domain/run/run.ts';
import { keepingOf, keepingOfLfs } from './disk-keeper.ts';

const stateAfter = (...events: RunEvent[]) => foldRun(events.map((event, at) => ({ seq: at + 1, event })));
const working = [...begun(), ...approved, ...started];
const job = `${run}.hello.1`;
const generate = `${run}.generate.0.1.1`;
const check = `${run}.check.${'e'.repeat(16)}.0.1`;

test.each([
  ['at work', working, job, true],
  ['held', [...working, ended, ...held], job, true],
  ['dropped by name', [...working, ended, ...held, { type: 'task-dropped', task: hello, by } as RunEvent], job, false],
  ['of no known run', working, 'other-abcd.hello.1', true],
  ['of no known task', working, `${run}.other.1`, true],
  ['a check of an open run', working, check, true],
  ['a check of an ended run', [...working, { type: 'run-ended', outcome: 'done' } as RunEvent], check, false],
  ['of generated files of an open run', working, generate, true],
  [
    'of generated files of an ended run',
    [...working, { type: 'run-ended', outcome: 'done' } as RunEvent],
    generate,
    false,
  ],
])('a workspace %s is kept: %#', (_, events, id, keep) => {
  expect(keepingOf(id, [stateAfter(...events)]).keep).toBe(keep);
});

const dropped = [...working, ended, ...held, { type: 'task-dropped', task: hello, by } as RunEvent];
const over = { type: 'run-ended', outcome: 'done' } as RunEvent;
test.each([
  ['there never was a run', [], false],
  ['all work of ended runs is dropped or landed', [[...dropped, over]], false],
  ['a run is open', [dropped], true],
  ['a run ended with work that nobody dropped', [[...working, ended, ...held, over]], true],
  ['one of two runs is open', [[...dropped, over], working], true],
])('when %s, LFS objects are kept: %#', (_, runs, keep) => {
  expect(keepingOfLfs([null, ...runs.map((events) => stateAfter(...events))]).keep).toBe(keep);
});
