import { describe, expect, test } from 'vitest';
import type { Providers } from '../agents/provider.ts';
import { pauseFor } from '../agents/provider-pause.ts';
import type { Ending } from '../gates/evidence.ts';
import type { AgentFailure, AgentFailureKind } from '../tool-calls/agent-event.ts';
import { aftermathOf, recoveryFrom } from './recovery.ts';

const trouble = (kind: AgentFailureKind, until: string | null = null): AgentFailure => ({
  kind,
  until,
  words: 'said so',
});
const ending = (reason: Ending['reason'], code: number | null = null): Ending => ({
  reason,
  code,
  signal: null,
});
const failed = (kind: AgentFailureKind) =>
  recoveryFrom({ ending: ending('exited', 1), agent: { outcome: 'failed', trouble: trouble(kind) } });

describe('an attempt that did not end well', () => {
  test('goes on in its session, free of charge, when only its host went away', () => {
    for (const reason of ['stopped', 'abandoned', 'lost'] as const)
      expect(recoveryFrom({ ending: ending(reason) })).toMatchObject({ cost: 'free', start: 'session' });
  });

  test('is charged when its supervisor died while the agent was at work, and goes on in its session', () => {
    const lost = (because: NonNullable<Ending['because']>) =>
      recoveryFrom({ ending: { ...ending('lost'), because } }).cost;
    expect(lost({ rule: 'supervisor-died', began: true })).toBe('charged');
    expect(lost({ rule: 'supervisor-died', began: false })).toBe('free');
    expect(lost({ rule: 'supervisor-unable', words: '' })).toBe('charged');
    expect(lost({ rule: 'supervisor-unwatched', words: '' })).toBe('free');
  });

  test('waits for its provider without being charged', () => {
    for (const kind of ['rate-limited', 'needs-login'] as const)
      expect(failed(kind)).toMatchObject({ cost: 'waited-for', start: 'session', trouble: { kind } });
  });

  test('waits for a login that was missing before it began, as for one that was refused', () => {
    const agent = { outcome: null, trouble: trouble('needs-login') };
    expect(recoveryFrom({ ending: ending('launch-failed'), agent })).toEqual(failed('needs-login'));
  });

  test('is charged, and begins with the work alone, when its time was up', () => {
    expect(recoveryFrom({ ending: ending('timed-out') })).toMatchObject({ cost: 'charged', start: 'snapshot' });
  });

  test('begins with nothing after a spiral', () => {
    expect(recoveryFrom({ ending: ending('spiral') })).toMatchObject({ cost: 'charged', start: 'clean' });
  });

  test('that failed by its own last word has its trouble, though it ended with 0', () => {
    const said = { outcome: 'failed', trouble: trouble('rate-limited') } as const;
    expect(recoveryFrom({ ending: ending('exited', 0), agent: said })).toMatchObject({
      cost: 'waited-for',
      trouble: said.trouble,
    });
  });

  test('that was completed and ended with 0 has no trouble to excuse it', () => {
    const said = { outcome: 'completed', trouble: trouble('rate-limited') } as const;
    expect(recoveryFrom({ ending: ending('exited', 0), agent: said })).toMatchObject({
      cost: 'charged',
      trouble: null,
    });
  });
});

describe('a provider', () => {
  const now = '2026-11-15T12:00:00.000Z';
  const pause = (given: AgentFailure, providers: Providers = {}) =>
    pauseFor(providers, { provider: 'anthropic', trouble: given }, now);

  test('that says when it serves again is paused until then', () => {
    const until = '2026-11-15T14:30:00.000Z';
    expect(pause(trouble('rate-limited', until))).toMatchObject({ until, tries: 1 });
  });

  test('that does not say is paused twice as long each time, an hour at most', () => {
    const untils = [0, 1, 2, 10].map((tries) => {
      const before: Providers = { anthropic: { status: 'serving', tries } };
      return (Date.parse(pause(trouble('rate-limited'), before)?.until ?? '') - Date.parse(now)) / 1000;
    });
    expect(untils).toEqual([30, 60, 120, 3600]);
  });

  test('that wants a login waits for a person', () => {
    expect(pause(trouble('needs-login'))).toMatchObject({ until: null });
  });

  test('is not paused twice, nor for an overload', () => {
    const paused: Providers = {
      anthropic: { status: 'paused', tries: 1, until: null, trouble: trouble('needs-login') },
    };
    expect(pause(trouble('rate-limited'), paused)).toBeNull();
    expect(pause(trouble('overloaded'))).toBeNull();
  });
});

describe('why there is another attempt', () => {
  test.each([
    ['timed-out', 'ran-out'],
    ['silent', 'ran-out'],
    ['spiral', 'spiral'],
    ['stopped', 'interrupted'],
    ['lost', 'interrupted'],
    ['launch-failed', 'interrupted'],
    ['exited', 'rejected'],
  ] as const)('%s is %s', (reason, after) => {
    expect(aftermathOf({ ending: ending(reason, 1) })).toBe(after);
  });

  test('a provider that fails interrupts, and a turn limit is time that ran out', () => {
    const following = (kind: AgentFailureKind) =>
      aftermathOf({ ending: ending('exited', 1), agent: { outcome: 'failed', trouble: trouble(kind) } });
    expect([following('rate-limited'), following('turn-limit'), following('other')]).toEqual([
      'interrupted',
      'ran-out',
      'rejected',
    ]);
  });
});
