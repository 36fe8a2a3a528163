import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { handoff, project } from '../support/project.ts';
import { untilEvent } from '../support/until-event.ts';
import { agentBench } from './conformance/bench.ts';
import { driverOf } from './conformance/drivers.ts';
import { missingPrograms } from './conformance/programs.ts';
import { calling, done, handOff, write } from './conformance/scenes.ts';
import type { Script } from './model-server/script.ts';
import { modelServer } from './model-server/server.ts';
import { installed } from './support/installed.ts';

/** People and a real agent in its fence: what they say and grant reaches it while it works. */
const { program } = installed('claude');

describe.skipIf(program === null)(`steering claude${program === null ? ', WHICH IS NOT INSTALLED' : ''}`, () => {
  test('a message is heard by the model, in the same attempt', async () => {
    await using scene = await claudeAt({
      turns: [
        { calls: [{ tool: 'write', path: 'a.txt', content: 'a\n' }] },
        { faults: [{ fault: 'hang', after: 'nothing' }], calls: [{ tool: 'bash', command: handoff }] },
        { text: 'Done.' },
      ],
    });
    const { here, server } = scene;
    await here.cli('run', 'plan.yaml', '--yes', '--land', '-d');
    await server.waitFor('steer', ({ turn, side }) => turn === 1 && !side);
    expect(await here.cli('send', 'one', 'mind rule 4711')).toMatchObject({ code: 0 });
    server.release('steer');
    expect((await here.cli('watch')).code).toBe(0);
    expect(JSON.stringify(server.requests('steer').map(({ body }) => body))).toContain('mind rule 4711');
    const events = await here.events();
    expect(events.filter(({ event }) => event.type === 'attempt-intended')).toHaveLength(1);
    expect(events.filter(({ event }) => event.type === 'message-sent')).toHaveLength(1);
    const attached = (await here.cli('attach', 'one')).stdout;
    for (const line of ['→ Write', '← a person says: mind rule 4711', '── the agent has finished'])
      expect(attached).toContain(line);
  });

  test('what is denied, asked for and granted is allowed at the next call, in the same attempt', async () => {
    await using scene = await claudeAt({
      turns: [
        { calls: [{ tool: 'write', path: 'b.txt', content: 'b\n' }] },
        { calls: [{ tool: 'bash', command: 'tidegate ask --scope b.txt -m "the test is there" --wait 60' }] },
        { calls: [{ tool: 'write', path: 'b.txt', content: 'b\n' }] },
        { calls: [{ tool: 'bash', command: handoff }] },
        { text: 'Done.' },
      ],
    });
    const { here, server } = scene;
    await here.cli('run', 'plan.yaml', '--yes', '--land', '-d');
    await untilEvent(here, (event) => event.type === 'attempt-noted' && event.note.note === 'asked');
    expect(await here.cli('grant', 'one', 'b.txt')).toMatchObject({ code: 0 });
    expect((await here.cli('watch')).code).toBe(0);
    expect(here.git('show', 'main:b.txt')).toBe('b');
    expect(JSON.stringify(server.requests('steer').at(-1)?.body)).toContain(
      'To ask for it: tidegate ask --scope b.txt',
    );
    const events = await here.events();
    expect(events.filter(({ event }) => event.type === 'attempt-intended')).toHaveLength(1);
  });

  test('over its budget it waits, and a raise lets it go on in its own session', async () => {
    const much = { input: 400_000, output: 20_000 };
    await using scene = await claudeAt(
      {
        turns: [
          { calls: [{ tool: 'write', path: 'a.txt', content: 'a\n' }], usage: much },
          { calls: [{ tool: 'bash', command: handoff }] },
          { text: 'Done.' },
          { text: 'Done.' },
        ],
      },
      { usd: 0.05 },
    );
    const { here } = scene;
    const ran = await here.cli('run', 'plan.yaml', '--yes', '--json');
    expect(ran.code).toBe(43);
    expect(JSON.parse(ran.stdout)).toMatchObject({ needs: [{ kind: 'budget', task: 'one' }] });
    expect(await here.cli('raise', 'one', '--usd', '50')).toMatchObject({ code: 0 });
    expect((await here.cli('resume', '--land')).code).toBe(0);
    const starts = (await here.events()).flatMap(({ event }) => (event.type === 'attempt-intended' ? [event] : []));
    expect(starts.map(({ session }) => session === undefined)).toEqual([true, false]);
  });
});

const gemini = driverOf('gemini');
const missing = missingPrograms(gemini);

describe.skipIf(missing.length > 0)(`steering gemini${missing.length > 0 ? ', WHICH IS NOT INSTALLED' : ''}`, () => {
  test('a message is heard by the model when the turn is over, in the same attempt', async () => {
    await using bench = await agentBench(gemini);
    const { job, name, supervisors, ended } = bench.start({
      turns: [
        calling(write('src/new.txt')),
        { ...done, faults: [{ fault: 'hang', after: 'nothing' }] },
        calling(handOff),
        done,
      ],
    });
    await bench.server.waitFor(name, ({ turn, side }) => turn === 1 && !side);
    expect(await supervisors.send(job.id, 1, 'mind rule 4711')).toBe('taken');
    bench.server.release(name);
    const { exit, told } = await ended;
    expect(told(2)).toContain('mind rule 4711');
    expect({ handoff: exit.handoff.kind, reminded: exit.reminded }).toEqual({ handoff: 'given', reminded: false });
  });
});

async function claudeAt(script: Script, limits: object = {}) {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await modelServer({ scripts: { steer: script } }));
  const one = { do: '[[script:steer]] Write a.txt. Acceptance: it is there.', agent: 'claude', owns: ['a.txt'] };
  const here = stack.use(
    await project({
      plan: { limits, tasks: { one } },
      env: {
        PATH: `${dirname(program ?? '')}:${process.env['PATH'] ?? ''}`,
        ANTHROPIC_BASE_URL: server.urlOf('steer'),
        ANTHROPIC_API_KEY: 'test-key',
      },
    }),
  );
  return { here, server, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
