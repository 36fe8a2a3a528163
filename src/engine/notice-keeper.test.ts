import { expect, test } from 'vitest';
import { created, plan, stateAfter } from '../../test/support/plans.ts';
import type { News } from '../domain/board/news.ts';
import type { Clock } from '../ports/clock.ts';
import { keepNews } from './notice-keeper.ts';

const clock: Clock = {
  now: () => '',
  sleep: (_ms, signal) => new Promise((wake) => signal.addEventListener('abort', () => wake())),
  nonce: () => '',
};
const passing = (item: string): News => ({ item, lasting: false });
const lasting = (item: string): News => ({ item, lasting: true });

/** One coordinator's life over what is open; `memory` is what the next one finds. */
async function life(memory: string[], atFirst: readonly News[], later: readonly News[]): Promise<readonly string[]> {
  const sent: string[] = [];
  let open = atFirst;
  const keeper = keepNews({
    ways: {
      told: () => [...memory],
      remember: (items) => void memory.splice(0, memory.length, ...items),
      send: async ({ item }) => void sent.push(item),
      settle: async () => void sent.push('settled'),
    },
    newsOf: () => open,
    clock,
    runs: () => [stateAfter(created(plan([{ a: {} }])))],
    failed: (cause) => {
      throw cause;
    },
  });
  keeper.begin();
  open = later;
  keeper.look();
  await keeper.stop();
  return sent;
}

test('what lasts is told by the coordinator that saw it come, and by no later one', async () => {
  const memory: string[] = [];
  expect(await life(memory, [], [lasting('ended'), passing('held')])).toEqual(['ended', 'held', 'settled']);
  expect(memory).toEqual(['held']);
  expect(await life(memory, [lasting('ended'), passing('held')], [lasting('ended'), passing('held')])).toEqual([
    'settled',
  ]);
});

test('what was over and comes back is told again', async () => {
  const memory = ['held'];
  expect(await life(memory, [passing('held')], [])).toEqual(['settled']);
  expect(await life(memory, [], [passing('held')])).toEqual(['held', 'settled']);
});

test('what could not be told before a crash is told by the next coordinator', async () => {
  expect(await life([], [passing('held')], [passing('held')])).toEqual(['held', 'settled']);
});
