import { expect, test } from 'vitest';
import { memoryLedger } from '../adapters/ledger-memory/index.ts';
import type { ExternalCommand } from '../domain/external/command.ts';
import { replaySession } from '../domain/external/replay.ts';
import { externalStream } from '../ports/ledger.ts';
import { askIn } from './ask.ts';
import { answerSessions } from './external.ts';
import { replaySessions } from './replay-sessions.ts';

const by = { who: 'Ada', via: 'api' } as const;
const stream = externalStream('s');
const holder = { pid: 1, startTime: '1', bootId: 'b', socket: '' };
const asked = (command: ExternalCommand, key?: string) =>
  ({ type: 'requested-external', command, by, ...(key === undefined ? {} : { key }) }) as const;
const create = (wave: number): ExternalCommand => ({ type: 'create-wave', wave, name: null, description: null });

/** A ledger with a coordinator that only answers sessions. */
async function answering() {
  const ledger = memoryLedger();
  const taken = await ledger.takeEpoch(holder, () => true);
  if (taken.outcome !== 'taken') throw new Error('the epoch is held');
  const failures: unknown[] = [];
  const sessions = answerSessions(ledger, taken.epoch, (cause) => failures.push(cause));
  const subscription = ledger.subscribe(0, sessions.notice);
  const desk = { ledger, ensureCoordinator: async () => true, patienceMs: 5_000 };
  return { ledger, sessions, failures, desk, [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose]() };
}

test('each of many that ask at once hears its own answer, and each is answered once', async () => {
  await using here = await answering();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      askIn(here.desk, stream, asked(at % 2 === 0 ? create(at) : { type: 'start-wave', wave: 999 })),
    ),
  );
  expect(answers.map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? 'accepted' : 'refused')),
  );
  const settled = (await here.ledger.read(stream)).filter(({ event }) => /^request-/.test(event.type));
  expect(settled.length).toBe(50);
  expect(here.failures).toEqual([]);
});

test('what was asked while nobody coordinated is answered by the next look', async () => {
  await using here = await answering();
  const late = answerSessions(here.ledger, 1, (cause) => here.failures.push(cause));
  await here.ledger.request(stream, asked(create(0)));
  await late.look(await here.ledger.streams());
  expect((await here.ledger.read(stream)).map(({ event }) => event.type)).toEqual([
    'requested-external',
    'external-wave-created',
    'request-accepted',
  ]);
});

test('a coordinator whose epoch is over answers nothing', async () => {
  await using here = await answering();
  await here.ledger.takeEpoch({ ...holder, pid: 2 }, () => false);
  await here.ledger.request(stream, asked(create(0)));
  await expect(here.sessions.look([stream])).rejects.toThrow('epoch 1 is over');
  expect((await here.ledger.read(stream)).length).toBe(1);
});

test('one key asks once, however its fields are ordered; with something else it is refused', async () => {
  await using here = await answering();
  const again: ExternalCommand = { description: null, name: null, wave: 0, type: 'create-wave' };
  const answers = [];
  for (const command of [create(0), again, create(1)])
    answers.push((await askIn(here.desk, stream, asked(command, 'k'))).outcome);
  expect(answers).toEqual(['accepted', 'accepted', 'refused']);
  const facts = (await here.ledger.read(stream)).filter(({ event }) => event.type.startsWith('external-'));
  expect(facts.length).toBe(1);
});

test('a request that a session does not know is refused, not fallen over', async () => {
  await using here = await answering();
  expect(await askIn(here.desk, stream, { type: 'requested-pause', by })).toMatchObject({ outcome: 'refused' });
});

test('replay decides every request again; a fact that does not follow is found', async () => {
  await using here = await answering();
  for (const command of [
    create(0),
    create(1),
    { type: 'start-wave', wave: 1 },
    { type: 'start-wave', wave: 0 },
  ] as const)
    await askIn(here.desk, stream, asked(command));
  expect(await replaySessions(here.ledger)).toMatchObject([{ answered: 4, differences: [] }]);
  const stored = await here.ledger.read(stream);
  const forged = stored.map((one) =>
    one.event.type === 'external-wave-started' ? { ...one, event: { ...one.event, wave: 1 } } : one,
  );
  expect(replaySession('s', forged).differences.length).toBe(1);
});
