import { expect, test } from 'vitest';
import { approved, begun, hello, started } from '../../../test/support/run-events.ts';
import { viewed } from '../../../test/support/viewed.ts';
import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';
import type { Content } from '../../ports/repository-handle.ts';
import { activityReader, copyingLine } from './activity.ts';

const { state } = viewed(...begun(), ...approved, ...started);

const contentOf = (text: string): Content => {
  const bytes = Buffer.from(text);
  return {
    bytes: bytes.length,
    async *read(from, to) {
      yield bytes.subarray(from, to);
    },
  };
};

/** What is found in the files of the one attempt that is under way. */
async function doing(found: { readonly transcript?: string; readonly log?: string }): Promise<string | null> {
  const content = async (_job: string, what: string): Promise<Content | null> => {
    const text = what === 'transcript' ? found.transcript : found.log;
    return text === undefined ? null : contentOf(text);
  };
  const read = activityReader({ files: { content }, patches: { counts: async () => null } });
  return (await read(state)).get(hello)?.doing ?? null;
}

const call = (tool: string, command: string): AgentEvent => ({
  type: 'tool-call',
  call: { id: '1', tool, kind: 'run', paths: [], command, lines: null, input: '' },
});
const lines = (...events: readonly AgentEvent[]): string =>
  events.map((event) => `${JSON.stringify({ at: '2026-01-01T00:00:00Z', ...event })}\n`).join('');

test('an agent that speaks a protocol does what its last call says, whatever came back of it', async () => {
  const result: AgentEvent = { type: 'tool-result', id: '1', outcome: 'ok', text: 'all passed' };
  const transcript = lines({ type: 'turn', text: 'I look first.' }, call('Bash', 'npm \u001b[31mtest'), result);
  expect(await doing({ transcript, log: 'raw\n' })).toBe('Bash npm test');
  expect(await doing({ transcript: lines({ type: 'turn', text: 'First.\nThen this.' }) })).toBe('Then this.');
});

test('a command does what it printed last; a line without its end does not count yet', async () => {
  expect(await doing({ log: 'compiling\n\nlinking\u0007 a.o\n\nhal' })).toBe('linking a.o');
  expect(await doing({ log: '' })).toBe(null);
  expect(await doing({})).toBe(null);
});

test('of a long output only the end is read', async () => {
  const log = `${'x'.repeat(200_000)}\nlast\n`;
  expect(await doing({ log })).toBe('last');
  expect(await doing({ transcript: lines(call('Read', 'y'.repeat(100_000)), call('Edit', 'a.ts')) })).toBe('Edit a.ts');
});

test('a copy is told in files, and that its end is not its last file', () => {
  expect([
    copyingLine('a', { done: 31_000, total: 50_000 }),
    copyingLine('a', { done: 50_000, total: 50_000 }),
  ]).toEqual([
    'a: copying the repository: 31,000 of 50,000 files',
    'a: copying the repository: 50,000 files, almost done',
  ]);
});
