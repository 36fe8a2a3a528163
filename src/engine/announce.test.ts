import { expect, test } from 'vitest';
import { created, plan, stateAfter } from '../../test/support/plans.ts';
import type { Update } from '../domain/board/notices.ts';
import type { Clock } from '../ports/clock.ts';
import { announcer } from './announce.ts';

const clock: Clock = {
  now: () => '',
  sleep: (_ms, signal) => new Promise((wake) => signal.addEventListener('abort', () => wake())),
  nonce: () => '',
};
const passing = (item: string): Update => ({ item, lasting: false });
const lasting = (item: string): Update => ({ item, lasting: true });

/** The life of one coordinator. `memory` is the journal that the next one finds. */
async function life(
  memory: string[],
  atFirst: readonly Update[],
  later: readonly Update[],
): Promise<readonly string[]> {
  const sent: string[] = [];
  let open = atFirst;
  const updates = announcer({
    outbox: {
      sent: () => [...memory],
      remember: (items) => void memory.splice(0, memory.length, ...items),
      send: async ({ item }) => void sent.push(item),
      settle: async () => void sent.push('settled'),
    },
    updatesOf: () => open,
    clock,
    runs: () => [stateAfter(created(plan([{ a: {} }])))],
    failed: (cause) => {
      throw cause;
    },
  });
  updates.begin();
  open = later;
  updates.look();
  await updates.stop();
  return sent;
}

test('a lasting update is sent by the coordinator that saw it come, and by no later one', async () => {
  const memory: string[] = [];
  expect(await life(memory, [], [lasting('ended'), passing('held')])).toEqual(['ended', 'held', 'settled']);
  expect(memory).toEqual(['held']);
  expect(await life(memory, [lasting('ended'), passing('held')], [lasting('ended'), passing('held')])).toEqual([
    'settled',
  ]);
});

test('an update that was over and comes back is sent again', async () => {
  const memory = ['held'];
  expect(await life(memory, [passing('held')], [])).toEqual(['settled']);
  expect(await life(memory, [], [passing('held')])).toEqual(['held', 'settled']);
});

test('an update that a crash prevented is sent by the next coordinator', async () => {
  expect(await life([], [passing('held')], [passing('held')])).toEqual(['held', 'settled']);
});
