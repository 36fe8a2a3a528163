import { beforeAll, describe, expect, test } from 'vitest';
import { chain, draft, storedOf } from '../../src/adapters/ledger/chain.ts';
import { attemptId, taskId, treeId } from '../../src/domain/base/ids.ts';
import type { CheckOutcome } from '../../src/domain/gates/evidence.ts';
import { inconclusive } from '../../src/domain/gates/make-verdict.ts';
import { genesis } from '../../src/domain/ledger/chain.ts';
import type { LedgerEvent, RunEvent } from '../../src/domain/ledger/events.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { type Simulation, simulate } from '../simulation/simulate.ts';
import { checkHistory, type Violation, type World } from './checker.ts';
import { naiveMatch } from './naive-match.ts';
import { log, me, theRun } from './plans.ts';

/** A good history, broken in one way at a time: the checker must name the invariant, and nothing else. */

let good: Simulation;
let world: World;
beforeAll(async () => {
  good = await simulate(landingSeed, { misfortunes: 0, whims: 0, crashes: 0 });
  world = { git: { refs: good.git.refs(), commit: (id) => good.git.find(id) }, processes: good.living };
});
/** Plays a plan with checks that merges several tasks and lands them. */
const landingSeed = 6;

type Ended = Extract<LedgerEvent, { type: 'attempt-ended' }>;
type Change = (event: LedgerEvent, record: Stored) => readonly LedgerEvent[];
const none: readonly LedgerEvent[] = [];

/** The same ledger with some events changed, and a chain that fits again. */
function changed(change: Change, epoch: (record: Stored) => number = (record) => record.epoch): readonly Stored[] {
  const positions = new Map<string, number>();
  let tip = genesis;
  return good.stored.flatMap((record) => {
    const { stream, at } = record;
    const position = positions.get(stream) ?? 0;
    const links = chain(draft(stream, change(record.event, record)), { tip, position }, { epoch: epoch(record), at });
    positions.set(stream, position + links.length);
    tip = links.at(-1) ?? tip;
    return links.map(storedOf);
  });
}

const broken = (change: Change, seen: World = world): readonly Violation['invariant'][] => [
  ...new Set(checkHistory(changed(change), seen).map(({ invariant }) => invariant)),
];

/** Changes the events of one type; the rest stays. */
function alter<T extends LedgerEvent['type']>(
  type: T,
  how: (event: Extract<LedgerEvent, { type: T }>) => readonly LedgerEvent[],
): Change {
  return (event) => (event.type === type ? how(event as Extract<LedgerEvent, { type: T }>) : [event]);
}

test('a good history satisfies it, and holds what the other tests break', () => {
  expect(checkHistory(good.stored, world)).toEqual([]);
  expect(
    checkHistory(
      changed((event) => [event]),
      world,
    ),
  ).toEqual([]);
  const types = new Set(good.stored.map(({ event }) => event.type));
  for (const type of ['merged', 'landed', 'wave-closed', 'attempt-ended', 'check-ended'] as const)
    expect(types).toContain(type);
});

describe('I1', () => {
  test('a missing event', () => {
    expect(checkHistory(good.stored.toSpliced(5, 1))).toContainEqual(
      expect.objectContaining({ invariant: 'I1', seq: 7 }),
    );
  });
  test('two events in another order', () => {
    const [a, b] = good.stored.slice(4, 6) as [Stored, Stored];
    expect(checkHistory(good.stored.toSpliced(4, 2, b, a))[0]?.invariant).toBe('I1');
  });
  test('a changed event', () => {
    const forged = good.stored.map((one) =>
      one.event.type === 'wave-closed' ? { ...one, at: '2020-01-01T00:00:00.000Z' } : one,
    );
    expect(checkHistory(forged)[0]?.invariant).toBe('I1');
  });
});

describe('I2', () => {
  test('a start without lint', () => {
    expect(broken(alter('phase-judged', (event) => (event.phase === 'preflight' ? none : [event])))).toEqual(['I2']);
  });
  test('a start after ownership failed', () => {
    const failed = [inconclusive('ownership', { rule: 'round-has-tasks' })];
    const fail = alter('phase-judged', (event) =>
      event.phase === 'ownership' ? [{ ...event, verdicts: failed }] : [event],
    );
    expect(broken(fail)).toEqual(['I2']);
  });
  test('a start that nobody approved', () => {
    expect(broken(alter('tap-decided', (event) => (event.tap === 'land' ? [event] : none)))).toEqual(['I2']);
  });
  test('a start approved by nobody but the clock', () => {
    expect(broken(alter('requested-approve', () => [{ type: 'requested-resume', by: me }]))).toEqual(['I2']);
  });
  test('a start approved for another plan', () => {
    const other = `0${good.state.hash.slice(1)}` as typeof good.state.hash;
    expect(broken(alter('tap-decided', (event) => [{ ...event, hash: other }]))).toEqual(['I2']);
  });
});

