import { expect, test } from 'vitest';
import { closed, epochOf, ledgerPlace } from '../../../test/contract/ledger-support.ts';
import { hearByEvents, hearBySocket, repository, streaming } from '../../../test/support/streaming.ts';
import { openSqliteLedger } from '../../adapters/ledger-sqlite/index.ts';
import type { Envelope } from '../../protocol/envelope.ts';

/** `wave-closed` is told twice: as itself and as wave.completed. */
const idsOf = (events: number, from = 1) =>
  Array.from({ length: events }, (_, at) => [`${from + at}`, `${from + at}.1`]).flat();

for (const [name, hear] of [
  ['WebSocket', hearBySocket],
  ['server-sent events', hearByEvents],
] as const)
  test(`${name}: the past and what comes, each once and in order`, async () => {
    using place = ledgerPlace();
    await using ledger = await openSqliteLedger(place.file);
    const epoch = await epochOf(ledger);
    const waves = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => closed(from + at));
    await ledger.append('run', 0, waves(0, 250), epoch);
    await using server = await streaming(ledger);
    const heard: Envelope[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const hearing = await hear(server, { repository, after: '0' }, (envelope) => {
      heard.push(envelope);
      if (heard.length === 600) resolve();
    });
    for (let at = 250; at < 300; at += 10) await ledger.append('run', at, waves(at, at + 10), epoch);
    await promise;
    expect(heard.map(({ id }) => id)).toEqual(idsOf(300));
    hearing.cut();
    await hearing.over;
    expect(server.faults).toEqual([]);
  });
