import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, type Scene, scene } from '../../../test/support/merger-scene.ts';
import { hashOf, me } from '../../../test/support/plans.ts';
import { type CommitId, commitId, type TaskId, taskId } from '../../domain/base/ids.ts';
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
  return fingerprintOf(of, task, made.tree);
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

test('a recorded fingerprint has to be that of the plan and the base', () => {
  expect(proven(history)).toMatchObject({ ok: true });
  const forged = history.map((one) =>
    one.event.type === 'attempt-intended' ? { ...one, event: { ...one.event, fingerprint: '0'.repeat(64) } } : one,
  );
  expect(proven(forged)).toMatchObject({ ok: false, error: { gap: 'task-fingerprint', task: 'a' } });
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
