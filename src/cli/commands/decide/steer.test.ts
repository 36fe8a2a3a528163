import { expect, test } from 'vitest';
import { commandScene, stuck, working } from '../../../../test/support/command-scene.ts';
import { frozenPlan, plannedTask } from '../../../../test/support/plans.ts';
import { approved, begun, by, hello, run } from '../../../../test/support/run-events.ts';
import type { AgentNote } from '../../../domain/agents/agent-note.ts';
import { attemptId } from '../../../domain/base/ids.ts';
import type { RunEvent } from '../../../domain/ledger/events.ts';

const withAgent = (events: readonly RunEvent[], agent: string): readonly RunEvent[] =>
  events.map((event) => (event.type === 'attempt-intended' ? { ...event, agent } : event));
const byClaude = frozenPlan([[plannedTask('hello', { owns: ['HELLO.md'], agent: ['claude'], command: null })]]);
const begunByClaude = [...begun(byClaude), ...approved];
const noted = (note: AgentNote, number = 1): RunEvent => ({
  type: 'attempt-noted',
  task: hello,
  attempt: attemptId(run, hello, 1),
  number,
  note,
});
const usage = { turns: 12, inputTokens: 1500, outputTokens: 200, cachedTokens: 90_000, usd: 8.5 };

test.each([
  [['send', 'hello', 'look at the tests'], { type: 'requested-send', task: hello, message: 'look at the tests', by }],
  [['raise', '--usd', '5'], { type: 'requested-raise', task: null, usd: 5, by }],
  [['raise', 'hello', '--usd', '2.50'], { type: 'requested-raise', task: hello, usd: 2.5, by }],
  [['grant', 'hello', 'x.md'], { type: 'requested-grant', task: hello, paths: ['x.md'], by }],
])('tidegate %j is one request, while the agent works', async (argv, request) => {
  await using here = await commandScene(withAgent(working, 'claude'));
  expect(await here.tidegate(...argv)).toMatchObject({ exit: 0, problems: [] });
  expect(await here.requests()).toEqual([request]);
});

test.each([[['send', 'hello', 'x']], [['raise', '--usd', '5']], [['retry', 'hello', '--agent', 'codex']]])(
  'an agent may not %j',
  async (argv) => {
    await using here = await commandScene(withAgent(working, 'claude'), { agent: 'claude-code' });
    expect(await here.tidegate(...argv, '--json')).toMatchObject({
      exit: 43,
      document: { reason: 'caller-is-agent', needs: [{ kind: 'person' }] },
    });
    expect(await here.requests()).toEqual([]);
  },
);

test('codex takes no message, and a task that does not run neither: both are told what to do instead', async () => {
  await using at = await commandScene(withAgent(working, 'codex'));
  expect((await at.tidegate('send', 'hello', 'x')).problems).toEqual([
    `tidegate: refused: codex cannot receive messages while it runs; when it has ended: tidegate rework ${run}/hello -m x`,
  ]);
  await using over = await commandScene(withAgent(stuck, 'claude'));
  expect((await over.tidegate('send', 'hello', 'x')).problems).toEqual([
    `tidegate: refused: no agent is running for hello; it is held; instead: tidegate rework ${run}/hello -m x`,
  ]);
});

test('costs names tokens of all, money only where an agent did, and what is under way', async () => {
  await using here = await commandScene([...withAgent(working, 'claude'), noted({ note: 'usage', usage })]);
  expect(`\n${(await here.tidegate('costs')).out}\n`).toMatchInlineSnapshot(`
    "
    task        turns       in      out   cached     cost
    hello          12     1.5k      200    90.0k    $8.50  $8.50 of $10.00 (85 %)  running

    agent       turns       in      out   cached     cost
    claude         12     1.5k      200    90.0k    $8.50  running

    total          12     1.5k      200    90.0k    $8.50  running
    checkout-k3f9: $8.50 of $50.00 (17 %)
    "
  `);
  await using codex = await commandScene([
    ...withAgent(working, 'codex'),
    noted({ note: 'usage', usage: { ...usage, usd: null } }),
  ]);
  expect((await codex.tidegate('costs')).out).toContain('90.0k        -');
});

test('a task that has used its money waits for a raise, and says how much', async () => {
  await using here = await commandScene([
    ...withAgent(working, 'claude'),
    noted({ note: 'usage', usage: { ...usage, usd: 10.2 } }),
  ]);
  expect((await here.tidegate('status')).out).toContain('hello has used $10.20 of its $10.00 budget');
});

test('what an agent asks for is shown with the command that grants it', async () => {
  const asked = noted({ note: 'asked', paths: ['x.md'], why: 'the link is there' });
  await using here = await commandScene([...withAgent(working, 'claude'), asked]);
  const grant = `tidegate grant ${run}/hello x.md`;
  expect((await here.tidegate('status', '--json')).document).toMatchObject({
    needs: [
      { kind: 'scope', task: 'hello', message: 'the agent requests access to x.md: the link is there', command: grant },
    ],
  });
  expect((await here.tidegate('why', 'hello')).out).toContain(grant);
  expect((await here.tidegate('events')).out).toContain(`hello: requests access to x.md: the link is there; ${grant}`);
});

test('a paused provider is named with its reason, its time and the command that gives the task to another agent', async () => {
  const trouble = { kind: 'rate-limited', until: null, words: 'slow down' } as const;
  const until = '2026-01-01T12:10:00.000Z';
  const waits = withAgent(begunByClaude, 'claude');
  const paused: RunEvent = { type: 'provider-paused', provider: 'anthropic', until, trouble, tries: 1 };
  await using here = await commandScene([...waits, paused]);
  const retry = `tidegate retry ${run}/hello --agent codex`;
  const said = /anthropic is paused until \d\d:\d\d \(10m 00s\): rate-limited, slow down/;
  const { out } = await here.tidegate('status');
  expect(out).toMatch(said);
  expect(out).toContain(retry);
  const why = await here.tidegate('why', 'hello');
  expect(why.out).toMatch(said);
  expect(why.out).toContain(retry);
  expect((await here.tidegate('events')).out).toMatch(/anthropic is paused until \d\d:\d\d: rate-limited/);
  expect(await here.tidegate('retry', 'hello', '--agent', 'codex')).toMatchObject({ exit: 0 });
  expect(await here.requests()).toEqual([{ type: 'requested-retry', task: hello, agent: 'codex', by }]);
  expect((await here.tidegate('why', 'hello')).out).not.toContain('paused');
});

test('an agent that does not exist is refused with those that do', async () => {
  await using here = await commandScene(stuck);
  expect((await here.tidegate('retry', 'hello', '--agent', 'nobody')).problems[0]).toContain(
    'there is no agent nobody; choose one of',
  );
});
