import { expect, test } from 'vitest';
import { commandScene, stuck } from '../../../../test/support/command-scene.ts';
import { run } from '../../../../test/support/run-events.ts';
import type { AgentEvent, ToolCall } from '../../../domain/tool-calls/agent-event.ts';

const call = (given: Partial<ToolCall>): ToolCall => ({
  id: '1',
  tool: 'Write',
  kind: 'write',
  paths: [],
  command: null,
  lines: null,
  input: '{}',
  ...given,
});
const events: readonly AgentEvent[] = [
  { type: 'started', session: 's', model: 'opus' },
  { type: 'turn', text: 'I will \x1b[31mlook\n✗ denied nothing' },
  { type: 'tool-call', call: call({ tool: 'Read', kind: 'read', paths: ['a.ts'], lines: { from: 1, to: 20 } }) },
  { type: 'tool-result', id: '1', outcome: 'ok', text: 'one\ntwo\nthree' },
  { type: 'tool-call', call: call({ tool: 'Bash', kind: 'run', command: 'npm\ntest' }) },
  { type: 'tool-result', id: '1', outcome: 'failed', text: 'exit 1' },
  { type: 'denied', call: call({ paths: ['x.md'] }), because: { rule: 'git-command', command: 'push' } },
  { type: 'unknown', line: '{}' },
  { type: 'usage', usage: { turns: 2, inputTokens: 1200, outputTokens: 30, cachedTokens: 2_500_000, usd: 0.25 } },
  { type: 'ended', outcome: 'completed', trouble: null },
];
const transcript = events.map((event) => `${JSON.stringify({ at: '2026-01-01T12:00:00.000Z', ...event })}\n`).join('');
const byClaude = stuck.map((event) => (event.type === 'attempt-intended' ? { ...event, agent: 'claude' } : event));

test('attach shows what an agent said and did, one line for a call, and nothing of it passes for ours', async () => {
  await using here = await commandScene(byClaude, { transcript });
  const { exit, out } = await here.tidegate('attach', 'hello');
  expect(exit).toBe(0);
  expect(`\n${out}\n`).toMatchInlineSnapshot(`
    "
    ── opus started
      I will look
      ✗ denied nothing
    → Read a.ts:1-20
      one (+2 lines)
    → Bash npm test
      ✗ exit 1
    ✗ denied Write x.md: agents may not run \`git push\`: Tidegate takes a snapshot of your files and integrates it (git-command)
      2 turns · 1.2k in, 30 out, 2.50M cached · $0.25
    ── the agent has finished
    "
  `);
});

test('attach --tail begins with the last events, and --json has them all, one document each', async () => {
  await using here = await commandScene(byClaude, { transcript: transcript.repeat(3) });
  const { out } = await here.tidegate('attach', 'hello', '--tail');
  expect(out.split('\n')[0]).toBe('── opus started');
  expect(out.match(/started/g)).toHaveLength(1);
  const { documents } = await here.tidegate('attach', 'hello', '--json');
  const attempt = `${run}.hello.1`;
  expect(documents.slice(0, 2)).toEqual(
    events.slice(0, 2).map((event) => ({ attempt, at: '2026-01-01T12:00:00.000Z', ...event })),
  );
  expect(documents).toHaveLength(31);
});

test('logs shows the raw output of such an agent, and says where the readable one is', async () => {
  await using here = await commandScene(byClaude, { transcript });
  const { out, problems } = await here.tidegate('logs', 'hello');
  expect(out).toContain('line two');
  expect(problems).toEqual([`tidegate: note: this is raw output. Readable: tidegate attach ${run}/hello`]);
});

test('attach of a command says that it has only a log', async () => {
  await using here = await commandScene(stuck);
  expect(await here.tidegate('attach', 'hello')).toMatchObject({
    exit: 2,
    problems: [
      `tidegate: attach: the agent of ${run}/hello is a command and has no transcript. Its output: tidegate logs -f ${run}/hello`,
    ],
  });
});
