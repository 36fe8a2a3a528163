import { expect, test } from 'vitest';
import { phases } from '../../../src/domain/gates/phase.ts';
import { changedOnMain } from '../../support/crew.ts';
import { openStage } from '../../support/staged-run.ts';
import { filesWith } from '../../support/tries.ts';
import { crew, crewOfAgents } from './crew-of-agents.ts';
import { driverOf } from './drivers.ts';
import { bash, calling, done, handOff, write } from './scenes.ts';

const [first] = crew;
const names = crew.map(({ name }) => name).join(', ');

test.skipIf(first === undefined)(
  `two waves, ${names} side by side in the first: through all phases and landed, and no credential is anywhere`,
  async () => {
    if (first === undefined) return;
    await using staged = await crewOfAgents(
      () => [
        Object.fromEntries(
          crew.map((driver) => [
            `make-${driver.name}`,
            {
              driver,
              turns: [
                calling(write(`made/${driver.name}.txt`, `${driver.name}\n`)),
                calling(bash('env')),
                calling(handOff),
                done,
              ],
              keys: { owns: [`made/${driver.name}.txt`] },
            },
          ]),
        ),
        {
          gather: {
            driver: first,
            turns: [calling(bash('cat made/*.txt > all.txt')), calling(handOff), done],
            keys: { owns: ['all.txt'] },
          },
        },
      ],
      { plan: { checks: [{ name: 'all', run: 'test -f readme.md' }] } },
    );
    const { scene, secrets } = staged;
    const base = scene.git('rev-parse', 'main');
    const ran = await scene.cli('run', 'plan.yaml', '--yes', '--land');

    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Landed on main') });
    const made = crew.map(({ name }) => name).toSorted();
    expect(changedOnMain(scene, base)).toEqual(['A all.txt', ...made.map((name) => `A made/${name}.txt`)]);
    expect(scene.git('show', 'main:all.txt')).toBe(made.join('\n'));
    const events = await scene.events();
    const judged = new Set(events.flatMap(({ event }) => (event.type === 'phase-judged' ? [event.phase] : [])));
    expect([...judged].toSorted()).toEqual(phases.map(({ phase }) => phase).toSorted());
    expect(filesWith(scene.root, Object.values(secrets))).toEqual([]);
    expect(Object.values(secrets).filter((value) => JSON.stringify([ran, events]).includes(value))).toEqual([]);
    const shown = await scene.cli('logs', 'gather');
    expect(Object.values(secrets).filter((value) => shown.stdout.includes(value))).toEqual([]);
  },
);

test.skipIf(!crew.some(({ name }) => name === 'claude'))(
  'a provider at its limit is left alone until it says, at the cost of no attempt, and the session goes on by itself',
  async () => {
    const resetAt = new Date(Math.ceil(Date.now() / 1000) * 1000 + 20_000).toISOString();
    const turns = [calling(write('src/a.txt')), calling(handOff), done];
    const limited = turns.map((turn, at) =>
      at === 1 ? { ...turn, faults: [{ fault: 'rate-limited', resetAt, times: 'always' } as const] } : turn,
    );
    const driver = driverOf('claude');
    await using staged = await crewOfAgents(
      () => [{ limited: { driver, turns: limited, keys: { owns: ['src/**'] } } }],
      {
        plan: { limits: { attempts: 1 } },
        key: ({ subscription, key }) => subscription ?? key,
      },
    );
    const { scene, server, secrets } = staged;
    await using stage = await openStage(scene);
    const run = await stage.order();
    await stage.coordinator(secrets);
    await run.until(({ taps }) => taps.start?.status === 'pending');
    const settled = run.approve();
    const paused = await run.until(({ providers }) => providers['anthropic']?.status === 'paused');
    server.play('limited', { turns });

    expect(paused.providers['anthropic']).toMatchObject({ until: new Date(resetAt).toISOString() });
    expect((await settled).ended).toBe('landed');
    const attempts = (await run.events()).flatMap(({ event }) => (event.type === 'attempt-intended' ? [event] : []));
    expect(attempts.map(({ session }) => session !== undefined)).toEqual([false, true]);
    expect(scene.git('show', 'main:src/a.txt')).toBe('x');
  },
);
