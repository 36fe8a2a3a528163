import { describe, expect, test } from 'vitest';
import {
  commit,
  created,
  hashOf,
  idOf,
  log,
  me,
  order,
  type PlanSketch,
  plan,
  stateAfter,
  type TaskSketch,
  tree,
} from '../../test/support/plans.ts';
import { runId, type TaskId } from '../domain/base/ids.ts';
import { runResumed } from '../domain/decide/answer.ts';
import type { CheckOutcome } from '../domain/gates/evidence.ts';
import { judged } from '../domain/gates/judge.ts';
import type { Shortage } from '../domain/kept/disk.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import { createRun } from '../engine/orders/create-run.ts';
import type { Effect, StepInputs } from './step.ts';
import { steps } from './steps.ts';

const noon = '2026-01-01T12:00:00.000Z';
const given = (now = noon): StepInputs => ({ now, nonce: () => 'nonce' });
const test1 = { name: 'test', run: 'npm test', minutes: 1 };

type Waves = readonly Readonly<Record<string, TaskSketch>>[];
/** A run as it is made, with whatever facts follow from it by themselves. */
function run(waves: Waves, sketch: PlanSketch = {}, wave: number | null = null) {
  const asked = order(plan(waves, sketch), wave);
  const seen = { earlier: [], actual: asked.repo };
  return scene(stateAfter(...createRun(asked, me, seen)), []);
}

function scene(state: RunState, past: readonly RunEvent[], now = noon): Scene {
  const found = steps(state, given(now)).find((step) => step.kind === 'fact');
  if (found?.kind === 'fact' && past.length < 200)
    return scene(found.events.reduce(evolve, state), [...past, ...found.events], now);
  return {
    state,
    facts: past,
    effects: steps(state, given(now)).flatMap((step) => (step.kind === 'effect' ? [step.effect] : [])),
    next: (...events) => scene(events.reduce(evolve, state), [], now),
    at: (later) => scene(state, [], later),
  };
}
type Scene = {
  readonly state: RunState;
  readonly facts: readonly RunEvent[];
  readonly effects: readonly Effect[];
  next(...events: RunEvent[]): Scene;
  at(now: string): Scene;
};
const evolve = (state: RunState, event: RunEvent): RunState => {
  const next = evolveRun(state, { seq: 0, event });
  if (next === null) throw new Error('no run');
  return next;
};
const types = (scene: Scene): readonly string[] =>
  scene.facts.map((event) => (event.type === 'phase-judged' ? event.phase : event.type));
const doing = (scene: Scene): readonly string[] =>
  scene.effects.map((effect) => (effect.do === 'ask-merger' ? effect.request.do : effect.do));
const approved = ({ state }: Scene): RunEvent => ({
  type: 'tap-decided',
  tap: 'start',
  decision: 'approved',
  hash: state.hash,
  by: me,
});
const branch: RunEvent = { type: 'run-branch-made', commit: commit('base'), tree: tree('base') };
const based = (id: string): RunEvent => ({
  type: 'task-base-made',
  task: idOf(id),
  commit: commit('base'),
  tree: tree('base'),
});
const checked = (outcome: CheckOutcome['outcome'], name = 'test', on = 'base'): RunEvent => ({
  type: 'check-ended',
  purpose: 'base',
  check: { name, tree: tree(on), outcome, code: 0, log, tail: '' },
});
/** Approved, with its branch. */
const begun = (waves: Waves, sketch: PlanSketch = {}): Scene => {
  const fresh = run(waves, sketch);
  return fresh.next(approved(fresh), branch);
};

