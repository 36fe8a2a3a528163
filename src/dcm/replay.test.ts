import { describe, expect, test } from 'vitest';
import { decisionVersions } from '../domain/gates/versions.ts';
import type { DcmEvent } from '../domain/ledger/dcm-events.ts';
import type { DcmCommand } from './decide.ts';
import { decideDcm } from './decide.ts';
import { replayDcmSession } from './replay.ts';
import { foldDcmSession } from './session.ts';

const by = { who: 'Ada', via: 'api' } as const;
const create = (wave: number): DcmCommand => ({ type: 'create-wave', wave, name: null, description: null });
const start = (wave: number): DcmCommand => ({ type: 'start-wave', wave });
const stored = (events: readonly DcmEvent[]) => events.map((event, at) => ({ seq: at + 1, at: '', event }));
const foldOf = (events: readonly DcmEvent[]) => foldDcmSession('s', stored(events));

/** The facts of commands that were asked for one after the other. */
function factsOf(...commands: readonly DcmCommand[]): readonly DcmEvent[] {
  const past: DcmEvent[] = [];
  for (const command of commands) {
    const decided = decideDcm(foldOf(past), { command, by });
    if (decided.ok) past.push(...decided.value);
  }
  return past;
}
const byRules = (version: number, events: readonly DcmEvent[]) => events.map((event) => ({ ...event, version }));

describe('a replay', () => {
  const other = decisionVersions.session + 1;
  const facts = factsOf(create(0), create(1), start(0), start(1));

  test('decides again what the rules of today decided', () => {
    expect(replayDcmSession('s', stored(facts))).toEqual({
      ...{ session: foldOf(facts), decided: facts.length, earlier: [], differences: [] },
    });
  });

  test('takes what other rules decided as it is: it is counted, and no difference', () => {
    // Rules of today would not start wave 1 before wave 0.
    const odd = byRules(other, [...facts.slice(0, 2), ...factsOf(create(1), start(1)).slice(1)]);
    expect(replayDcmSession('s', stored(odd))).toEqual({
      ...{
        session: foldOf(odd),
        decided: 0,
        earlier: odd.map((_, at) => ({ seq: at + 1, rules: 'session', version: other })),
        differences: [],
      },
    });
    const now = byRules(decisionVersions.session, odd);
    expect(replayDcmSession('s', stored(now)).differences.map(({ seq }) => seq)).toEqual([3]);
  });

  test('goes on from what other rules decided', () => {
    const mixed = [...byRules(other, facts.slice(0, 2)), ...facts.slice(2)];
    expect(replayDcmSession('s', stored(mixed))).toMatchObject({
      decided: facts.length - 2,
      earlier: [{ seq: 1 }, { seq: 2 }],
      differences: [],
    });
    const [first, second, ...rest] = mixed;
    if (first === undefined || second === undefined) throw new Error('there are four commands');
    // Without wave 0 the start of it follows from nothing, and that is a fact of today.
    expect(replayDcmSession('s', stored([second, ...rest])).differences[0]?.seq).toBe(2);
  });
});
