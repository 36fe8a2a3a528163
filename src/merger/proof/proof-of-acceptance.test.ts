import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, type Scene, scene } from '../../../test/support/merger-scene.ts';
import { me, you } from '../../../test/support/plans.ts';
import { commitId, taskId } from '../../domain/base/ids.ts';
import type { LedgerEvent, RunEvent } from '../../domain/ledger/events.ts';
import type { RequestEvent } from '../../domain/ledger/requests.ts';
import type { Stored } from '../../ports/ledger.ts';
import { verifyChain } from './proof.ts';

/** A chain in which task a handed off half of its work and a person took it; then broken in one way at a time. */

let s: Scene;
let good: readonly Stored[];
const task = taskId('a');
const other = commitId('f'.repeat(40));
const policy = { who: 'tidegate', via: 'policy' } as const;
const flag = { who: me.who, via: 'yes-flag' } as const;

beforeAll(async () => {
  s = await scene({ waves: [{ a: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.closeRound(0, 0, ['a']);
  good = await s.ledger.read(run);
});
afterAll(() => s[Symbol.asyncDispose]());

type Taken = {
  readonly request?: Partial<RequestEvent> | null;
  readonly event?: Partial<RunEvent & { type: 'task-accepted' }> | null;
  readonly claimed?: object | null;
  /** Before the attempt has ended instead of after it. */
  readonly early?: boolean;
};

/** The good chain, with half a handoff, and an acceptance of it as sketched. */
function chainWith({ request = {}, event = {}, claimed = {}, early = false }: Taken): readonly Stored[] {
  const left = good.flatMap(({ event: one }) => (one.type === 'attempt-ended' ? [one] : []))[0];
  if (left?.snapshot == null || left.handoff.kind !== 'given') throw new Error('no end');
  const snapshot = left.snapshot.commit;
  const handoff = { ...left.handoff, handoff: { ...left.handoff.handoff, status: 'partial' as const } };
  const asked = { type: 'requested-accept', task, snapshot, by: me, ...request } as LedgerEvent;
  const accepted = { type: 'task-accepted', task, attempt: left.attempt, snapshot, by: me, ...event } as LedgerEvent;
  const word = { snapshot, who: me.who, edited: [], ...claimed };
  const taking = [...(request === null ? [] : [asked]), ...(event === null ? [] : [accepted])];
  const events = good.flatMap(({ event: one }): readonly LedgerEvent[] => {
    if (one.type === 'attempt-ended')
      return early ? [...taking, { ...one, handoff }] : [{ ...one, handoff }, ...taking];
    if (one.type !== 'phase-judged' || one.phase !== 'monitor') return [one];
    const evidence = { ...one.evidence, handoff, ...(claimed === null ? {} : { acceptance: word }) };
    return [{ ...one, evidence } as LedgerEvent];
  });
  return events.map((one, at) => ({ ...(good[0] as Stored), position: at + 1, hash: `${at}`, event: one }));
}

const gapOf = (sketch: Taken): unknown => {
  const proven = verifyChain(chainWith(sketch), 0, 0);
  return proven.ok ? 'proven' : 'gap' in proven.error ? proven.error.gap : proven.error;
};

test('a person who took exactly this snapshot stands in for the handoff', () => {
  expect(gapOf({})).toBe('proven');
});

describe('nothing else does:', () => {
  test.each<readonly [string, Taken, string]>([
    ['nobody took it', { request: null, event: null, claimed: null }, 'task-handoff'],
    ['nobody took it, and the gates were told so', { request: null, event: null }, 'task-acceptance-unrecorded'],
    ['it was not asked for', { request: null }, 'task-acceptance-unasked'],
    ['another person asked', { request: { by: you } }, 'task-acceptance-unasked'],
    ['another snapshot was asked for', { request: { snapshot: other } as never }, 'task-acceptance-unasked'],
    ['another task was asked for', { request: { task: taskId('b') } as never }, 'task-acceptance-unasked'],
    ['another snapshot was taken', { event: { snapshot: other } }, 'task-acceptance-other'],
    [
      'another snapshot was asked for and taken',
      { request: { snapshot: other } as never, event: { snapshot: other }, claimed: { snapshot: other } },
      'task-handoff',
    ],
    ['an older attempt was taken', { event: { attempt: 'demo-ab12.a.0' as never } }, 'task-acceptance-other'],
    ['it was taken before the attempt ended', { early: true }, 'task-acceptance-unrecorded'],
    ['the gates read another name', { claimed: { who: 'mallory' } }, 'task-acceptance-other'],
    ['the gates read paths that nobody edited', { claimed: { edited: ['x'] } }, 'task-acceptance-other'],
    [
      'a policy took it',
      { request: { by: policy }, event: { by: policy }, claimed: { who: policy.who } },
      'task-acceptance-unasked',
    ],
    ['a flag took it', { request: { by: flag }, event: { by: flag } }, 'task-acceptance-unasked'],
  ])('%s', (_, sketch, gap) => {
    expect(gapOf(sketch)).toBe(gap);
  });

  test('a retry after it', () => {
    const chain = chainWith({});
    const last = chain.findIndex(({ event }) => event.type === 'phase-judged' && event.phase === 'monitor');
    const retried = { type: 'task-retried', task, by: me } as const;
    const more = chain
      .toSpliced(last + 1, 0, { ...(chain[0] as Stored), event: retried })
      .map((one, at) => ({ ...one, position: at + 1 }));
    expect(verifyChain(more, 0, 0)).toMatchObject({ ok: false, error: { gap: 'task-voided' } });
  });
});

test('the digest relies on the request and on the acceptance', () => {
  const digest = (chain: readonly Stored[]): unknown => verifyChain(chain, 0, 0);
  const chain = chainWith({});
  for (const type of ['requested-accept', 'task-accepted']) {
    const changed = chain.map((one) => (one.event.type === type ? { ...one, hash: 'another' } : one));
    expect(digest(changed)).not.toEqual(digest(chain));
  }
});