describe('I3', () => {
  test('a merged task that exited with 1', () => {
    const fail = alter('attempt-ended', (event) => [{ ...event, ending: { ...event.ending, code: 1 } }]);
    expect(broken(fail)).toEqual(['I3']);
  });
  test('a merged task without a handoff', () => {
    expect(broken(alter('attempt-ended', (event) => [{ ...event, handoff: { kind: 'absent' } }]))).toEqual(['I3']);
  });
  test('a handoff of another attempt', () => {
    expect(broken(alter('attempt-intended', (event) => [{ ...event, nonce: 'another' }]))).toEqual(['I3']);
  });
  test('gates that did not pass', () => {
    const fail = alter('phase-judged', (event) =>
      event.phase === 'monitor'
        ? [{ ...event, verdicts: [inconclusive('exit', { rule: 'round-has-tasks' })] }]
        : [event],
    );
    expect(broken(fail)).toEqual(['I3']);
  });
  test('gates that judged another snapshot', () => {
    const swap = alter('phase-judged', (event) =>
      event.phase === 'monitor' && event.evidence.snapshot !== null
        ? [
            {
              ...event,
              evidence: {
                ...event.evidence,
                snapshot: { ...event.evidence.snapshot, commit: good.state.target.commit },
              },
            },
          ]
        : [event],
    );
    expect(broken(swap)).toEqual(['I3']);
  });
  describe('a merged task without a handoff', () => {
    /** The first attempt leaves no handoff, and a person takes its snapshot as sketched. */
    const taken = (asked: object | null, accepted: object | null): Change => {
      const ended = good.stored.flatMap(({ event }) => (event.type === 'attempt-ended' ? [event] : []))[0];
      if (ended?.snapshot == null) throw new Error('no snapshot');
      const { task, attempt, snapshot } = ended;
      const request = { type: 'requested-accept', task, snapshot: snapshot.commit, by: me, ...asked } as LedgerEvent;
      const fact = {
        ...{ type: 'task-accepted', task, attempt, snapshot: snapshot.commit, by: me },
        ...accepted,
      } as LedgerEvent;
      let isFirst = true;
      return (event) => {
        if (event.type === 'requested-approve' && isFirst) {
          isFirst = false;
          return asked === null ? [event] : [event, request];
        }
        if (event.type !== 'attempt-ended' || event.attempt !== attempt) return [event];
        return [{ ...event, handoff: { kind: 'absent' } }, ...(accepted === null ? [] : [fact])];
      };
    };
    const other = 'f'.repeat(40);
    test('that a person took', () => {
      expect(broken(taken({}, {}))).toEqual([]);
    });
    test.each([
      ['that nobody took', null, null],
      ['that was taken without a request', null, {}],
      ['of which another snapshot was asked for', { snapshot: other }, {}],
      ['of which another snapshot was taken', { snapshot: other }, { snapshot: other }],
      ['that somebody else asked for', { by: { who: 'mallory', via: 'terminal' } }, {}],
      ['that a policy took', { by: { who: 'ada', via: 'policy' } }, { by: { who: 'ada', via: 'policy' } }],
      ['of which an older attempt was taken', {}, { attempt: 'another.a.1' }],
    ])('%s', (_, asked, accepted) => {
      expect(broken(taken(asked, accepted))).toEqual(['I3']);
    });
  });
  test('a path that the task does not own, whatever the gates said of it', () => {
    const stray = { path: 'elsewhere/x', change: 'added', oldMode: '000000', newMode: '100644' } as const;
    const leak = alter('attempt-ended', (event) => [
      { ...event, snapshot: event.snapshot && { ...event.snapshot, diff: [...event.snapshot.diff, stray] } },
    ]);
    expect(broken(leak)).toEqual(['I3']);
  });
  test('a wave that closes over an open task', () => {
    const early: Change = (event) =>
      event.type === 'wave-closed'
        ? none
        : event.type === 'round-opened'
          ? [{ type: 'wave-closed', wave: event.wave }, event]
          : [event];
    expect(broken(early)).toEqual(['I3']);
  });
});

