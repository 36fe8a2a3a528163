import { expect, test } from 'vitest';
import {
  attempt,
  attemptEnded,
  created,
  dispatchEvidence,
  handoff,
  hashOf,
  idOf,
  intended,
  nonceOf,
  plan,
  snapshot,
  stateAfter,
} from '../../../test/support/plans.ts';
import { standings } from '../../../test/support/standings.ts';
import { monitor } from '../../pipeline/monitor.ts';
import type { Ending, HandoffEvidence, SnapshotEvidence } from '../gates/evidence.ts';
import { judged } from '../gates/judge.ts';
import type { RunState } from '../run/run.ts';
import { evolveRun } from '../run/run.ts';
import { needsOf } from './needs.ts';

/** Advice never throws work away (F15): where a task left work, the first command that is proposed keeps it. */

const keepsWork = /^tidegate (rework|accept|edit|grant|raise|resume|land) |^tidegate drop \S+ \S/;

test('F15: whatever holds or failed a task, the command to type keeps its work', () => {
  const about = Object.entries(standings()).filter(([name]) =>
    /^(task: (held|failed)|need: (held|failed)|held by: .*|gate: .*)$/.test(name),
  );
  expect(about.length).toBeGreaterThan(14);
  expect(about.filter(([, { command }]) => !keepsWork.test(command)).map(([name]) => name)).toEqual([]);
});

const endings: Readonly<Record<Ending['reason'], Ending>> = {
  exited: { reason: 'exited', code: 0, signal: null },
  lost: { reason: 'lost', code: null, signal: null },
  'launch-failed': { reason: 'launch-failed', code: null, signal: null },
  'timed-out': { reason: 'timed-out', code: null, signal: null },
  silent: { reason: 'silent', code: null, signal: null },
  stopped: { reason: 'stopped', code: null, signal: null },
  abandoned: { reason: 'abandoned', code: null, signal: null },
  'setup-failed': { reason: 'setup-failed', code: null, signal: null },
  spiral: { reason: 'spiral', code: null, signal: null },
  'over-budget': { reason: 'over-budget', code: null, signal: null },
};
const handoffs: Readonly<Record<string, HandoffEvidence>> = {
  partial: handoff(nonceOf('a', 1), { status: 'partial', summary: 'half', remaining: ['the rest'] }),
  failed: handoff(nonceOf('a', 1), { status: 'failed', summary: 'impossible' }),
  stale: handoff('another'),
  absent: { kind: 'absent' },
  invalid: { kind: 'invalid', because: { rule: 'handoff-present' } },
};

const frozen = plan([{ a: {} }], { limits: { attempts: 1 } });

/** Task a after an attempt without any other to come. */
function leftBy(ending: Ending, left: HandoffEvidence, made: SnapshotEvidence | null): RunState {
  const evidence = dispatchEvidence(attempt('a', 1));
  const state = stateAfter(
    created(frozen),
    intended('a'),
    judged({ plan: frozen, hash: hashOf(frozen), granted: [] }, { phase: 'dispatch', task: idOf('a'), evidence }),
    attemptEnded('a', { ending, handoff: left, snapshot: made }),
  );
  const [step] = monitor(state);
  if (step?.kind !== 'fact') throw new Error('not judged');
  return step.events.reduce<RunState>((one, event) => evolveRun(one, { seq: 0, event }) ?? one, state);
}

test.each(Object.keys(handoffs))(
  'F15: a task that failed with a handoff that is %s is gone on with, or accepted',
  (kind) => {
    for (const ending of Object.values(endings)) {
      const needs = needsOf(leftBy(ending, handoffs[kind] as HandoffEvidence, snapshot('a')));
      for (const { kind: need, command, lines = [] } of needs.filter((one) => one.kind === 'failed')) {
        expect([ending.reason, need, command]).toEqual([ending.reason, 'failed', expect.stringMatching(keepsWork)]);
        expect(lines.some((line) => line.endsWith('tidegate accept demo-ab12/a'))).toBe(true);
      }
    }
  },
);

test('a task that left no work begins again', () => {
  const exited = endings.exited;
  for (const made of [null, { ...snapshot('a'), diff: [] }])
    expect(needsOf(leftBy(exited, { kind: 'absent' }, made)).map(({ command }) => command)).toEqual([
      'tidegate retry demo-ab12/a',
    ]);
});
