import { describe, expect, test } from 'vitest';
import type { ClosureRole } from '../../domain/closure/roles.ts';
import type { ChannelAnswer } from './client-channel.ts';
import { mcpAnswer } from './mcp-tools.ts';

const request = (method: string, params?: unknown, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** The answer, and what was asked for it. */
async function answered(line: string, answer: ChannelAnswer = { ok: true }, closes?: ClosureRole) {
  const asked: object[] = [];
  const hear = (message: object): ChannelAnswer => {
    asked.push(message);
    return answer;
  };
  const document = await mcpAnswer(line, hear, closes);
  return { document, asked };
}

const call = async (name: string, given: unknown, answer?: ChannelAnswer, closes?: ClosureRole) => {
  const { document, asked } = await answered(request('tools/call', { name, arguments: given }), answer, closes);
  const { result } = document as { result?: { content: { text: string }[]; isError?: boolean } };
  return { asked, text: result?.content[0]?.text, isError: result?.isError ?? false };
};

describe('a session', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-11-25'],
    ['3000-01-01', '2025-11-25'],
    [7, '2025-11-25'],
  ])('that begins with version %s has %s', async (wanted, protocolVersion) => {
    const { document } = await answered(request('initialize', { protocolVersion: wanted }));
    expect(document).toMatchObject({ id: 1, result: { protocolVersion, capabilities: { tools: {} } } });
  });

  test('answers under the id that it was asked by, and what is no request not at all', async () => {
    expect((await answered(request('ping', undefined, 'a-7'))).document).toEqual({
      jsonrpc: '2.0',
      id: 'a-7',
      result: {},
    });
    expect((await answered('{"jsonrpc":"2.0","method":"notifications/initialized"}')).document).toBeNull();
    expect((await answered('{"jsonrpc":"2.0","id":3,"result":{}}')).document).toBeNull();
  });

  test.each([
    ['no JSON', 'hello', null, -32700],
    ['what is too deep', request('ping', JSON.parse('['.repeat(300) + ']'.repeat(300))), null, -32700],
    ['another protocol', '{"id":1,"method":"ping"}', null, -32600],
    ['several at once', `[${request('ping')}]`, null, -32600],
    ['an id that is none', request('ping', {}, { a: 1 }), null, -32600],
    ['an unknown method', request('resources/list'), 1, -32601],
    ['an unknown tool', request('tools/call', { name: 'approve', arguments: {} }), 1, -32602],
    ['no tool', request('tools/call', [1]), 1, -32602],
  ])('tells of %s', async (_, line, id, code) => {
    const { document, asked } = await answered(line);
    expect(document).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    expect(asked).toEqual([]);
  });
});

describe('a closure role', () => {
  const toolsFor = async (closes?: ClosureRole) => {
    const { document } = await answered(request('tools/list'), { ok: true }, closes);
    return (document as { result: { tools: { name: string; inputSchema: { properties: object } }[] } }).result.tools;
  };
  test('has verdict instead of handoff, with the words and parts of its role', async () => {
    expect((await toolsFor()).map(({ name }) => name)).toEqual(['handoff', 'post', 'ask', 'record', 'inbox', 'scope']);
    const [verdict, ...others] = await toolsFor('qa');
    expect(others.map(({ name }) => name)).toEqual(['post', 'ask', 'record', 'inbox', 'scope']);
    expect(verdict).toMatchObject({
      name: 'verdict',
      inputSchema: { properties: { word: { enum: ['pass', 'concerns', 'blocked'] } } },
    });
    expect(Object.keys(verdict?.inputSchema.properties ?? {})).toEqual(['word', 'summary', 'findings', 'dimensions']);
    const { document } = await answered(request('tools/call', { name: 'handoff', arguments: {} }), { ok: true }, 'qa');
    expect(document).toMatchObject({ error: { code: -32602 } });
  });
  test('reports as a handoff with a report', async () => {
    const given = { word: 'concerns', findings: ['slow'], dimensions: { live: 'concerns' } };
    expect(await call('verdict', given, { ok: true }, 'qa')).toEqual({
      asked: [{ do: 'handoff', handoff: { status: 'done', summary: 'qa: concerns', report: given } }],
      text: 'report taken; you may end now',
      isError: false,
    });
  });
  test.each([
    [{ word: 'clear' }, 'word must be one of pass, concerns, blocked'],
    [{ word: 'pass', approvals: [] }, 'there is no argument "approvals"'],
    [{ word: 'pass', dimensions: { live: 'fine' } }, 'dimensions must be names with pass, concerns, blocked'],
    [{ word: 'pass', dimensions: 'pass' }, 'dimensions must be names with pass, concerns, blocked'],
  ])('with %j asks nobody', async (given, why) => {
    expect(await call('verdict', given, { ok: true }, 'qa')).toEqual({
      asked: [],
      text: `not taken: ${why}`,
      isError: true,
    });
  });
});

