import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { clientProgram } from '../support/mcp.ts';
import { program, project, scripted } from '../support/project.ts';
import { projectWithRun, serverOf } from '../support/server.ts';
import { untilEvent } from '../support/until-event.ts';

/** What only people decide must be no tool, whatever else becomes one. */
const decides = /approve|reject|hold|grant|drop|accept|edit|land|undo|answer|raise|retry|rework|resume|stop|pause|send/;

const textOf = (result: Awaited<ReturnType<Client['callTool']>>): string => {
  const [first] = result.content;
  return first?.type === 'text' ? first.text : '';
};

test('an assistant of the person looks at runs, and can decide nothing', { timeout: 60_000 }, async () => {
  await using here = await projectWithRun();
  const client = new Client({ name: 'test', version: '1' });
  const { checkout: cwd, environment: env } = here;
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], cwd, env }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['status', 'why', 'logs']);
  expect(tools.filter(({ name, annotations }) => decides.test(name) || annotations?.readOnlyHint !== true)).toEqual([]);
  const call = async (name: string, given = {}) => await client.callTool({ name, arguments: given });

  const status = textOf(await call('status'));
  const [, document = ''] = /\n<<< data [0-9a-f-]{36}\n([\s\S]*)\n>>> end of data/.exec(status) ?? [];
  expect(JSON.parse(document)).toMatchObject({ schema: 'tidegate.status/1', run: here.run, ended: 'landed' });
  expect(textOf(await call('why', { subject: `${here.run}/one` }))).toContain('"sentence"');
  expect(textOf(await call('logs', { subject: `${here.run}/one` }))).toContain('handoff taken');
  const before = (await here.events()).length;
  expect(await call('status', { run: 'nobody-0000' })).toMatchObject({ isError: true });
  expect(await call('why', { subject: '--help' })).toMatchObject({ isError: true });
  expect((await here.events()).length).toBe(before);
  await client.close();
});

test('an assistant has the same tools over HTTP, with a token, and no others', { timeout: 60_000 }, async () => {
  await using here = await projectWithRun();
  await using server = await serverOf(here);
  const address = new URL(`${server.url}/mcp`);
  const connected = async (token: string): Promise<Client> => {
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
    return client;
  };
  const client = await connected(server.tokens.read);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['status', 'why', 'logs']);
  expect(textOf(await client.callTool({ name: 'status', arguments: {} }))).toContain(`"run": "${here.run}"`);
  expect(await client.callTool({ name: 'why', arguments: { subject: 'nobody-0000' } })).toMatchObject({
    isError: true,
  });
  await client.close();
  await expect(connected('tg-read-nobody')).rejects.toThrow();
  const ask = (body: unknown, headers = {}) =>
    server.ask('POST', '/mcp', {
      token: server.tokens.read,
      body,
      headers: { accept: 'application/json', ...headers },
    });
  expect((await ask({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBeGreaterThanOrEqual(400);
  expect((await server.ask('GET', '/mcp', { token: server.tokens.read })).status).toBe(405);
  expect((await server.ask('GET', '/v1/server', { token: server.tokens.read })).status).toBe(200);
});

test('an agent hands off, posts, asks and reads by the official client, inside its fence', {
  timeout: 90_000,
}, async () => {
  const calls = [
    ['scope', {}],
    ['ask', { question: 'which table?', wait: 60 }],
    ['post', { text: 'it is the second', to: 'all', kind: 'decision' }],
    ['post', { text: 'x', kind: 'approval' }],
    ['inbox', {}],
    ['handoff', { status: 'done', summary: 'by MCP', files: ['a.txt'] }],
  ];
  const one = scripted(`node client.mjs a.txt '${JSON.stringify(calls)}'`, { owns: ['a.txt'] });
  await using here = await project({ plan: { tasks: { one } }, files: { 'client.mjs': await clientProgram() } });
  await here.cli('run', 'plan.yaml', '--yes', '--land', '-d');
  await untilEvent(here, (event) => event.type === 'attempt-noted' && event.note.note === 'posted');
  expect(await here.cli('answer', '1', '-m', 'the second')).toMatchObject({ code: 0 });
  expect((await here.cli('watch')).code).toBe(0);
  const { tools, results } = JSON.parse(here.git('show', 'main:a.txt')) as {
    tools: readonly string[];
    results: readonly { name: string; isError: boolean; text: string }[];
  };
  expect(tools).toEqual(['handoff', 'post', 'ask', 'record', 'inbox', 'scope']);
  expect(tools.filter((name) => decides.test(name))).toEqual([]);
  const [scope, asked, posted, refused, inbox, handoff] = results;
  expect(JSON.parse(scope?.text ?? '')).toMatchObject({ task: 'one', kind: 'owned', owns: ['a.txt'] });
  expect([asked?.text, posted?.text, handoff?.text]).toEqual([
    'answered: the second',
    'posted for all',
    'handoff taken; you may end now',
  ]);
  expect(refused?.isError).toBe(true);
  expect(inbox?.text).toContain('"text":"which table?","answer":"the second"');
  const events = await here.events();
  const ended = events.flatMap(({ event }) => (event.type === 'attempt-ended' ? [event.handoff] : []));
  expect(ended).toMatchObject([{ kind: 'given', handoff: { status: 'done', summary: 'by MCP' } }]);
});
