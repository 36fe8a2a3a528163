import { expect, test } from 'vitest';
import { supervisedScene } from '../support/supervised.ts';

test('a fenced command that hands off leaves exit, handoff and snapshot', async () => {
  await using scene = await supervisedScene();
  const exit = await scene.run({
    argv: ['/bin/sh', '-c', 'cat; cat "$TIDEGATE_BRIEF"; echo new > new.txt; tidegate handoff done -m "made new.txt"'],
  });
  expect(exit.output).toBe('do it\ndo it\nhandoff taken; you may end now\n');
  expect(exit.ending).toEqual({ reason: 'exited', code: 0, signal: null, detail: '' });
  expect(exit.handoff).toMatchObject({
    kind: 'given',
    via: 'socket',
    handoff: { status: 'done', summary: 'made new.txt' },
  });
  expect(exit.snapshot?.diff.map((entry) => [entry.path, entry.change])).toEqual([['new.txt', 'added']]);
  expect(exit.reminded).toBe(false);
});