describe('I4', () => {
  test('a merge without an intent', () => {
    expect(broken(alter('merge-intended', () => none))).toEqual(['I4']);
  });
  test('a merge from where the run branch was not', () => {
    const elsewhere = good.state.target.commit.replace(/^./, 'f') as typeof good.state.target.commit;
    const move: Change = (event) =>
      event.type === 'merged' || event.type === 'merge-intended' ? [{ ...event, old: elsewhere }] : [event];
    expect(broken(move)).toEqual(['I4']);
  });
  test('a run branch that is not where the ledger says', () => {
    const refs = new Map<string, string>(good.git.refs());
    refs.set(`refs/tidegate/runs/${good.state.run}`, good.state.target.commit.replace(/^./, 'f'));
    expect(checkHistory(good.stored, { git: { refs, commit: (id) => good.git.find(id) } })).toEqual([
      expect.objectContaining({ invariant: 'I4', seq: null }),
    ]);
  });
  test('a landing of something else than was intended', () => {
    expect(broken(alter('landing-intended', () => none))).toEqual(['I4']);
  });
  test('a landing that begins after the run was given up', () => {
    const late = alter('landing-intended', (event) => [{ type: 'run-abandoned', by: me }, event]);
    expect(checkHistory(changed(late), world).map(({ what }) => what)).toContain(
      'landing-intended after the run was given up',
    );
  });
});

test('I5: a task that is merged twice', () => {
  const again = alter('merged', (event) => [event, event]);
  expect(broken(again)).toEqual(['I5', 'I4']);
});

test('I6: an undo that restores something else', () => {
  const undo = (restored: 'old' | 'new') =>
    alter('landed', (event) => {
      const back = restored === 'old' ? event.old : event.new;
      if (back === null) throw new Error('this landing made its branch');
      const moved = { task: null, branch: event.branch, old: event.new, new: back };
      return [event, { type: 'undo-intended', ...moved }, { type: 'undone', exact: true, ...moved }];
    });
  expect(broken(undo('old'))).toEqual([]);
  expect(broken(undo('new'))).toEqual(['I6']);
});

describe('I6: an undo by commits on top', () => {
  /** The landing, a commit of the person on it, and reverts of the landing on that. */
  const undo = (change: (events: readonly RunEvent[]) => readonly RunEvent[] = (events) => events) =>
    alter('landed', (landed) => {
      const onto = good.git.write({ ...good.git.read(landed.new).files, mine: 'mine' }, [landed.new], 'mine');
      const reverts = good.git.write({ mine: 'mine' }, [onto], 'reverts');
      const { tree } = good.git.read(reverts);
      const at = { task: null, branch: landed.branch };
      const checks = good.plan.checks.map(({ name }): RunEvent => {
        const check = { name, tree, outcome: 'passed', code: 0, log, tail: '' } as const;
        return { type: 'check-ended', purpose: 'undo', check };
      });
      return [
        landed,
        ...change([
          { type: 'undo-prepared', ...at, onto, commit: reverts, tree, reverts: [landed.new] },
          ...checks,
          { type: 'undo-intended', ...at, old: onto, new: reverts },
          { type: 'undone', ...at, old: onto, new: reverts, exact: false },
        ]),
      ];
    });
  const without = (type: RunEvent['type']) => undo((events) => events.filter((event) => event.type !== type));

  test('that was prepared and checked is fine', () => {
    expect(broken(undo())).toEqual([]);
  });
  test('that was never prepared', () => {
    expect(broken(without('undo-prepared'))).toEqual(['I6']);
  });
  test('whose checks never ran, failed, or ran on another tree', () => {
    const failing = (change: Partial<CheckOutcome>) =>
      undo((events) =>
        events.map((event) =>
          event.type === 'check-ended' ? { ...event, check: { ...event.check, ...change } } : event,
        ),
      );
    expect(broken(without('check-ended'))).toEqual(['I6']);
    expect(broken(failing({ outcome: 'failed' }))).toEqual(['I6']);
    expect(broken(failing({ tree: treeId('0'.repeat(40)) }))).toEqual(['I6']);
  });
  test('whose checks passed only after it was intended', () => {
    const late = undo((events) => {
      const checks = events.filter((event) => event.type === 'check-ended');
      const rest = events.filter((event) => event.type !== 'check-ended');
      return [...rest, ...checks];
    });
    expect(broken(late)).toEqual(['I6']);
  });
});

