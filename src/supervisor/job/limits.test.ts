import { describe, expect, test } from 'vitest';
import { chargeTime, exceeded, type LimitState, nextLook, startLimits } from './run-fenced.ts';

const limits = { minutes: 10, silence: 5 };
const second = 1000;
const minute = 60 * second;

/** A clock that a test sets, and a run that looks at it. */
function running() {
  const time = { monotonic: 1_000, wall: 1_000_000 };
  const clock = { monotonic: () => time.monotonic, wall: () => time.wall };
  let state: LimitState = startLimits(clock);
  return {
    time,
    state: () => state,
    over: () => exceeded(state, limits),
    /** Lives through `ms` of real time, looking once a second. */
    pass(ms: number, isActive = false) {
      for (let left = ms; left > 0; left -= second) {
        time.monotonic += second;
        time.wall += second;
        state = chargeTime(state, clock, isActive);
      }
    },
    jump(monotonic: number, wall: number) {
      time.monotonic += monotonic;
      time.wall += wall;
      state = chargeTime(state, clock, false);
    },
  };
}

describe('limits', () => {
  test('charge the time that passed and end the attempt at the limit', () => {
    const run = running();
    run.pass(10 * minute - second, true);
    expect(run.over()).toBeNull();
    run.pass(second, true);
    expect(run.over()).toEqual({ reason: 'timed-out', because: { rule: 'time-limit', minutes: 10 } });
  });
  test('end a silent attempt, and output starts the silence anew', () => {
    const run = running();
    run.pass(4 * minute);
    run.pass(second, true);
    run.pass(5 * minute - second);
    expect(run.over()).toBeNull();
    run.pass(second);
    expect(run.over()).toEqual({ reason: 'silent', because: { rule: 'silence-limit', minutes: 5 } });
  });
  test('do not charge a host that slept: the wall clock ran ahead', () => {
    const run = running();
    run.pass(2 * minute);
    run.jump(second, 8 * 60 * minute);
    expect(run.state()).toMatchObject({
      chargedMs: 2 * minute + second,
      silentMs: 0,
      sleptMs: 8 * 60 * minute - second,
    });
    expect(run.over()).toBeNull();
  });
  test('do not charge a pause in which we did not run, also when both clocks went on', () => {
    const run = running();
    run.jump(60 * minute, 60 * minute);
    expect(run.over()).toBeNull();
    expect(run.state().chargedMs).toBe(15 * second);
  });
  test('are not moved by a wall clock that people set: plus an hour, minus a day, frozen', () => {
    for (const wall of [60 * minute, -24 * 60 * minute, 0]) {
      const run = running();
      run.jump(second, wall);
      expect(run.over()).toBeNull();
      expect(run.state().chargedMs).toBe(second);
    }
  });
  test('are looked at once a second, and at the limit itself', () => {
    const run = running();
    expect(nextLook(run.state(), limits)).toBe(second);
    expect(nextLook(run.state(), { minutes: 0.001, silence: 5 })).toBe(60);
  });
});
