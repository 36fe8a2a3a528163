import { expect, test } from 'vitest';
import { created, hashOf, plan, stateAfter } from '../../../test/support/plans.ts';
import { judged } from '../gates/judge.ts';
import type { RunEvent } from '../ledger/events.ts';
import { postsOf } from './thread-posts.ts';

const places = { intake: null, threads: 'https://forum.example/threads', tokenFrom: null };
const frozen = plan([{ a: {} }, { b: {} }], { thread: places });
const bound = (wave: number): RunEvent =>
  judged(
    { plan: frozen, hash: hashOf(frozen), granted: [] },
    { phase: 'thread', wave, evidence: { board: 'threads', id: `t-${wave}`, failed: [] } },
  );
const posts = (...events: RunEvent[]) =>
  postsOf(stateAfter(created(frozen), ...events)).map(({ kind, text, thread }) => [thread.id, kind, text]);
const asked: RunEvent = { type: 'tap-opened', tap: 'start', hash: hashOf(frozen), expires: null };

test('a wave without a thread has no posts', () => {
  expect(posts(asked, { type: 'wave-closed', wave: 0 })).toEqual([]);
});

test('each wave is told in its own thread, and what the run needs where the run is', () => {
  const [start, ...rest] = posts(bound(0), bound(1), asked);
  expect(start).toMatchObject([
    't-0',
    'needs-you',
    expect.stringMatching(/^needs you: .* · tidegate approve demo-ab12$/),
  ]);
  expect(rest).toEqual([]);
  const closed = posts(bound(0), bound(1), { type: 'wave-closed', wave: 0 }, asked);
  expect(closed.map(([id, kind]) => [id, kind])).toEqual([
    ['t-0', 'closed'],
    ['t-1', 'needs-you'],
  ]);
});
