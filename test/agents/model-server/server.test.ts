import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import type { Script } from './script.ts';
import { type ModelServer, modelServer } from './server.ts';

const twoTurns: Script = {
  turns: [{ text: 'Writing.', calls: [{ tool: 'write', path: 'a.txt', content: 'a\n' }] }, { text: 'Done.' }],
};
const tools = [{ name: 'Write', input_schema: { properties: { file_path: {}, content: {} } } }];
const prompt = { role: 'user', content: 'Go. [[script:two]]' };
const wrote = { role: 'assistant', content: [{ type: 'tool_use', id: 'call_t0_0', name: 'Write', input: {} }] };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_t0_0', content: 'ok' }] };

describe('a scripted model', () => {
  test('says the turn that the conversation has come to, however often it is asked', async () => {
    await using server = await modelServer({ scripts: { two: twoTurns } });
    const first = {
      content: [
        { type: 'text', text: 'Writing.' },
        { name: 'Write', input: { file_path: 'a.txt' } },
      ],
    };

    expect(await (await ask(server, [prompt])).json()).toMatchObject(first);
    expect(await (await ask(server, [prompt])).json()).toMatchObject(first);
    expect(await (await ask(server, [prompt, wrote, result])).json()).toMatchObject({ content: [{ text: 'Done.' }] });
    expect(server.requests('two').map(({ turn, attempt }) => [turn, attempt])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
  });

  test('takes the last script that a prompt named, and goes on where a summary says', async () => {
    await using server = await modelServer({ scripts: { two: twoTurns } });
    const again = { role: 'user', content: 'Summary of before [[script:two@1]]' };

    expect(await (await ask(server, [prompt, wrote, result, again])).json()).toMatchObject({
      content: [{ text: 'Done.' }],
    });
  });

  test('answers a title or a summary beside the script, and lets the summary carry it on', async () => {
    await using server = await modelServer({ scripts: { two: twoTurns } });
    const summary = { role: 'user', content: 'CRITICAL: Respond with TEXT ONLY.' };

    expect(await (await ask(server, [prompt], { tools: [] })).json()).toMatchObject({ content: [{ type: 'text' }] });
    const summed = await (await ask(server, [prompt, wrote, result, summary])).json();
    expect(summed).toMatchObject({ content: [{ text: expect.stringContaining('[[script:two@1]]') }] });
    expect(server.requests('two').map(({ side }) => side)).toEqual([true, true]);
  });

  test('is found by address or key when the prompt names nothing', async () => {
    await using server = await modelServer({ scripts: { two: twoTurns } });
    const nameless = [{ role: 'user', content: 'Go.' }];
    const body = JSON.stringify({ model: 'm', messages: nameless, tools });
    await fetch(`${server.urlOf('two')}/v1/messages`, { method: 'POST', body });
    await fetch(`${server.url}/v1/messages`, { method: 'POST', body, headers: { 'x-api-key': 'script.two' } });

    expect(server.requests('two')).toHaveLength(2);
  });

  test('says so when the agent has no tool for a call', async () => {
    await using server = await modelServer({ scripts: { two: twoTurns } });
    const refused = await ask(server, [prompt], { tools: [{ name: 'Telegraph' }] });

    expect(refused.status).toBe(400);
    expect(server.requests('two')[0]?.problem).toBe('no tool for "write" among Telegraph');
  });
});

describe('faults', () => {
  test('come one per request, and then the turn', async () => {
    const faults = [{ fault: 'rate-limited', retryAfter: 7, times: 2 }, { fault: 'overloaded' }] as const;
    await using server = await modelServer({ scripts: { two: { turns: [{ text: 'Done.', faults }] } } });
    const asked = [];
    for (let turn = 0; turn < 4; turn += 1) asked.push(await ask(server, [prompt]));

    expect(asked.map(({ status }) => status)).toEqual([429, 429, 529, 200]);
    expect(asked.map(({ headers }) => headers.get('retry-after'))).toEqual(['7', '7', null, null]);
  });

  test('break a stream in its middle', async () => {
    await using server = await modelServer({
      scripts: { two: { turns: [{ text: 'Done.', faults: [{ fault: 'dropped' }] }] } },
    });
    const broken = await ask(server, [prompt], { stream: true });

    expect(broken.status).toBe(200);
    await expect(broken.text()).rejects.toThrow();
  });

  test('hang until they are released', async () => {
    const faults = [{ fault: 'hang', after: 'nothing' }] as const;
    await using server = await modelServer({ scripts: { two: { turns: [{ text: 'Done.', faults }] } } });
    const hanging = ask(server, [prompt]);
    await server.waitFor('two', ({ turn }) => turn === 0);
    server.release('two');

    expect(await (await hanging).json()).toMatchObject({ content: [{ text: 'Done.' }] });
  });
});

describe('every dialect tells the same turn', () => {
  const text = '[[script:two]]';
  const messages = [{ role: 'user', content: text }];
  const contents = [{ role: 'user', parts: [{ text }] }];
  const asked: readonly (readonly [path: string, tool: string, body: object])[] = [
    ['/v1/messages', 'Write', { messages, tools }],
    ['/v1/responses', 'apply_patch', { input: messages, tools: [{ type: 'custom', name: 'apply_patch' }] }],
    ['/v1/chat/completions', 'write', { messages, tools: [{ function: { name: 'write' } }] }],
    [
      '/v1beta/models/m:generateContent',
      'write_file',
      { contents, tools: [{ functionDeclarations: [{ name: 'write_file' }] }] },
    ],
  ];

  test.each(asked)('%s', async (path, tool, body) => {
    await using server = await modelServer({ scripts: { two: twoTurns } });
    const whole = await post(`${server.url}${path}`, body);
    const streamed = await post(`${server.url}${path.replace(':g', ':streamG')}`, { ...body, stream: true });

    for (const answer of [await whole.text(), await streamed.text()]) {
      expect(answer).toContain('call_t0_0');
      expect(answer).toContain(tool);
    }
    expect(streamed.headers.get('content-type')).toBe('text/event-stream');
  });
});

test('runs as a process of its own and writes down what it was asked', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-model-'));
  const [scripts, log] = [join(directory, 'scripts.json'), join(directory, 'log.jsonl')];
  writeFileSync(scripts, JSON.stringify({ two: twoTurns }));
  const main = join(import.meta.dirname, 'main.ts');
  const child = spawn(process.execPath, [main, '--scripts', scripts, '--log', log], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    await post(`${url}/v1/messages`, { messages: [prompt], tools });

    expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject({
      script: 'two',
      turn: 0,
      body: { messages: [prompt] },
    });
  } finally {
    child.kill();
    rmSync(directory, { recursive: true });
  }
});

const ask = (server: ModelServer, messages: readonly object[], more: object = {}) =>
  post(`${server.url}/v1/messages`, { model: 'm', messages, tools, ...more });

const post = (url: string, body: object) => fetch(url, { method: 'POST', body: JSON.stringify(body) });
