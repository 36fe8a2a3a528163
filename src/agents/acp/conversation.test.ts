import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type AgentEvent, noUsage } from '../../domain/tool-calls/agent-event.ts';
import { allow, type Decision } from '../../domain/tool-calls/tool-scope.ts';
import type { LaunchContext } from '../../ports/executor.ts';
import { followAcp } from './conversation.ts';

/** An agent that is answered and spoken for by hand. */
async function conversation(session: LaunchContext['session'], decide: () => Decision = () => allow) {
  const events: AgentEvent[] = [];
  const said: {
    readonly id?: number;
    readonly method?: string;
    readonly params?: unknown;
    readonly result?: unknown;
  }[] = [];
  const callbacks = {
    emit: (event: AgentEvent) => void events.push(event),
    decide,
    write: (text: string) => void said.push(JSON.parse(text)),
    endInput: () => undefined,
  };
  const seat = {
    job: { agent: { model: null } },
    session,
    prompt: 'Do it.',
    workspace: '/workspace',
    client: '/bin/tidegate',
  };
  const reader = followAcp(callbacks, seat as unknown as LaunchContext);
  const hear = async (message: object): Promise<void> => {
    reader.line(JSON.stringify({ jsonrpc: '2.0', ...message }));
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  };
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  return {
    events,
    said,
    hear,
    send: reader.send,
    cancel: reader.cancel,
    update: (update: object) => hear({ method: 'session/update', params: { sessionId: 's', update } }),
    answer: (result: object) => hear({ id: said.at(-1)?.id ?? -1, result }),
    refuse: (error: object) => hear({ id: said.at(-1)?.id ?? -1, error }),
  };
}

const before = { id: 's', usage: noUsage };
const speech = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'of old' } };