describe('before a person says yes', () => {
  test('every wave is checked and the tap is opened; nothing else happens', () => {
    const fresh = run([{ a: {} }, { b: {} }]);
    expect(types(fresh)).toEqual([
      'thread',
      'thread',
      'preflight',
      'preflight',
      'ownership',
      'ownership',
      'tap-opened',
    ]);
    expect(fresh.effects).toEqual([]);
  });

  test('a plan whose ownership conflicts ends without asking anybody', () => {
    const fresh = run([{ a: { owns: ['x/**'] }, b: { owns: ['x/y'] } }]);
    expect(fresh.state.ended).toBe('failed');
    expect(types(fresh)).not.toContain('tap-opened');
  });

  test('time that runs out is a no', () => {
    const late = run([{ a: {} }]).at('2026-01-02T12:00:00.000Z');
    expect(late.facts).toMatchObject([
      { type: 'tap-decided', decision: 'expired' },
      { type: 'phase-judged', phase: 'approval', verdicts: [{ outcome: 'fail' }] },
      { type: 'run-ended', outcome: 'rejected' },
    ]);
  });

  test('a hold keeps waiting', () => {
    const fresh = run([{ a: {} }]);
    const held = fresh.next({ type: 'tap-decided', tap: 'start', decision: 'held', hash: fresh.state.hash, by: me });
    expect([held.facts, held.effects]).toEqual([[], []]);
  });

  test('an approval of another plan hash ends the run', () => {
    const fresh = run([{ a: {} }]);
    const other = hashOf(plan([{ z: {} }]));
    expect(
      fresh.next({ type: 'tap-decided', tap: 'start', decision: 'approved', hash: other, by: me }).state.ended,
    ).toBe('rejected');
  });

  test('with a tap per wave only the current one is asked for', () => {
    const fresh = run([{ a: {} }, { b: {} }], { taps: { start: 'wave' } });
    expect(Object.keys(fresh.state.taps)).toEqual(['start-0']);
  });
});

describe('after the yes', () => {
  test('the run branch is made first', () => {
    const fresh = run([{ a: {} }]);
    expect(doing(fresh.next(approved(fresh)))).toEqual(['open-run']);
  });

  test('checks run on the base before any task, and a red base ends the run', () => {
    const begins = begun([{ a: {} }], { checks: [test1] });
    expect(doing(begins)).toEqual(['check']);
    expect(begins.next(checked('failed')).state.ended).toBe('failed');
    expect(doing(begins.next(checked('passed')))).toEqual(['make-task-base']);
  });

  test('a check that could not run halts the run once, and resume tries it again', () => {
    const halted = begun([{ a: {} }], { checks: [test1] }).next(checked('could-not-run'));
    expect(types(halted)).toEqual(['run-halted']);
    expect(halted.state.ended).toBeNull();
    expect(doing(halted.next(runResumed(halted.state, me)))).toEqual(['check']);
  });

  test('tasks are launched one by one, recorded before they are, at most as many as may run', () => {
    const begins = begun([{ a: {}, b: {}, c: {} }], { limits: { parallel: 2 } });
    expect(doing(begins)).toEqual(['make-task-base', 'make-task-base']);
    const running = begins.next(based('a'), based('b'), based('c'));
    expect(types(running)).toEqual(['attempt-intended', 'attempt-intended']);
    expect(doing(running)).toEqual(['supervise', 'supervise']);
  });

  test('no more of one agent than the plan allows are launched, and others are', () => {
    const claude = { agent: ['claude'] };
    const waves = [{ a: claude, b: claude, c: { agent: ['codex'] }, d: {} }];
    const begins = begun(waves, { limits: { agents: { claude: 1 } } });
    const running = begins.next(...['a', 'b', 'c', 'd'].map(based));
    const agents = running.facts.flatMap((event) =>
      event.type === 'attempt-intended' ? [event.agent ?? 'command'] : [],
    );
    expect(agents.toSorted()).toEqual(['claude', 'codex', 'command']);
  });

  test('nothing starts with a provider that is paused, until its time has come', () => {
    const claude = { agent: ['claude'] };
    const trouble = { kind: 'rate-limited', until: null, words: '' } as const;
    const until = '2026-01-01T12:30:00.000Z';
    const paused = begun([{ a: claude, b: {} }]).next(
      { type: 'provider-paused', provider: 'anthropic', until, trouble, tries: 1 },
      based('a'),
      based('b'),
    );
    expect(types(paused)).toEqual(['attempt-intended']);
    expect(types(paused.at(until))).toEqual(['provider-resumed', 'attempt-intended']);
  });

  test('a pause taken over from another run lasts as long as that run has it, and where nobody knows', () => {
    const other = runId('other-cd34');
    const trouble = { kind: 'needs-login', until: null, words: '' } as const;
    const pause = { provider: 'anthropic', until: null, trouble, tries: 1, of: other };
    const { state } = begun([{ a: { agent: ['claude'] } }]).next({ type: 'provider-paused', ...pause });
    const factsWith = (more: Partial<StepInputs>) =>
      steps(state, { ...given(), ...more }).flatMap((step) => (step.kind === 'fact' ? step.events : []));
    expect(factsWith({})).toEqual([]);
    expect(factsWith({ pausedElsewhere: () => [pause] })).toEqual([]);
    expect(factsWith({ pausedElsewhere: () => [] })).toEqual([{ type: 'provider-resumed', provider: 'anthropic' }]);
  });

  test('tasks that share a path run one after the other', () => {
    const begins = begun([{ a: { shares: ['s'] }, b: { shares: ['s'] } }]).next(based('a'), based('b'));
    expect(types(begins)).toEqual(['attempt-intended']);
  });

  test('pause starts nothing new and lets go of nothing', () => {
    const running = begun([{ a: {}, b: {} }]).next(based('a'));
    const paused = running.next({ type: 'run-paused', by: me }, based('b'));
    expect(types(paused)).toEqual([]);
    expect(doing(paused)).toEqual(['supervise']);
  });

  test('stop ends what runs', () => {
    const stopped = begun([{ a: {} }])
      .next(based('a'))
      .next({ type: 'run-stopped', by: me });
    expect(doing(stopped)).toEqual(['supervise', 'stop']);
  });

  test('a task that a person drops while it runs is stopped first', () => {
    const running = begun([{ a: {} }]).next(based('a'));
    const state = evolveRun(running.state, {
      seq: 99,
      event: { type: 'requested-drop', task: idOf('a'), paths: [], by: me },
    });
    expect(state === null ? [] : doing(scene(state, []))).toEqual(['supervise', 'stop']);
  });
});