describe('I7', () => {
  const onlyHeads = (): World => {
    const refs = new Map([...good.git.refs()].filter(([name]) => !name.includes('/attempts/')));
    return { git: { refs, commit: (id) => good.git.find(id) } };
  };
  test('work that no ref reaches', () => {
    expect(broken((event) => [event], onlyHeads())).toEqual(['I7']);
  });
  const big = { rule: 'too-large', where: 'big.bin', limit: 'file', bytes: 1 } as const;
  const left = [{ path: 'big.bin', why: big }];
  const leaving = (change: (event: Ended) => readonly LedgerEvent[]): Change =>
    alter('attempt-ended', (event) =>
      event.snapshot === null ? [event] : change({ ...event, snapshot: { ...event.snapshot, refused: [big] } }),
    );
  const asked = { type: 'requested-discard', paths: ['big.bin'], by: me } as const;
  const discarded = ({ task, attempt }: Ended): LedgerEvent => ({
    type: 'kept-discarded',
    task,
    kept: [{ attempt, path: 'big.bin' }],
    by: me,
  });
  test('a file that no snapshot holds and no list names, or one that was not left', () => {
    expect(broken(leaving((event) => [{ ...event, kept: left }]))).not.toContain('I7');
    expect(broken(leaving((event) => [event]))).toContain('I7');
    expect(broken(alter('attempt-ended', (event) => [{ ...event, kept: left }]))).toContain('I7');
  });
  test('no snapshot, and no word on why, or a workspace that is not kept', () => {
    const problem = { rule: 'snapshot-failed', words: '' } as const;
    const whole = [{ path: '.', why: { rule: 'snapshot-present', where: '.' } }] as const;
    const without = (more: Partial<Ended>) =>
      alter('attempt-ended', (event) => [{ ...event, snapshot: null, ...more }]);
    expect(broken(without({ kept: whole, snapshotProblem: problem }))).not.toContain('I7');
    expect(broken(without({ kept: whole }))).toContain('I7');
    expect(broken(without({ snapshotProblem: problem }))).toContain('I7');
  });
  test('a file that is discarded plainTerminal, twice, or of another attempt', () => {
    const then = (events: (event: Ended) => readonly LedgerEvent[]) =>
      broken(leaving((event) => [{ ...event, kept: left }, { ...asked, task: event.task }, ...events(event)]));
    expect(then((event) => [discarded(event)])).not.toContain('I7');
    expect(then((event) => [discarded(event), discarded(event)])).toContain('I7');
    const other = attemptId(theRun, taskId('other'), 9);
    expect(then((event) => [discarded({ ...event, attempt: other })])).toContain('I7');
    expect(broken(leaving((event) => [{ ...event, kept: left }, discarded(event)]))).toContain('I7');
  });
});

test('I8: a secret in any event', () => {
  const leak = (value: string) =>
    alter('attempt-ended', (event) => [
      { ...event, ending: { ...event.ending, because: { rule: 'workspace-not-made', words: value } } },
    ]);
  expect(broken(leak(`key sk-${'a1'.repeat(16)}`))).toEqual(['I8']);
  expect(broken(leak('canary-77'), { ...world, canaries: ['canary-77'] })).toEqual(['I8']);
});

test('I9: a process of an ended attempt', () => {
  const attempt = good.stored.flatMap(({ event }) => (event.type === 'attempt-ended' ? [event.attempt] : []))[0] ?? '';
  expect(checkHistory(good.stored, { ...world, processes: [attempt] })).toEqual([
    expect.objectContaining({ invariant: 'I9' }),
  ]);
});

describe('I10', () => {
  test('a fact of an older coordinator after a newer one', () => {
    const half = Math.floor(good.stored.length / 2);
    const late = changed(
      (event) => [event],
      ({ seq, epoch }) => (epoch === 0 ? 0 : seq === half || seq === half + 1 ? 7 : 6),
    );
    expect(new Set(checkHistory(late, world).map(({ invariant }) => invariant))).toEqual(new Set(['I10']));
  });
  test('a fact without an epoch', () => {
    const free = changed(
      (event) => [event],
      () => 0,
    );
    expect(checkHistory(free, world)[0]?.invariant).toBe('I10');
  });
});

test('the naive matcher knows the whole language of patterns', () => {
  const yes = [
    ['a/**', 'a/b/c'],
    ['**/x', 'x'],
    ['**/x', 'a/b/x'],
    ['a/*.ts', 'a/b.ts'],
    ['a/?', 'a/b'],
    ['docs/', 'docs/x/y'],
    ['a', 'a'],
  ];
  const no = [
    ['a/**', 'a'],
    ['a/*', 'a/b/c'],
    ['a/?', 'a/bc'],
    ['*.ts', 'a/b.ts'],
    ['a', 'ab'],
    ['docs/', 'docs'],
  ];
  expect(yes.filter(([pattern = '', path = '']) => !naiveMatch(pattern, path))).toEqual([]);
  expect(no.filter(([pattern = '', path = '']) => naiveMatch(pattern, path))).toEqual([]);
});