describe('a tool', () => {
  test('says what the command says', async () => {
    const handoff = { status: 'done', summary: 'did it', files: ['a'] };
    expect(await call('handoff', handoff)).toEqual({
      asked: [{ do: 'handoff', handoff }],
      text: 'handoff taken; you may end now',
      isError: false,
    });
    expect((await call('post', { text: 'x' })).asked).toEqual([{ do: 'post', kind: 'note', text: 'x' }]);
    expect(await call('ask', { question: 'which?', wait: 5 }, { ok: true, answer: 'that' })).toEqual({
      asked: [{ do: 'post', kind: 'question', target: 'person', text: 'which?', wait: 5 }],
      text: 'answered: that',
      isError: false,
    });
    expect(await call('ask', { scope: ['a'], why: 'y' }, { ok: true, granted: true })).toMatchObject({
      asked: [{ do: 'ask', paths: ['a'], why: 'y', wait: 0 }],
      text: 'granted: you may change them now',
    });
    expect(await call('ask', { scope: ['a'] }, { ok: true, granted: true, later: ['a'] })).toMatchObject({
      text: 'granted from the next attempt on; read-only in this one: a. Go on without it, or hand off partial',
    });
    expect((await call('inbox', undefined, { ok: true, mail: 'quoted' })).text).toBe('quoted');
    expect((await call('scope', {}, { ok: true, scope: null })).text).toBe('null');
  });

  test('that is refused tells the model why', async () => {
    expect(await call('post', { text: 'x' }, { ok: false, why: 'too often' })).toMatchObject({
      text: 'not taken: too often',
      isError: true,
    });
  });

  test.each([
    ['handoff', { status: 'done' }, 'summary is missing'],
    ['handoff', { status: 'landed', summary: 'x' }, 'status must be one of done, partial, failed'],
    ['handoff', { status: 'done', summary: 'x', nonce: 'n' }, 'there is no argument "nonce"'],
    ['handoff', { status: 'done', summary: 'x', files: 'a' }, 'files must be a list of texts'],
    ['post', { text: 'x'.repeat(4001) }, 'text must be a text of at most 4000 characters'],
    [
      'post',
      { text: 'x', kind: 'approval' },
      'kind must be one of note, question, request, decision, handoff-note, ack, claim, evidence, blocker, contradiction, human-escalation',
    ],
    ['ask', { question: 'x', wait: 601 }, 'wait must be a whole number from 0 to 600'],
    ['ask', { scope: Array(21).fill('a') }, 'scope must be a list of at most 20 texts'],
    ['ask', {}, 'there is no question'],
    ['inbox', { constructor: 1 }, 'there is no argument "constructor"'],
  ])('%s with what does not fit asks nobody: %j', async (name, given, why) => {
    expect(await call(name, given)).toEqual({ asked: [], text: `not taken: ${why}`, isError: true });
  });
});

test('the orchestrator has tools for guidance and for reading, and no other', async () => {
  const ask = (): ChannelAnswer => ({ ok: true, mail: 'a record' });
  const list = await mcpAnswer(request('tools/list'), ask, 'orchestrator');
  expect((list as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)).toEqual([
    'post',
    'inbox',
  ]);
  const asked: object[] = [];
  const hear = (message: object): ChannelAnswer => {
    asked.push(message);
    return { ok: true };
  };
  const use = (name: string, given: object) =>
    mcpAnswer(request('tools/call', { name, arguments: given }), hear, 'orchestrator');
  await use('post', { text: 'sort them', to: 'a' });
  expect(asked).toEqual([{ do: 'post', kind: 'orchestrator-guidance', target: 'a', text: 'sort them' }]);
  expect(await use('post', { text: 'x', kind: 'request' })).toMatchObject({ result: { isError: true } });
  expect(await use('handoff', { status: 'done', summary: 'x' })).toMatchObject({ error: { code: -32602 } });
  expect(asked).toHaveLength(1);
});
