import { expect, test } from 'vitest';
import {
  attempt,
  attemptEnded,
  commit,
  ended,
  exited,
  hashOf,
  intended,
  log,
  me,
  order,
  plan,
  stateAfter,
  stateAfterMore,
  tree,
} from '../../test/support/plans.ts';
import type { Ending } from '../domain/gates/evidence.ts';
import { viewNameOf } from '../domain/orchestrator/guidance.ts';
import { runSpend } from '../domain/run/costs.ts';
import type { RunState } from '../domain/run/run.ts';
import { createRun } from '../engine/orders/create-run.ts';
import { orchestrator } from './orchestrator.ts';
import { effect, type Step } from './step.ts';
import { steps } from './steps.ts';

const resident = { agent: 'command', command: ['guide'], model: null, text: '', usd: 2, minutes: 60 };
const frozen = plan([{ a: {}, b: {} }], { orchestrator: resident });
const hash = hashOf(frozen);
const inputs = { now: '2026-01-01T00:00:00.000Z', nonce: () => 'n' };
/** The run is approved by its own pipeline. */
const approved = (() => {
  const asked = { ...order(frozen), approves: ['start'] } as const;
  let state = stateAfter(...createRun(asked, me, { earlier: [], actual: asked.repo }));
  for (let next = firstFact(state); next !== undefined; next = firstFact(state))
    state = stateAfterMore(state, ...next.events);
  return stateAfterMore(state, { type: 'run-branch-made', commit: commit('base'), tree: tree('base') });
})();

function firstFact(state: RunState) {
  return steps(state, inputs).find((step) => step.kind === 'fact');
}

const working = stateAfterMore(approved, intended('a'));
const busy: readonly Step[] = [effect('x', { do: 'observe-target' })];
const of = (state: RunState, others = busy) =>
  orchestrator(state, inputs, others).map((step) => (step.kind === 'fact' ? step.events[0]?.type : step.effect.do));
const begun = (state: RunState): RunState => {
  const [step] = orchestrator(state, inputs, busy);
  if (step?.kind !== 'fact') throw new Error('it does not start');
  return stateAfterMore(state, ...step.events);
};
const id = (number: number) => attempt('orchestrator', number);
const over = (state: RunState, ending: Ending, number = 1, chargedSeconds = 60): RunState =>
  stateAfterMore(state, { type: 'orchestrator-ended', attempt: id(number), ending, log, chargedSeconds });

test('it starts when a task runs, within its budget, and only then', () => {
  expect(of(approved)).toEqual([]);
  expect(orchestrator(working, inputs, busy)).toMatchObject([
    {
      events: [
        {
          type: 'orchestrator-intended',
          attempt: id(1),
          number: 1,
          agent: 'command',
          hash,
          usd: 2,
          minutes: 60,
          most: 10,
        },
      ],
    },
  ]);
  const { orchestrator: _, ...none } = frozen;
  expect(of({ ...working, plan: none })).toEqual([]);
  expect(of({ ...working, mode: { mode: 'paused', who: 'ada' } })).toEqual([]);
  expect(of({ ...working, waves: working.waves.map((wave) => ({ ...wave, approval: null })) })).toEqual([]);
});

test('it is supervised while the run has something to do, and ended otherwise', () => {
  const live = begun(working);
  const supervised = ['orchestrate', 'stop-orchestrator'];
  expect(of(live)).toEqual(['orchestrate']);
  expect(of(live, [])).toEqual(supervised);
  expect(of({ ...live, ended: 'landed' })).toEqual(supervised);
  expect(of({ ...live, abandoned: me })).toEqual(supervised);
  expect(of({ ...live, mode: { mode: 'stopped', who: 'ada' } })).toEqual(supervised);
  // another version of the plan has to be approved first
  expect(of({ ...live, hash: hashOf(plan([{ z: {} }])) })).toEqual(supervised);
  const halted = { ...live, mode: { mode: 'halted', because: { rule: 'run-branch-gone' } } } as const;
  expect(of(halted)).toEqual(['orchestrate']);
  expect(of(stateAfterMore(halted, attemptEnded('a')))).toEqual(supervised);
});

test('it is told what changed once it listens', () => {
  const live = stateAfterMore(begun(working), intended('b'));
  expect(of(live)).toEqual(['orchestrate']);
  const listening = stateAfterMore(live, { type: 'orchestrator-started', attempt: id(1), pid: 1 });
  expect(of(listening)).toEqual(['orchestrate', 'tell-orchestrator']);
  const view = viewNameOf(listening);
  expect(of(stateAfterMore(listening, { type: 'orchestrator-told', attempt: id(1), view }))).toEqual(['orchestrate']);
});

test.each<[Ending['reason'], boolean]>([
  ['stopped', true],
  ['lost', true],
  ['abandoned', true],
  ['exited', false],
  ['launch-failed', false],
  ['timed-out', false],
  ['over-budget', false],
  ['spiral', false],
])('after an end by %s it starts again by itself: %s; after `resume` always', (reason, again) => {
  const state = over(begun(working), ended(reason));
  expect(of(state)).toEqual(again ? ['orchestrator-intended'] : []);
  expect(of(stateAfterMore(state, { type: 'run-resumed', by: me }))).toEqual(['orchestrator-intended']);
});

test('its budget is for the whole run, and so is the number of its starts', () => {
  const usage = { turns: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, usd: 1.5 };
  const spent = over(
    stateAfterMore(begun(working), {
      ...{ type: 'orchestrator-noted', attempt: id(1), number: 1, note: { note: 'usage', usage } },
    }),
    ended('stopped'),
    1,
    61,
  );
  expect(runSpend(spent)).toEqual({ used: 1.5, limit: 50 });
  const [step] = orchestrator(spent, inputs, busy);
  expect(step).toMatchObject({ events: [{ number: 2, usd: 0.5, minutes: 58 }] });
  expect(of(over(begun(spent), ended('stopped'), 2, 3_600))).toEqual([]);
  let state = working;
  for (let number = 1; number <= 10; number += 1) state = over(begun(state), ended('lost'), number, 0);
  expect(of(state)).toEqual([]);
});

test('whatever becomes of it, every other step stays the same', () => {
  const others = (state: RunState) =>
    steps(state, inputs)
      .filter((step) => step.kind === 'effect' && !step.effect.do.includes('orchestrat'))
      .map((step) => step.kind === 'effect' && step.key);
  const live = begun(working);
  const states = [live, over(live, exited(1)), over(live, ended('launch-failed')), over(live, ended('over-budget'))];
  for (const state of states) expect(others(state)).toEqual(others(working));
});
