import { expect, test } from 'vitest';
import { nthSeq } from '../../test/contract/ledger-support.ts';
import { memoryLedger } from '../adapters/ledger/memory/index.ts';
import type { ExternalCommand } from '../domain/ledger/dcm-commands.ts';
import { externalStream, type Ledger, LedgerUnavailable } from '../ports/ledger.ts';
import { replaySession } from './replay.ts';
import { replaySessions } from './replay-sessions.ts';
import { openSessionLog, type SessionLog } from './session-log.ts';

const by = { who: 'Ada', via: 'api' } as const;
const create = (wave: number): ExternalCommand => ({ type: 'create-wave', wave, name: null, description: null });
const start = (wave: number): ExternalCommand => ({ type: 'start-wave', wave });
const ask = (log: SessionLog, command: ExternalCommand, key?: string) =>
  log.ask({ command, by, ...(key === undefined ? {} : { key }) });
const typesIn = async (ledger: Ledger) => (await ledger.read(externalStream('s'))).map(({ event }) => event.type);

/** A ledger that tells how many facts each append has; the first takes until it is let go. */
function counting() {
  const ledger = memoryLedger();
  const appends: number[] = [];
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const appendExternal: Ledger['appendExternal'] = async (session, expected, events) => {
    appends.push(events.length);
    begun.resolve();
    await held.promise;
    return await ledger.appendExternal(session, expected, events);
  };
  return { appends, begun: begun.promise, letGo: held.resolve, ledger: { ...ledger, appendExternal } };
}

test('what is asked while an append is under way is decided in order and shares the next; each has its own answer', async () => {
  const { ledger, appends, begun, letGo } = counting();
  const log = openSessionLog(ledger, 's');
  const first = [ask(log, create(0)), ask(log, create(1))];
  await begun;
  const later = [ask(log, start(1)), ask(log, start(0)), ask(log, create(2))];
  letGo();
  const answers = await Promise.all([...first, ...later]);
  expect(
    answers.map((one) => (one.ok ? one.value.waves.map(({ status }) => status).join(' ') : one.error.rule)),
  ).toEqual(['pending', 'pending pending', 'session-unfinished-wave', 'running pending', 'running pending pending']);
  expect(appends).toEqual([2, 2]);
});

test('two who decide for one session at once never decide against each other', async () => {
  const ledger = memoryLedger();
  const logs = [openSessionLog(ledger, 's'), openSessionLog(ledger, 's')] as const;
  await ask(logs[0], create(0));
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) => ask(logs[at % 2 === 0 ? 0 : 1], at < 38 ? create(at % 19) : start(0))),
  );
  expect(answers.every(({ ok }) => ok)).toBe(true);
  expect((await typesIn(ledger)).toSorted()).toEqual([
    ...Array.from({ length: 19 }, () => 'external-wave-created'),
    'external-wave-started',
  ]);
});

test('a refusal, and that it is so already, are said of the newest state, not of the one known here', async () => {
  const ledger = memoryLedger();
  const [mine, theirs] = [openSessionLog(ledger, 's'), openSessionLog(ledger, 's')];
  expect(await ask(mine, start(0))).toMatchObject({ ok: false, error: { rule: 'session-unknown-wave' } });
  await ask(theirs, create(0));
  expect(await ask(mine, create(0))).toMatchObject({ ok: true, value: { waves: [{ status: 'pending' }] } });
  await ask(theirs, start(0));
  expect(await ask(mine, create(0))).toMatchObject({ ok: true, value: { waves: [{ status: 'running' }] } });
});

test('one key asks once, also at the same time and after a restart, however its fields are ordered', async () => {
  const ledger = memoryLedger();
  const log = openSessionLog(ledger, 's');
  const again: ExternalCommand = { description: null, name: null, wave: 0, type: 'create-wave' };
  const [first, second] = await Promise.all([ask(log, create(0), 'k'), ask(log, again, 'k')]);
  expect(second).toEqual(first);
  const restarted = openSessionLog(ledger, 's');
  expect(await ask(restarted, create(0), 'k')).toEqual(first);
  expect(await ask(restarted, create(1), 'k')).toMatchObject({ ok: false, error: { rule: 'session-key-reused' } });
  expect(await typesIn(ledger)).toEqual(['external-wave-created', 'external-key-used']);
});

test('a key also stands for what was so already, and not for what was refused', async () => {
  const ledger = memoryLedger();
  const log = openSessionLog(ledger, 's');
  await ask(log, create(0));
  await ask(log, create(0), 'so already');
  expect(await ask(log, create(1), 'so already')).toMatchObject({ ok: false, error: { rule: 'session-key-reused' } });
  expect(await ask(log, start(1), 'refused')).toMatchObject({ ok: false, error: { rule: 'session-unknown-wave' } });
  expect(await ask(log, start(0), 'refused')).toMatchObject({ ok: true });
});

test('a ledger that fails fails those whose append it was; the next goes on from what is stored', async () => {
  const ledger = memoryLedger();
  let hasFailed = false;
  const log = openSessionLog(
    {
      ...ledger,
      appendExternal: async (session, expected, events) => {
        const appended = await ledger.appendExternal(session, expected, events);
        if (hasFailed) return appended;
        hasFailed = true;
        // it is stored, and nobody is told
        throw new LedgerUnavailable('ledger.db', new Error('disk full'));
      },
    },
    's',
  );
  const together = await Promise.allSettled([ask(log, create(0)), ask(log, create(0))]);
  expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await ask(log, create(0))).toMatchObject({ ok: true, value: { waves: [{ status: 'pending' }] } });
  expect(await typesIn(ledger)).toEqual(['external-wave-created']);
});

test('replay decides every fact again; one that does not follow is found', async () => {
  const ledger = memoryLedger();
  const log = openSessionLog(ledger, 's');
  const commands = [create(0), create(1), start(1), start(0), start(1)];
  for (const [at, command] of commands.entries()) await ask(log, command, ...(at === 0 ? ['k'] : []));
  expect(await typesIn(ledger)).toEqual([
    'external-wave-created',
    'external-key-used',
    'external-wave-created',
    'external-wave-started',
    'external-wave-ended',
    'external-wave-started',
  ]);
  expect(await replaySessions(ledger)).toMatchObject([{ decided: 6, differences: [] }]);
  const stored = await ledger.read(externalStream('s'));
  const forged = (at: number, change: object) =>
    replaySession(
      's',
      stored.map((one, index) => (index === at ? { ...one, event: { ...one.event, ...change } as never } : one)),
    ).differences.map(({ seq }) => seq);
  expect(forged(3, { wave: 1 })).toContain(nthSeq(4));
  expect(forged(4, { outcome: 'failed' })).toContain(nthSeq(5));
  expect(forged(2, { wave: 0 })).toContain(nthSeq(3));
  expect(forged(0, { type: 'requested-pause' })).toContain(nthSeq(1));
});