describe('at the end', () => {
  const dropped = (id: string): RunEvent => ({ type: 'task-dropped', task: idOf(id), by: me });
  test('a run with nothing to land is done', () => {
    expect(begun([{ a: {} }]).next(dropped('a')).state.ended).toBe('done');
  });

  test('a wave closes when each of its tasks is resolved, and not before', () => {
    const begins = begun([{ a: {}, b: {} }]);
    expect(types(begins.next(dropped('a')))).not.toContain('wave-closed');
    expect(types(begins.next(dropped('a'), dropped('b')))).toContain('wave-closed');
  });

  test('an ended run asks for nothing more', () => {
    const ended = begun([{ a: {} }]).next(dropped('a'));
    expect([ended.next().facts, ended.effects]).toEqual([[], []]);
  });

  test('a yes to land a run that merged nothing ends it once', () => {
    const early: RunEvent[] = [
      { type: 'tap-opened', tap: 'land', hash: hashOf(plan([{ a: {} }])), expires: null },
      { type: 'tap-decided', tap: 'land', decision: 'approved', hash: hashOf(plan([{ a: {} }])), by: me },
    ];
    const ended = begun([{ a: {} }])
      .next(...early)
      .next(dropped('a'));
    expect(types(ended).filter((type) => type === 'run-ended')).toEqual(['run-ended']);
  });
});