describe('a session', () => {
  test('is loaded again where the agent can, and what it tells of the past is not counted', async () => {
    const agent = await conversation(before);
    await agent.answer({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
    expect(agent.said.at(-1)).toMatchObject({ method: 'session/load', params: { sessionId: 's', cwd: '/workspace' } });
    await agent.update(speech);
    await agent.answer({});
    await agent.answer({ stopReason: 'end_turn' });
    expect(agent.events.map(({ type }) => type)).toEqual(['started', 'usage', 'ended']);
  });

  test('that is gone is told as such, in the words of the agent', async () => {
    const agent = await conversation(before);
    await agent.answer({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
    for (const _ of ['with our MCP server', 'without'])
      await agent.refuse({ code: -32002, message: 'no such session' });
    const trouble = { kind: 'unknown-session', until: null, words: 'no such session' };
    expect(agent.events).toEqual([{ type: 'ended', outcome: 'failed', trouble }]);
  });

  test('is begun anew where the agent cannot', async () => {
    const agent = await conversation(before);
    await agent.answer({ protocolVersion: 1, agentCapabilities: {} });
    expect(agent.said.at(-1)).toMatchObject({ method: 'session/new' });
  });

  test('has our MCP server, and none where the agent does not take it', async () => {
    const agent = await conversation(null);
    await agent.answer({ protocolVersion: 1 });
    expect(agent.said.at(-1)).toMatchObject({
      method: 'session/new',
      params: { mcpServers: [{ name: 'tidegate', command: '/bin/tidegate', args: ['mcp'] }] },
    });
    await agent.refuse({ code: -32602, message: 'what is that server?' });
    expect(agent.said.at(-1)).toMatchObject({ method: 'session/new', params: { mcpServers: [] } });
    await agent.answer({ sessionId: 's' });
    expect(agent.said.at(-1)).toMatchObject({ method: 'session/prompt' });
  });

  test('that is refused for want of a login is not asked for again', async () => {
    const agent = await conversation(null);
    await agent.answer({ protocolVersion: 1 });
    await agent.refuse({ code: -32000, message: 'log in' });
    expect(agent.said.filter(({ method }) => method === 'session/new')).toHaveLength(1);
    expect(agent.events).toMatchObject([{ type: 'ended', trouble: { kind: 'needs-login' } }]);
  });
});

describe('a turn', () => {
  test('that ends with a refusal goes on when the agent was told why', async () => {
    const agent = await conversation(null, () => ({
      decision: 'deny',
      because: { rule: 'forbidden', pattern: 'not yours' },
    }));
    await agent.answer({ protocolVersion: 1 });
    await agent.answer({ sessionId: 's' });
    const prompt = agent.said.at(-1)?.id;
    await agent.hear({
      id: 7,
      method: 'session/request_permission',
      params: { toolCall: { toolCallId: 'c', kind: 'edit' }, options: [{ optionId: 'no', kind: 'reject_once' }] },
    });
    expect(agent.said.at(-1)).toMatchObject({ id: 7, result: { outcome: { outcome: 'selected', optionId: 'no' } } });
    await agent.hear({ id: prompt, result: { stopReason: 'cancelled' } });
    expect(agent.said.at(-1)).toMatchObject({ method: 'session/prompt' });
    expect(JSON.stringify(agent.said.at(-1)?.params)).toContain('not yours');
    await agent.answer({ stopReason: 'end_turn' });
    expect(agent.events.at(-1)).toMatchObject({ type: 'ended', outcome: 'completed' });
  });

  test('is not disturbed by lines that nobody knows, nor by what comes after it', async () => {
    const agent = await conversation(null);
    await agent.answer({ protocolVersion: 1 });
    await agent.answer({ sessionId: 's' });
    await agent.update({ sessionUpdate: 'of_tomorrow' });
    await agent.hear({ method: 'tomorrow/news', params: {} });
    await agent.hear({ method: '_vendor/news', params: {} });
    expect(agent.events.filter(({ type }) => type === 'unknown')).toHaveLength(2);
    await agent.update(speech);
    const prompt = agent.said.find(({ method }) => method === 'session/prompt')?.id;
    await agent.hear({ id: prompt, result: { stopReason: 'end_turn' } });
    await agent.update(speech);
    expect(agent.events.at(-1)).toMatchObject({ type: 'ended', outcome: 'completed' });
  });
});

const answering = async (decide?: () => Decision) => {
  const agent = await conversation(null, decide);
  await agent.answer({ protocolVersion: 1 });
  await agent.answer({ sessionId: 's' });
  return agent;
};

describe('a message', () => {
  test('is said when the turn is over, in the same session', async () => {
    const agent = await answering();
    expect([agent.send('mind the gap'), agent.send('and the step')]).toEqual([true, true]);
    expect(agent.said.filter(({ method }) => method === 'session/prompt')).toHaveLength(1);
    await agent.answer({ stopReason: 'end_turn' });
    expect(agent.said.at(-1)).toMatchObject({
      method: 'session/prompt',
      params: { sessionId: 's', prompt: [{ type: 'text', text: 'mind the gap\n\nand the step' }] },
    });
    expect(agent.events.some(({ type }) => type === 'ended')).toBe(false);
    await agent.answer({ stopReason: 'end_turn' });
    expect(agent.events.at(-1)).toMatchObject({ type: 'ended', outcome: 'completed' });
    expect(agent.send('too late')).toBe(false);
  });

  test('does not keep an agent going whose model cannot be asked', async () => {
    const agent = await answering();
    agent.send('mind the gap');
    await agent.refuse({ code: -32603, message: '429 Too Many Requests' });
    expect(agent.said.filter(({ method }) => method === 'session/prompt')).toHaveLength(1);
    expect(agent.events.at(-1)).toMatchObject({ type: 'ended', trouble: { kind: 'rate-limited' } });
  });
});

describe('a turn that is cancelled', () => {
  test('is over when the agent says so: what it used is kept, and it is neither through nor in trouble', async () => {
    const agent = await answering();
    const prompt = agent.said.at(-1)?.id;
    await agent.update(speech);
    agent.send('mind the gap');
    expect(agent.cancel()).toBe(true);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(agent.said.at(-1)).toMatchObject({ method: 'session/cancel', params: { sessionId: 's' } });
    const usage = { inputTokens: 70, outputTokens: 7 };
    await agent.hear({ id: prompt, result: { stopReason: 'cancelled', usage } });
    expect(agent.events.at(-1)).toMatchObject({ type: 'usage', usage });
    expect(agent.said.at(-1)).toMatchObject({ method: 'session/cancel' });
    expect([agent.cancel(), agent.send('too late')]).toEqual([false, false]);
  });

  test('may end as it likes', async () => {
    const agent = await answering();
    const prompt = agent.said.at(-1)?.id;
    agent.cancel();
    await agent.hear({ id: prompt, error: { code: -32603, message: 'aborted' } });
    expect(agent.events.map(({ type }) => type)).toEqual(['started']);
  });

  test('is none where no session is open yet', async () => {
    expect((await conversation(null)).cancel()).toBe(false);
  });
});
