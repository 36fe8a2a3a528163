import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { commandScene, stuck, working } from '../../../../test/support/command-scene.ts';
import { begun, run } from '../../../../test/support/run-events.ts';
import type { RunEvent } from '../../../domain/ledger/events.ts';

const kept = { [`${run}.hello.1`]: '# Task hello\n\nKept.\n' };
const recorded = (events: readonly RunEvent[], text: string): readonly RunEvent[] =>
  events.map((event) => (event.type === 'attempt-started' ? { ...event, prompt: hash('sha256', text, 'hex') } : event));

test('show --prompt prints what the agent of a task was told, and nothing else', async () => {
  await using here = await commandScene(recorded(stuck, '# Task hello\n\nKept.\n'), { prompts: kept });
  expect(await here.tidegate('show', 'hello', '--prompt')).toMatchObject({ exit: 0, out: '# Task hello\n\nKept.' });
});

test('a prompt that is not what the ledger has the hash of is not shown', async () => {
  await using here = await commandScene(recorded(stuck, 'another'), { prompts: kept });
  const { exit, out, problems } = await here.tidegate('show', 'hello', '--prompt');
  expect([exit, out, problems]).toEqual([
    1,
    '',
    [`tidegate: show: the prompt of ${run}.hello.1 is gone, or was changed since`],
  ]);
});

test('a prompt that was not kept follows from the ledger, if the ledger has its hash', async () => {
  const intendedOnly = working.filter((event) => event.type !== 'attempt-started');
  await using launching = await commandScene(intendedOnly);
  const { out } = await launching.tidegate('show', 'hello', '--prompt');
  expect(out).toContain('# Task hello\n');
  await using here = await commandScene(recorded(stuck, `${out}\n`));
  expect(await here.tidegate('show', 'hello', '--prompt')).toMatchObject({ exit: 0, out });
  await using old = await commandScene(stuck);
  expect(await old.tidegate('show', 'hello', '--prompt')).toMatchObject({ exit: 1 });
});

test('a task that has not started shows what it would be told, with a nonce that is none', async () => {
  await using here = await commandScene(begun());
  const { exit, out } = await here.tidegate('show', 'reply', '--prompt');
  expect(exit).toBe(0);
  expect(out).toContain('# Task reply\n');
  expect(out).toContain('"nonce": "<nonce>"');
  expect(await here.requests()).toEqual([]);
});
