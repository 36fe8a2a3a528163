import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentEvent, noUsage } from '../../domain/tool-calls/agent-event.ts';
import { allow, type Decision } from '../../domain/tool-calls/tool-scope.ts';
import { type AcpMessage, type AcpProgress, acpStart, evolveAcp, refusalPrompt } from './progress.ts';

/** Plays messages from the start, without a process. */
function play(messages: readonly AcpMessage[], from: AcpProgress = acpStart(noUsage)) {
  let state = from;
  const events: AgentEvent[] = [];
  for (const message of messages) {
    const next = evolveAcp(state, message);
    state = next.state;
    events.push(...next.events);
  }
  return { state, events, types: events.map(({ type }) => type) };
}

const update = (fields: object): AcpMessage => ({ type: 'update', params: { update: fields } });
const speech = (text: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const call = (fields: object) => update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...fields });
const opened: AcpMessage = { type: 'session-opened', session: 's', model: null };
const turnEnded: AcpMessage = { type: 'turn-ended', result: { stopReason: 'end_turn' } };
const completed = { type: 'ended', outcome: 'completed', trouble: null } as const;
const failed = { type: 'failed', failure: { kind: 'dropped', until: null, words: 'gone' } } as const;
const denied: Decision = {
  decision: 'deny',
  because: { rule: 'outside-workspace', where: '/etc', place: 'elsewhere', workspace: '/workspace' },
};

describe('recorded conversations', () => {
  const recorded = 'test/agents/transcripts';
  const agents = ['gemini-acp', 'claude-agent-acp', 'codex-acp', 'opencode-acp'];
  const updates = (agent: string, name: string): readonly AcpMessage[] =>
    readFileSync(join(recorded, agent, name), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"session/update"'))
      .map((line) => ({ type: 'update', params: JSON.parse(line).params }));

  test.each(
    agents.flatMap((agent) =>
      readdirSync(join(recorded, agent))
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => [agent, name] as const),
    ),
  )('%s %s: every update is known, and no result comes without its call', (agent, name) => {
    const { events } = play([opened, ...updates(agent, name), turnEnded]);
    expect(events.filter(({ type }) => type === 'unknown')).toEqual([]);
    const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call.id] : []));
    expect(new Set(calls).size).toBe(calls.length);
    const results = events.flatMap((event) => (event.type === 'tool-result' ? [event.id] : []));
    expect(results.filter((id) => !calls.includes(id))).toEqual([]);
  });

  test.each(agents)('%s: the order of updates may be reversed, and nothing is thrown', (agent) => {
    for (const name of readdirSync(join(recorded, agent)).filter((one) => one.endsWith('.jsonl')))
      expect(() => play([...updates(agent, name), turnEnded].toReversed())).not.toThrow();
  });
});

describe('odd orders', () => {
  test('a result before its call announces the call first', () => {
    expect(play([call({ status: 'completed', kind: 'read' })]).types).toEqual(['tool-call', 'tool-result']);
  });

  test('a call is announced once, whether the agent reports or asks first', () => {
    const request: AcpMessage = { type: 'permission-requested', toolCall: { toolCallId: 'c', kind: 'edit' } };
    const running = call({ status: 'in_progress', kind: 'edit' });
    const decision: AcpMessage = { type: 'permission-decided', decision: allow };
    expect(play([running, request, decision, running]).types).toEqual(['tool-call']);
    expect(play([request, decision, running]).types).toEqual(['tool-call']);
  });

  test('speech becomes one turn, at the next call or at the end', () => {
    const { events } = play([speech('a'), speech('b'), call({ status: 'in_progress' }), speech('c'), turnEnded]);
    expect(events.flatMap((event) => (event.type === 'turn' ? [event.text] : []))).toEqual(['ab', 'c']);
  });

  test('a session that is loaded repeats the past, and nothing of it counts', () => {
    const { state, types } = play([{ type: 'session-loading' }, speech('of old'), opened, turnEnded]);
    expect(types).toEqual(['started', 'usage']);
    expect(state.usage.turns).toBe(0);
  });

  test('a failure after the end is no second end', () => {
    expect(play([{ type: 'ended', ending: completed }, failed]).types).toEqual(['ended']);
    expect(play([speech('half'), failed, failed]).types).toEqual(['turn', 'ended']);
  });

  test('a turn that codex-acp could not finish ends as a failure, with the speech as its reason', () => {
    const error = update({
      sessionUpdate: 'session_info_update',
      _meta: { codex: { threadStatus: { type: 'systemError' } } },
    });
    const { state, events } = play([error, speech('429 rate limit'), turnEnded, { type: 'ended', ending: completed }]);
    expect(state.failure?.kind).toBe('rate-limited');
    expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: 'failed' });
  });

  test('a refusal is explained once, and not at all when the model has spoken since', () => {
    const refused: readonly AcpMessage[] = [
      { type: 'permission-requested', toolCall: { toolCallId: 'c', kind: 'edit' } },
      { type: 'permission-decided', decision: denied },
    ];
    const { state } = play(refused);
    expect(refusalPrompt(state)).toContain('That call was refused.');
    expect(refusalPrompt(play([{ type: 'refusal-sent' }], state).state)).toBeNull();
    expect(refusalPrompt(play([speech('I see')], state).state)).toBeNull();
  });

  test('the price is that of this process, in dollars, whatever the session cost before', () => {
    const cost = (amount: number, currency: string) =>
      update({ sessionUpdate: 'usage_update', cost: { amount, currency } });
    const from = acpStart({ ...noUsage, usd: 2 });
    expect(play([cost(5, 'EUR'), cost(2.5, 'USD')], from).state.usage.usd).toBe(0.5);
  });
});
