import { expect, test } from 'vitest';
import { nthSeq } from '../../test/contract/ledger-support.ts';
import { memoryLedger } from '../adapters/ledger/memory/index.ts';
import { dcmStream, type Ledger, LedgerUnavailable } from '../ports/ledger.ts';
import type { DcmCommand } from './decide.ts';
import { replayDcmSession, replayDcmSessions } from './replay.ts';
import { type DcmLog, openDcmLog } from './sessions.ts';

const by = { who: 'Ada', via: 'api' } as const;
const create = (wave: number): DcmCommand => ({ type: 'create-wave', wave, name: null, description: null });
const start = (wave: number): DcmCommand => ({ type: 'start-wave', wave });
const ask = (log: DcmLog, command: DcmCommand, key?: string) =>
  log.request({ command, by, ...(key === undefined ? {} : { key }) });
const typesIn = async (ledger: Ledger) => (await ledger.read(dcmStream('s'))).map(({ event }) => event.type);

/** A ledger that tells how many facts each append has; the first takes until it is let go. */
function counting() {
  const ledger = memoryLedger();
  const appends: number[] = [];
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const appendDcm: Ledger['appendDcm'] = async (session, expected, events) => {
    appends.push(events.length);
    begun.resolve();
    await held.promise;
    return await ledger.appendDcm(session, expected, events);
  };
  return { appends, begun: begun.promise, letGo: held.resolve, ledger: { ...ledger, appendDcm } };
}

test('what is asked while an append is under way is decided in order and shares the next; each has its own answer', async () => {
  const { ledger, appends, begun, letGo } = counting();
  const log = openDcmLog(ledger, 's');
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
  const logs = [openDcmLog(ledger, 's'), openDcmLog(ledger, 's')] as const;
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
  const [mine, theirs] = [openDcmLog(ledger, 's'), openDcmLog(ledger, 's')];
  expect(await ask(mine, start(0))).toMatchObject({ ok: false, error: { rule: 'session-unknown-wave' } });
  await ask(theirs, create(0));
  expect(await ask(mine, create(0))).toMatchObject({ ok: true, value: { waves: [{ status: 'pending' }] } });
  await ask(theirs, start(0));
  expect(await ask(mine, create(0))).toMatchObject({ ok: true, value: { waves: [{ status: 'running' }] } });
});

test('one key asks once, also at the same time and after a restart, however its fields are ordered', async () => {
  const ledger = memoryLedger();
  const log = openDcmLog(ledger, 's');
  const again: DcmCommand = { description: null, name: null, wave: 0, type: 'create-wave' };
  const [first, second] = await Promise.all([ask(log, create(0), 'k'), ask(log, again, 'k')]);
  expect(second).toEqual(first);
  const restarted = openDcmLog(ledger, 's');
  expect(await ask(restarted, create(0), 'k')).toEqual(first);
  expect(await ask(restarted, create(1), 'k')).toMatchObject({ ok: false, error: { rule: 'session-key-reused' } });
  expect(await typesIn(ledger)).toEqual(['external-wave-created', 'external-key-used']);
});

test('a key also stands for what was so already, and not for what was refused', async () => {
  const ledger = memoryLedger();
  const log = openDcmLog(ledger, 's');
  await ask(log, create(0));
  await ask(log, create(0), 'so already');
  expect(await ask(log, create(1), 'so already')).toMatchObject({ ok: false, error: { rule: 'session-key-reused' } });
  expect(await ask(log, start(1), 'refused')).toMatchObject({ ok: false, error: { rule: 'session-unknown-wave' } });
  expect(await ask(log, start(0), 'refused')).toMatchObject({ ok: true });
});

test('a ledger that fails fails those whose append it was; the next goes on from what is stored', async () => {
  const ledger = memoryLedger();
  let hasFailed = false;
  const log = openDcmLog(
    {
      ...ledger,
      appendDcm: async (session, expected, events) => {
        const appended = await ledger.appendDcm(session, expected, events);
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
  const log = openDcmLog(ledger, 's');
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
  expect(await replayDcmSessions(ledger)).toMatchObject([{ decided: 6, differences: [] }]);
  const stored = await ledger.read(dcmStream('s'));
  const forged = (at: number, change: object) =>
    replayDcmSession(
      's',
      stored.map((one, index) => (index === at ? { ...one, event: { ...one.event, ...change } as never } : one)),
    ).differences.map(({ seq }) => seq);
  expect(forged(3, { wave: 1 })).toContain(nthSeq(4));
  expect(forged(4, { outcome: 'failed' })).toContain(nthSeq(5));
  expect(forged(2, { wave: 0 })).toContain(nthSeq(3));
  expect(forged(0, { type: 'requested-pause' })).toContain(nthSeq(1));
});
