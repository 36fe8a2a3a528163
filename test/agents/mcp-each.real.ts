import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { ended, project } from '../support/project.ts';
import { drivers } from './conformance/drivers.ts';
import type { Call } from './model-server/script.ts';
import { modelServer } from './model-server/server.ts';
import { installed } from './support/installed.ts';

/** claude has a test of its own. */
const others = drivers.filter(({ name }) => name !== 'claude');
const isThere = ({ programs }: (typeof drivers)[number]): boolean =>
  Object.values(programs).every((pinned) => installed(pinned).program !== null);
const there = others.filter(isThere);
const missing = others.filter((driver) => !isThere(driver)).map(({ name }) => name);

/** These start what the repository names, too: they have no switch for that alone (docs/how-to/mcp.md). */
const startTheirs = ['codex', 'codex-acp', 'opencode', 'opencode-acp'];

const tool = (name: string, input: Readonly<Record<string, unknown>> = {}) => ({
  calls: [{ tool: 'mcp', name, input } as Call],
});
/** Nobody answers for a while: to look again and again is to wait. */
const turns = [
  ...Array.from({ length: 4 }, () => tool('inbox')),
  tool('post', { text: 'it is the second', to: 'person' }),
  tool('handoff', { status: 'done', summary: 'by MCP' }),
  { text: 'Done.' },
];

test(`${there.map(({ name }) => name).join(', ')} look for answers, post and hand off by MCP${missing.map((name) => `; ${name} IS NOT INSTALLED`)}`, {
  timeout: 180_000,
}, async () => {
  await using server = await modelServer({ scripts: Object.fromEntries(there.map(({ name }) => [name, { turns }])) });
  const theirs = { command: 'touch', args: ['theirs.txt'] };
  await using here = await project({
    plan: {
      limits: { parallel: there.length, attempts: 1, minutes: 2 },
      tasks: Object.fromEntries(
        there.map(({ name, model }) => [
          name,
          {
            do: `[[script:${name}]] Look around. Acceptance: it is said what is there.`,
            owns: [],
            agent: name,
            ...(model === null ? {} : { model }),
          },
        ]),
      ),
    },
    files: {
      '.mcp.json': JSON.stringify({ mcpServers: { theirs } }),
      '.gemini/settings.json': JSON.stringify({ mcpServers: { theirs } }),
      '.codex/config.toml': '[mcp_servers.theirs]\ncommand = "touch"\nargs = ["theirs.txt"]\n',
      'opencode.json': JSON.stringify({ mcp: { theirs: { type: 'local', command: ['touch', 'theirs.txt'] } } }),
    },
    env: Object.assign(
      {},
      ...there.map(({ variables, key }) => ({ ...variables(server.url), [key]: 'test-key-of-nobody' })),
    ),
  });
  const programs = join(here.root, 'programs');
  mkdirSync(programs);
  for (const [name, pinned] of new Map(there.flatMap(({ programs }) => Object.entries(programs))))
    symlinkSync(installed(pinned).program ?? '', join(programs, name));
  const path = `${programs}${delimiter}${here.environment.PATH}`;
  const { stderr } = await ended(here.start(['run', 'plan.yaml', '--yes', '--json'], { PATH: path }));

  const events = (await here.events()).map(({ event }) => event);
  const noted = events.flatMap((event) => (event.type === 'attempt-noted' ? [event] : []));
  const of = Object.fromEntries(
    events.flatMap((event) => (event.type === 'attempt-ended' ? [[event.task, event] as const] : [])),
  );
  for (const { name } of there) {
    const told = JSON.stringify(server.requests(name).map(({ body, problem }) => problem ?? body));
    expect(of[name], `${name}\n${stderr}\n${told.slice(-2000)}`).toMatchObject({
      ending: { reason: 'exited', code: 0 },
      reminded: false,
      handoff: { kind: 'given', handoff: { summary: 'by MCP' } },
      agent: { trips: [], denials: 0, unknownLines: 0 },
    });
    for (const heard of ['posted for person', 'nothing for you yet', 'handoff taken']) expect(told).toContain(heard);
    const posts = noted.filter(({ attempt, note }) => attempt === of[name]?.attempt && note.note === 'posted');
    expect(posts).toMatchObject([{ note: { text: 'it is the second' } }]);
    const startedTheirs = of[name]?.snapshot?.diff.some(({ path }) => path === 'theirs.txt');
    expect([name, startedTheirs]).toEqual([name, startTheirs.includes(name)]);
  }
});
