import { expect, test } from 'vitest';
import type { AgentNote } from '../../domain/agents/agent-note.ts';
import { taskId } from '../../domain/base/ids.ts';
import type { RunOverview } from '../../domain/orchestrator/guidance.ts';
import type { Message } from './client-channel.ts';
import { refuseAllButGuidance, takePosts } from './posts.ts';

const overview: RunOverview = {
  waves: [{ wave: 1, name: 'one', state: 'open' }],
  tasks: [
    {
      ...{ task: taskId('a'), wave: 1, title: 'do it', status: 'running', launches: 1, agent: 'claude' },
      ...{ owns: null, needs: [], capabilities: ['sql'] },
    },
  ],
};
const guidance = { kind: 'orchestrator-guidance', target: 'a', text: 'sort them', wait: 0 };

function orchestrator() {
  const noted: AgentNote[] = [];
  const note = (one: AgentNote): boolean => noted.push(one) > 0;
  const agent = { attempt: 'demo-ab12.orchestrator.1', isOrchestrator: true };
  return { noted, posts: takePosts(agent, { inbox: [], overview }, note), refuse: refuseAllButGuidance(note) };
}

test('guidance of the orchestrator is noted, up to the limit of an attempt', () => {
  const { noted, posts } = orchestrator();
  for (let count = 0; count < 50; count += 1) expect(posts.post(guidance)).toEqual({ ok: true, answer: null });
  expect(posts.post(guidance)).toMatchObject({ ok: false });
  expect(noted).toHaveLength(50);
});

test.each([
  ['a person', { target: 'person' }],
  ['a task that there is not', { target: 'b' }],
  ['a capability that no task has', { target: 'capability:rust' }],
])('guidance for %s is refused at once, and noted', (_, change) => {
  const { noted, posts } = orchestrator();
  expect(posts.post({ ...guidance, ...change })).toMatchObject({ ok: false, why: expect.stringContaining('guidance') });
  expect(noted).toMatchObject([{ note: 'denied', tool: 'post' }]);
});

test.each<[string, Message]>([
  ['a handoff', { do: 'handoff', handoff: { status: 'done', summary: 'x' } }],
  ['an act', { do: 'act', record: '1', act: 'resolve', text: 'x' }],
  ['a request for paths', { do: 'ask', paths: ['a'], why: '', wait: 0 }],
  ['another kind', { do: 'post', ...guidance, kind: 'request' }],
  ['a kind that there is not', { do: 'post', ...guidance, kind: 7 }],
])('%s of the orchestrator is refused and noted', (_, message) => {
  const { noted, refuse } = orchestrator();
  expect(refuse(message)).toContain('do nothing else');
  expect(noted).toMatchObject([{ note: 'denied', because: { rule: 'orchestrator-only' } }]);
});

test('everything else passes, and a flood of refusals is noted up to a limit', () => {
  const { noted, refuse } = orchestrator();
  const passes: readonly Message[] = [
    { do: 'post', ...guidance },
    { do: 'inbox', record: null },
    { do: 'mcp' },
    { do: 'scope' },
  ];
  expect(passes.map(refuse)).toEqual([null, null, null, null]);
  for (let count = 0; count < 200; count += 1) refuse({ do: 'handoff', handoff: {} });
  expect(noted).toHaveLength(100);
});

test('the orchestrator reads the state of the run beside the board', () => {
  const { posts } = orchestrator();
  expect(posts.inbox(null)).toMatch(/^.*\n<<< data [0-9a-f]{24}\n\{"wave":1.*\n\{"task":"a".*\n>>> end of data/);
});
