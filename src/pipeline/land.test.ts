import { describe, expect, test } from 'vitest';
import { commit, tree } from '../../test/support/plans.ts';
import { approved, begun, by, hash, hello, run } from '../../test/support/run-events.ts';
import type { LandingState } from '../domain/landing/landing.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { evolveRun, foldRun, type RunMode, type RunState } from '../domain/run/run.ts';
import type { Step } from './step.ts';
import { steps } from './steps.ts';

const fresh = foldRun([...begun(), ...approved].map((event, at) => ({ seq: at + 1, event })));
const [wave] = fresh?.waves ?? [];
if (fresh === null || wave === undefined) throw new Error('no run');

const tip = { commit: commit('next'), tree: tree('next') };
const merged = { status: 'merged', closed: [], old: commit('base'), new: tip.commit, judged: true } as const;
const round = { round: 1, base: commit('base'), tasks: [], steps: [{ task: hello, ...tip }], tip, ...merged };
/** All its waves are closed, and something is merged. */
const closed: RunState = { ...fresh, waves: [{ ...wave, closed: true, rounds: [round] }] };
const because = { rule: 'git-missing' } as const;
const modes: Record<RunMode['mode'], RunMode> = {
  active: { mode: 'active' },
  paused: { mode: 'paused', who: 'ada' },
  stopped: { mode: 'stopped', who: 'ada' },
  halted: { mode: 'halted', because },
};
const yes = { land: { status: 'approved', hash, by } } as const;
const no = { land: { status: 'rejected', hash, by } } as const;

const following = (change: Partial<RunState>): readonly Step[] =>
  steps({ ...closed, ...change }, { now: '2026-01-01T12:00:00.000Z', nonce: () => 'n' });
const names = (change: Partial<RunState>): readonly string[] =>
  following(change).flatMap((step) => (step.kind === 'effect' ? [step.key] : step.events.map(({ type }) => type)));

describe('a move of the branch that has begun', () => {
  const intended: LandingState = {
    status: 'intended',
    branch: 'main',
    old: commit('base'),
    new: commit('next'),
    moves: 0,
  };
  const offering: LandingState = {
    status: 'offering',
    branch: `tidegate/${run}`,
    new: commit('next'),
    pushed: null,
    opener: null,
  };

  test.each(['active', 'paused', 'stopped'] as const)('is brought to its end while the run is %s', (mode) => {
    expect(names({ landing: intended, taps: yes, mode: modes[mode] })).toEqual(['land']);
    expect(names({ landing: offering, plan: { ...closed.plan, land: 'pr' }, mode: modes[mode] })).toEqual(['land']);
  });

  test('is brought to its end before a run that was abandoned ends', () => {
    expect(names({ landing: intended, taps: yes, abandoned: by })).toEqual(['land']);
    expect(names({ landing: offering, plan: { ...closed.plan, land: 'pr' }, abandoned: by })).toEqual(['land']);
    expect(names({ landing: { status: 'queued', seq: 9 }, taps: yes, abandoned: by })).toEqual(['run-ended']);
  });

  test('is not begun while the run is paused, stopped or halted', () => {
    for (const mode of ['paused', 'stopped', 'halted'] as const)
      expect(names({ landing: { status: 'queued', seq: 9 }, taps: yes, mode: modes[mode] })).toEqual([]);
  });
});

describe('the landing question', () => {
  test.each(Object.keys(modes) as (keyof typeof modes)[])('a no ends a run that is %s', (mode) => {
    expect(following({ taps: no, mode: modes[mode] })).toEqual([
      { kind: 'fact', events: [{ type: 'run-ended', outcome: 'done' }] },
    ]);
  });

  test('a no to the landing of one wave does not end a run whose other waves are open', () => {
    const open = { ...wave, index: 1, rounds: [], closed: false };
    const waves = [{ ...wave, closed: true, rounds: [round] }, open];
    expect(names({ plan: { ...closed.plan, land: 'wave' }, waves, taps: no })).not.toContain('run-ended');
  });

  test.each(['active', 'stopped'] as const)('is asked again after a refusal while the run is %s', (mode) => {
    expect(names({ landing: { status: 'refused', because }, taps: yes, mode: modes[mode] })).toEqual(['tap-opened']);
  });
});

test('a run that ended while it was stopped lands late when a person asks', () => {
  expect(names({ ended: 'done', taps: yes, mode: modes.stopped })).toEqual(['landing-queued']);
});

test('a check of a late landing that could not run halts a run that ended while it was stopped', () => {
  const check = { name: 'test', run: 'npm test', minutes: 1 };
  const plan = { ...closed.plan, checks: [check] };
  const rebuilt = { onto: commit('other'), ...tip, conflicts: [] };
  const landing: LandingState = { status: 'observed', tip: rebuilt.onto, rebuilt, moves: 0 };
  const failed: RunEvent = {
    type: 'check-ended',
    purpose: 'land',
    check: {
      name: 'test',
      tree: tip.tree,
      outcome: 'could-not-run',
      code: null,
      log: { file: 'l', bytes: 0, kept: 0, sha256: '' },
      tail: '',
    },
  };
  const state = { ...closed, plan, landing, ended: 'done', taps: yes, mode: modes.stopped } as const;
  expect(names(evolveRun(state, { seq: 9, event: failed }) ?? {})).toEqual(['run-halted']);
});

test('a wave whose work landed along with the one before, or that left none, is not landed again', () => {
  const landing: LandingState = { status: 'landed', branch: 'main', old: commit('base'), new: tip.commit };
  const open = { ...wave, index: 1, rounds: [], closed: false };
  const waves = [{ ...wave, closed: true, rounds: [round] }, open];
  const plan = { ...closed.plan, land: 'wave' } as const;
  const task = closed.tasks[hello];
  if (task === undefined) throw new Error('no task');
  const progress = { status: 'merged', commit: tip.commit } as (typeof task)['progress'];
  const tasks = { [hello]: { ...task, progress } };
  const landed = { ...closed.undo, status: 'landed', landed: [hello] } as const;
  const closing = (undo: RunState['undo']) =>
    evolveRun({ ...closed, plan, waves, tasks, landing, undo }, { seq: 9, event: { type: 'wave-closed', wave: 1 } });
  expect(following(closing(landed) ?? {})).toEqual([
    { kind: 'fact', events: [{ type: 'run-ended', outcome: 'landed' }] },
  ]);
  expect(names(closing({ ...landed, landed: [] }) ?? {})).toEqual(['landing-queued']);
});
