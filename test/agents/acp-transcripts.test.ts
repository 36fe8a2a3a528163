import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { followAcp } from '../../src/agents/acp/conversation.ts';
import type { AgentEvent, AgentFailureKind } from '../../src/domain/tool-calls/agent-event.ts';
import type { LaunchContext } from '../../src/ports/executor.ts';
import { guard } from './support/acp-room.ts';

const recorded = join(import.meta.dirname, 'transcripts');
const agents = ['gemini-acp', 'claude-agent-acp', 'codex-acp', 'opencode-acp'];

const troubles: readonly (readonly [string, AgentFailureKind])[] = [
  ['rate-limited-for-ever', 'rate-limited'],
  ['overloaded', 'overloaded'],
  ['unauthorized', 'needs-login'],
  ['dropped', 'dropped'],
];

type Played = { readonly events: readonly AgentEvent[]; readonly said: readonly string[]; readonly hungUp: boolean };

/** What real agents printed, through the reader that supervisors use; each line is answered before the next one comes. */
async function played(agent: string, name: string): Promise<Played> {
  const events: AgentEvent[] = [];
  const said: string[] = [];
  let hungUp = false;
  const callbacks = {
    emit: (event: AgentEvent) => void events.push(event),
    decide: guard,
    write: (text: string) => void said.push(text),
    endInput: () => {
      hungUp = true;
    },
  };
  const seat = { job: { agent: { model: null } }, session: null, prompt: 'Do it.', workspace: '/workspace' };
  const reader = followAcp(callbacks, seat as unknown as LaunchContext);
  for (const line of readFileSync(join(recorded, agent, `${name}.jsonl`), 'utf8').split('\n')) {
    if (line !== '') reader.line(line);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  }
  return { events, said, hungUp };
}

const ending = ({ events }: Played) => events.findLast((event) => event.type === 'ended');

describe.each(agents)('what %s printed', (agent) => {
  const names = readdirSync(join(recorded, agent))
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => file.slice(0, -'.jsonl'.length));

  test.each(names)('%s is understood line by line, and the line is hung up at the end', async (name) => {
    const { events, hungUp } = await played(agent, name);
    expect(events.filter((event) => event.type === 'unknown')).toEqual([]);
    expect(events.filter((event) => event.type === 'ended')).toHaveLength(1);
    expect(hungUp).toBe(true);
  });

  test('normal: a session, turns, tool calls with their results, tokens, and its own last word', async () => {
    const run = await played(agent, 'normal');
    expect(ending(run)).toMatchObject({ outcome: 'completed', trouble: null });
    expect(run.events[0]).toMatchObject({ type: 'started', session: expect.stringMatching(/./) });
    const calls = run.events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []));
    const results = run.events.flatMap((event) => (event.type === 'tool-result' ? [event.id] : []));
    expect(results.toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
    expect(calls.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['write', 'run']));
    const written = calls.filter(({ kind }) => kind === 'write').flatMap(({ paths }) => paths);
    expect(written.every((path) => path.endsWith('src/hello.txt'))).toBe(true);
    expect(calls.some(({ command }) => command?.includes('echo ran > ran.txt'))).toBe(true);
    const usage = run.events.findLast((event) => event.type === 'usage')?.usage;
    expect([usage?.turns, (usage?.inputTokens ?? 0) > 0]).toEqual([expect.any(Number), true]);
  });

  test('its speech is first to say who asks and what it may do, then where', async () => {
    const { said } = await played(agent, 'normal');
    const [initialize, session, prompt] = said.map((text) => JSON.parse(text) as { method: string; params: object });
    expect(initialize).toMatchObject({
      method: 'initialize',
      params: { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } } },
    });
    expect(session).toMatchObject({
      method: 'session/new',
      params: { cwd: '/workspace', mcpServers: [{ name: 'tidegate', args: ['mcp'] }] },
    });
    expect(prompt).toMatchObject({ method: 'session/prompt' });
  });

  // codex-acp asks nobody: Codex's own hook does, and that is not in what it prints.
  if (agent !== 'codex-acp')
    test('denied: what is out of scope is rejected when it asks, and the rest allowed', async () => {
      const { said } = await played(agent, 'denied');
      const chosen = said.flatMap((text) => /"optionId":"([^"]+)"/.exec(text)?.[1] ?? []);
      expect(chosen.map((option) => /reject|cancel/.test(option))).toEqual([true, true, false]);
    });

  test.each(troubles.filter(([name]) => names.includes(name)))('%s is told as what it is', async (name, kind) => {
    expect(ending(await played(agent, name))).toMatchObject({ outcome: 'failed', trouble: { kind } });
  });
});
