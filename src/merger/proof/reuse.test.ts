import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, type Scene, scene } from '../../../test/support/merger-scene.ts';
import { hashOf, me } from '../../../test/support/plans.ts';
import { type CommitId, commitId, type TaskId, type TreeId, taskId, treeId } from '../../domain/base/ids.ts';
import { present } from '../../domain/base/result.ts';
import type { LedgerEvent } from '../../domain/ledger/events.ts';
import type { ResultReuse } from '../../domain/ledger/relaunch-events.ts';
import type { FrozenPlan } from '../../domain/plan/plan.ts';
import { fingerprintOf } from '../../domain/relaunch/fingerprint.ts';
import type { Stored } from '../../ports/ledger.ts';
import { verifyChain } from './proof.ts';

let s: Scene;
/** Both tasks are ready and in a round, and their attempts recorded fingerprints. */
let history: readonly Stored[];
let plan: FrozenPlan;
beforeAll(async () => {
  s = await scene({ waves: [{ a: {}, b: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.work('b', { 'b.txt': 'b\n' });
  await s.closeRound(0, 0, ['a', 'b']);
  const past = await s.ledger.read(run);
  const [first] = past;
  if (first?.event.type !== 'run-created') throw new Error('no run');
  ({ plan } = first.event);
  history = past.map((one) =>
    one.event.type === 'attempt-intended'
      ? { ...one, event: { ...one.event, fingerprint: printOf(past, one.event.task) } }
      : one,
  );
});
afterAll(() => s[Symbol.asyncDispose]());

function printOf(past: readonly Stored[], id: TaskId, of: FrozenPlan = plan): string {
  const made = past.find(({ event }) => event.type === 'task-base-made' && event.task === id)?.event;
  const task = of.waves.flatMap((wave) => wave.tasks).find((one) => one.id === id);
  if (made?.type !== 'task-base-made' || task === undefined) throw new Error(`no base of ${id}`);
  return fingerprintOf(of, task, made.tree, []);
}
function snapshotOf(id: string): CommitId {
  const ended = history.find(({ event }) => event.type === 'attempt-ended' && event.task === id)?.event;
  if (ended?.type !== 'attempt-ended' || ended.snapshot === null) throw new Error(`no snapshot of ${id}`);
  return ended.snapshot.commit;
}
const reuse = (id: string, change: Partial<ResultReuse> = {}): ResultReuse => {
  const print = printOf(history, taskId(id));
  return { task: taskId(id), snapshot: snapshotOf(id), was: print, is: print, ...change };
};
const nameOf = (event: LedgerEvent): string =>
  event.type === 'phase-judged' ? `${event.phase}${'task' in event ? ` ${event.task}` : ''}` : event.type;

/** The history with this event before the round, followed by these judgements once more. */
function withEvent(event: object, again: readonly string[], under: FrozenPlan = plan): readonly Stored[] {
  const at = history.findIndex((one) => one.event.type === 'round-opened');
  const before = history.slice(0, at);
  const repeated = before
    .filter((one) => again.includes(nameOf(one.event)))
    .map((one) => JSON.parse(JSON.stringify(one).replaceAll(hashOf(plan), hashOf(under))) as Stored);
  const all = [
    ...before,
    { ...(history[0] as Stored), event: event as LedgerEvent },
    ...repeated,
    ...history.slice(at),
  ];
  return all.map((one, place) => ({ ...one, position: place + 1 }));
}
const proven = (past: readonly Stored[]) => verifyChain(past, 0, 0);

test('a recorded fingerprint matters only for a reuse: a result counts for the plan and base of its own attempt', () => {
  expect(proven(history)).toMatchObject({ ok: true });
  const other = history.map((one) =>
    one.event.type === 'attempt-intended' ? { ...one, event: { ...one.event, fingerprint: '2:later' } } : one,
  );
  expect(proven(other)).toMatchObject({ ok: true });
});

test('a task that was made from other work of a task that it needs is not merged', () => {
  const madeFrom = (tree: TreeId | undefined): readonly Stored[] =>
    history.map((one) =>
      one.event.type === 'task-base-made' && one.event.task === 'b'
        ? {
            ...one,
            event: { ...one.event, of: [{ task: taskId('a'), snapshot: snapshotOf('a'), ...present({ tree }) }] },
          }
        : one,
    );
  const ended = history.find(({ event }) => event.type === 'attempt-ended' && event.task === 'a')?.event;
  const left = ended?.type === 'attempt-ended' ? ended.snapshot?.tree : undefined;
  expect(left).toBeDefined();
  expect(proven(madeFrom(left))).toMatchObject({ ok: true });
  expect(proven(madeFrom(treeId('1'.repeat(40))))).toMatchObject({
    ok: false,
    error: { gap: 'task-need-changed', task: 'b' },
  });
  // older records do not say which tree it was
  expect(proven(madeFrom(undefined))).toMatchObject({ ok: true });
});

describe('after a selection of a person', () => {
  const monitors = ['monitor a', 'monitor b'];
  const relaunched = (change: object, again: readonly string[] = monitors) =>
    withEvent({ type: 'wave-relaunched', wave: 0, starts: [], reuses: [], roles: [], by: me, ...change }, again);

  test('a reused result counts once its gates have judged it again', () => {
    expect(proven(relaunched({ reuses: [reuse('a'), reuse('b')] }))).toMatchObject({ ok: true });
    expect(proven(relaunched({ reuses: [reuse('a')] }, []))).toMatchObject({
      error: { gap: 'task-voided', task: 'a' },
    });
  });

  test.each([
    ['it was made from something else', { was: '1'.repeat(64) }],
    ['something else is asked for now', { is: '1'.repeat(64) }],
    ['both are the same, and of neither', { was: '1'.repeat(64), is: '1'.repeat(64) }],
    ['another snapshot is meant', { snapshot: commitId('1'.repeat(40)) }],
  ])('it counts for nothing when %s', (_, change) => {
    const error = { gap: 'task-fingerprint', task: 'a' };
    expect(proven(relaunched({ reuses: [reuse('a', change)] }))).toMatchObject({ ok: false, error });
  });

  test('it counts for nothing when its fingerprint is of another version, or a person has written to it since', () => {
    const error = { gap: 'task-fingerprint', task: 'a' };
    const selection = relaunched({ reuses: [reuse('a', { was: '2:later', is: '2:later' })] });
    const later = selection.map((one) =>
      one.event.type === 'attempt-intended' ? { ...one, event: { ...one.event, fingerprint: '2:later' } } : one,
    );
    expect(proven(later)).toMatchObject({ ok: false, error });
    const posted = (to: string, after: boolean): readonly Stored[] => {
      const place = { id: '1', to, status: 'open' };
      const post = { type: 'record-posted', place, kind: 'note', target: to, text: 'in green', by: me };
      const past = relaunched({ reuses: [reuse('a')] });
      const at = past.findIndex(({ event }) => event.type === 'wave-relaunched') + (after ? 1 : 0);
      const all = [
        ...past.slice(0, at),
        { ...(past[0] as Stored), event: post as unknown as LedgerEvent },
        ...past.slice(at),
      ];
      return all.map((one, place) => ({ ...one, position: place + 1 }));
    };
    for (const to of ['a', 'all']) expect(proven(posted(to, false))).toMatchObject({ ok: false, error });
    expect(proven(posted('b', false))).toMatchObject({ ok: true });
    expect(proven(posted('a', true))).toMatchObject({ ok: true });
  });

  test('a fingerprint of an older version is still proven by its own rule', () => {
    const plain = (id: string): string => {
      const made = history.find(({ event }) => event.type === 'task-base-made' && event.task === id)?.event;
      const task = plan.waves.flatMap((wave) => wave.tasks).find((one) => one.id === id);
      if (made?.type !== 'task-base-made' || task === undefined) throw new Error(`no base of ${id}`);
      return fingerprintOf(plan, task, made.tree, null);
    };
    const old = relaunched({ reuses: [reuse('a', { was: plain('a'), is: plain('a') })] }).map((one) =>
      one.event.type === 'attempt-intended'
        ? { ...one, event: { ...one.event, fingerprint: plain(one.event.task) } }
        : one,
    );
    expect(proven(old)).toMatchObject({ ok: true });
  });

  test('the result of a task that starts again counts for nothing, even if it is judged again', () => {
    const error = { gap: 'task-relaunched', task: 'a' };
    expect(proven(relaunched({ starts: [{ task: taskId('a') }] }))).toMatchObject({ ok: false, error });
  });
});

describe('under another version of the plan', () => {
  const again = ['thread', 'preflight', 'ownership', 'tap-opened', 'tap-decided', 'approval', 'monitor a', 'monitor b'];
  const replaced = (change: object, under: FrozenPlan = plan) => {
    const version = { plan: under, hash: hashOf(under), keeps: [], reuses: ['a', 'b'], threads: [], by: me };
    return withEvent({ type: 'plan-replaced', ...version, ...change }, again, under);
  };

  test('a result counts with both fingerprints, and for nothing without them', () => {
    const both = [reuse('a'), reuse('b')];
    expect(proven(replaced({ fingerprints: both }))).toMatchObject({ ok: true });
    expect(proven(replaced({}))).toMatchObject({ ok: false, error: { gap: 'task-fingerprint', task: 'a' } });
    expect(proven(replaced({ fingerprints: [reuse('a'), reuse('b', { is: '0'.repeat(64) })] }))).toMatchObject({
      error: { gap: 'task-fingerprint', task: 'b' },
    });
  });

  test('a result counts for nothing when the agent would be told something else', () => {
    const under = { ...plan, focus: 'speed' };
    const error = { gap: 'task-fingerprint', task: 'a' };
    expect(proven(replaced({ fingerprints: [reuse('a'), reuse('b')] }, under))).toMatchObject({ ok: false, error });
  });
});