describe('under a new version of the plan', () => {
  const at = { wave: 0, round: 1 } as const;
  const moved = { ...at, old: commit('base'), new: commit('next') } as const;
  const step = { task: idOf('a'), commit: commit('next'), tree: tree('next') };
  const closure = { round: 1, base: moved.old, candidate: moved.new, tree: tree('next'), tasks: [], checks: [] };
  const seen = { round: 1, old: moved.old, new: moved.new, observed: moved.new, proof: 'f' };
  /** A round of wave 0 is merged. */
  const merged = (from: Scene): Scene => {
    const context = { plan: from.state.plan, hash: from.state.hash, granted: [] };
    return from.next(
      { type: 'round-opened', ...at, base: moved.old, tasks: [] },
      { type: 'candidate-built', ...at, base: moved.old, steps: [step], conflicts: [] },
      judged(context, { phase: 'closure', wave: 0, evidence: closure }),
      { type: 'merge-intended', ...moved },
      { type: 'merged', ...moved, tasks: [] },
      judged(context, { phase: 'merge', wave: 0, evidence: seen }),
    );
  };
  const replaced = (waves: Waves, sketch: PlanSketch = {}, keeps: readonly TaskId[] = []): RunEvent => {
    const next = plan(waves, sketch);
    return { type: 'plan-replaced', plan: next, hash: hashOf(next), keeps, threads: [], by: me };
  };

  test('its phases are judged again and somebody is asked, before anything starts', () => {
    const again = merged(begun([{ a: {}, b: {} }])).next(replaced([{ a: {}, b: {}, c: {} }]));
    expect(types(again)).toEqual(['thread', 'preflight', 'ownership', 'tap-opened']);
    expect(again.effects).toEqual([]);
    expect(doing(again.next(approved(again)))).toContain('make-task-base');
  });

  test('a check that fails on what is merged halts the run, and resume tries it again', () => {
    const again = merged(begun([{ a: {}, b: {} }])).next(replaced([{ a: {}, b: {} }], { checks: [test1] }));
    const red = again.next(approved(again)).next(checked('failed', 'test', 'next'));
    expect([types(red), red.state.ended]).toEqual([['run-halted'], null]);
    expect(doing(red.next(runResumed(red.state, me)))).toEqual(['check']);
  });

  test('no branch moves, and no wave closes, before it is approved', () => {
    const dropped = (id: string): RunEvent => ({ type: 'task-dropped', task: idOf(id), by: me });
    const closed = merged(begun([{ a: {} }, { b: {} }])).next(dropped('a'));
    expect(closed.state.waves.map((wave) => wave.closed)).toEqual([true, false]);
    const again = closed.next(dropped('b'), replaced([{ a: {} }, { b: {} }], { land: 'wave' }, [idOf('a'), idOf('b')]));
    expect([again.state.waves.map((wave) => wave.closed), again.effects]).toEqual([[true, false], []]);
    const lands = again.next(approved(again));
    expect([lands.state.waves.map((wave) => wave.closed), doing(lands)]).toEqual([[true, true], ['observe-target']]);
  });
});

test('a refused contract ends the run where it is made', () => {
  const asked = order(plan([{ a: {} }, { b: {} }]), 1);
  const events = createRun(asked, me, { earlier: [], actual: asked.repo });
  expect(events.at(-1)).toEqual({ type: 'run-ended', outcome: 'failed' });
  expect(createRun(order(plan([{ a: {} }])), me, { earlier: [], actual: asked.repo })[0]).toEqual(
    created(plan([{ a: {} }])),
  );
});

describe('without room on the disk', () => {
  const shortage = { because: { rule: 'disk-short', free: 1, least: 2 } } as const;
  const factsOf = (state: RunState, short: Shortage | null) =>
    steps(state, { ...given(), shortage: short }).flatMap((step) => (step.kind === 'fact' ? step.events : []));

  test('a run that could start a task says so once, starts nothing, and goes on when there is room', () => {
    const { state } = begun([{ a: {} }]);
    expect(factsOf(state, shortage)).toEqual([{ type: 'starts-suspended', ...shortage }]);
    const suspended = evolve(state, { type: 'starts-suspended', ...shortage });
    expect(steps(suspended, { ...given(), shortage })).toEqual([]);
    const less = { because: { ...shortage.because, free: 0 } };
    expect(steps(suspended, { ...given(), shortage: less })).toEqual([]);
    const largest = { run: suspended.run, task: idOf('a'), path: 'big.bin', bytes: 1 };
    const blamed = { because: { ...shortage.because, largest } };
    expect(factsOf(suspended, blamed)).toEqual([{ type: 'starts-suspended', ...blamed }]);
    expect(factsOf(suspended, null)).toEqual([{ type: 'starts-allowed' }]);
    expect(evolve(suspended, { type: 'starts-allowed' })).toEqual(state);
  });

  test('a run that has nothing to start does not care', () => {
    const fresh = run([{ a: {} }]).state;
    expect(factsOf(fresh, shortage)).toEqual([]);
    const paused = begun([{ a: {} }]).next({ type: 'run-paused', by: me }).state;
    expect(factsOf(paused, shortage)).toEqual([]);
    const suspended = evolve(paused, { type: 'starts-suspended', ...shortage });
    expect(factsOf(suspended, shortage)).toEqual([{ type: 'starts-allowed' }]);
  });
});
