import { expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { type Envelope, envelope as envelopeSchema, isAfter, parseCursor } from '../../src/protocol/envelope.ts';
import { random } from '../simulation/random.ts';
import { handoff, project, scripted } from '../support/project.ts';
import { serverOf } from '../support/server.ts';
import { hearByEvents, hearBySocket } from '../support/streaming.ts';

const cuts = 200;
const names = Array.from({ length: 20 }, (_, at) => `task-${at + 1}`);

test('a client that is cut at random 200 times and resumes has each event once and in order, while 20 tasks run', async () => {
  const tasks = Object.fromEntries(
    names.map((name) => [name, scripted(`echo ${name} > ${name}.txt; ${handoff}`, { owns: [`${name}.txt`] })]),
  );
  await using scene = await project({ plan: { name: 'crowd', tasks, limits: { parallel: 4 } } });
  await using server = await serverOf(scene);
  const place = { port: server.port, token: server.tokens.read };
  const listed = (await server.ask('GET', '/v1/repositories', { token: place.token })).json;
  const repository = (listed as { items: readonly { id: string }[] }).items[0]?.id ?? '';

  const heard: Envelope[] = [];
  const ended = Promise.withResolvers<void>();
  const seed = Date.now();
  const chance = random(seed);
  let connections = 0;
  /** One connection: over after some envelopes or some time, whichever comes first; the last one stays. */
  const listen = async (): Promise<void> => {
    const over = Promise.withResolvers<void>();
    const isLast = connections === cuts;
    const hear = chance.chance(0.5) ? hearBySocket : hearByEvents;
    let left = isLast ? Number.POSITIVE_INFINITY : chance.below(4);
    connections += 1;
    const hearing = await hear(place, { repository, after: heard.at(-1)?.id ?? '0' }, (envelope) => {
      // what comes after the cut is not heard
      if (left < 0) return;
      left -= 1;
      if (left < 0) return over.resolve();
      heard.push(envelope);
      if (envelope.event === 'run-ended') ended.resolve();
    });
    const timer = isLast ? undefined : setTimeout(over.resolve, chance.below(60));
    await Promise.race([over.promise, ...(isLast ? [ended.promise] : [])]);
    clearTimeout(timer);
    left = -1;
    hearing.cut();
  };
  const running = scene.cli('run', 'plan.yaml', '--yes', '--land', '--json');
  while (connections <= cuts) await listen();
  expect(await running).toMatchObject({ code: 0 });

  await using ledger = await openSqliteLedger(scene.state().ledger);
  const end = heard.findIndex(({ event }) => event === 'run-ended');
  const all = (await ledger.readAll()).filter(({ seq }) => seq <= Number(heard[end]?.id));
  const told = heard.slice(0, end + 1);
  expect({ seed, told: told.filter(({ id }) => !id.includes('.')).map(({ data }) => data) }).toEqual({
    seed,
    told: all,
  });
  expect(told.filter(({ id }) => id.includes('.')).map(({ event }) => event)).toEqual([
    'wave.transitioned',
    'wave.completed',
  ]);
  expect(told.every(({ id }, at) => at === 0 || isAfter(cursor(id), cursor(told[at - 1]?.id)))).toBe(true);
  expect(told.filter((envelope) => !envelopeSchema.safeParse(envelope).success)).toEqual([]);
  expect(all.filter(({ event }) => event.type === 'attempt-ended')).toHaveLength(20);
}, 90_000);

function cursor(id: string | undefined) {
  const parsed = parseCursor(id ?? '');
  if (parsed === null) throw new Error(`no cursor: ${id}`);
  return parsed;
}
