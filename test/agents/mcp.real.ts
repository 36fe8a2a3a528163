import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordsOf } from '../../src/domain/board/board.ts';
import { foldRun } from '../../src/domain/run/run.ts';
import { project } from '../support/project.ts';
import { untilEvent } from '../support/until-event.ts';
import type { Call } from './model-server/script.ts';
import { modelServer } from './model-server/server.ts';
import { installed } from './support/installed.ts';

const { program } = installed('claude');
const tool = (name: string, input: Readonly<Record<string, unknown>>): Call => ({
  tool: 'raw',
  name: `mcp__tidegate__${name}`,
  input,
});

describe.skipIf(program === null)(`the tools of claude${program === null ? ', WHICH IS NOT INSTALLED' : ''}`, () => {
  test('it asks, hears the answer, posts and hands off by MCP, plainTerminal for permission and by no other server', async () => {
    const turns = [
      { calls: [tool('scope', {})] },
      { calls: [tool('ask', { question: 'which table?', wait: 60 })] },
      { calls: [tool('post', { text: 'it is the second', kind: 'decision' })] },
      { calls: [{ tool: 'write', path: 'a.txt', content: 'a\n' } as const] },
      { calls: [tool('handoff', { status: 'done', summary: 'by MCP' })] },
      { text: 'Done.' },
    ];
    await using server = await modelServer({ scripts: { tools: { turns } } });
    const one = { do: '[[script:tools]] Write a.txt. Acceptance: it is there.', agent: 'claude', owns: ['a.txt'] };
    const theirs = { mcpServers: { theirs: { command: 'touch', args: ['b.txt'] } } };
    await using here = await project({
      plan: { tasks: { one } },
      files: { '.mcp.json': JSON.stringify(theirs) },
      env: {
        PATH: `${dirname(program ?? '')}:${process.env['PATH'] ?? ''}`,
        ANTHROPIC_BASE_URL: server.urlOf('tools'),
        ANTHROPIC_API_KEY: 'test-key',
      },
    });
    await here.cli('run', 'plan.yaml', '--yes', '--land', '-d');
    await untilEvent(here, (event) => event.type === 'attempt-noted' && event.note.note === 'posted');
    expect(await here.cli('answer', '1', '-m', 'the second')).toMatchObject({ code: 0 });
    expect((await here.cli('watch')).code).toBe(0);

    const told = JSON.stringify(server.requests('tools').map(({ body }) => body));
    for (const heard of ['answered: the second', 'posted', 'handoff taken']) expect(told).toContain(heard);
    expect(told).not.toContain('mcp__theirs');
    expect(server.requests('tools').filter(({ problem }) => problem !== null)).toEqual([]);
    const events = await here.events();
    const run = events.find(({ stream }) => stream !== 'repo')?.stream;
    const state = foldRun(events.filter(({ stream }) => stream === run));
    expect(state === null ? [] : recordsOf(state)).toMatchObject([
      { kind: 'question', status: 'answered', from: { task: 'one' } },
      { kind: 'decision', text: 'it is the second', from: { task: 'one' } },
    ]);
    const ended = events.flatMap(({ event }) => (event.type === 'attempt-ended' ? [event] : []));
    expect(ended).toMatchObject([{ reminded: false, handoff: { kind: 'given', handoff: { summary: 'by MCP' } } }]);
    expect(ended[0]?.agent?.denials).toBe(0);
  });
});
