import { describe, expect, test } from 'vitest';
import { closed, epochOf, firstSeqs, ledgerPlace, nthSeq } from '../../../test/contract/ledger-support.ts';
import { type Hearing, hearByEvents, hearBySocket, repository, streaming } from '../../../test/support/streaming.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite/index.ts';
import type { LedgerEvent } from '../../domain/ledger/events.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import type { FeedLimits } from './feed.ts';

const waves = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => closed(from + at));
const by = { who: 'ann', via: 'api' } as const;
const idOf = (n: number): string => `${nthSeq(n)}`;
/** After the opening. */
const beginning = idOf(0);

describe.each([
  ['WebSocket', hearBySocket],
  ['server-sent events', hearByEvents],
] as const)('%s', (_name, hear) => {
  test('tells the past and what comes, each once and in order', async () => {
    await using scene = await opened();
    await scene.append('run', waves(0, 250));
    const { heard, hearing } = await scene.listen(hear, beginning, 600);
    for (let at = 250; at < 300; at += 10) await scene.append('run', waves(at, at + 10));
    const envelopes = await heard;
    // each is told twice: as itself, and as the end of a wave
    expect(envelopes.map(({ id }) => id)).toEqual(firstSeqs(300).flatMap((seq) => [`${seq}`, `${seq}.1`]));
    expect(envelopes.at(-2)).toEqual({
      channel: 'global',
      event: 'wave-closed',
      data: (await scene.ledger.readAll(nthSeq(299)))[0],
      timestamp: expect.any(Number),
      repository,
      id: `${nthSeq(300)}`,
    });
    expect(envelopes.at(-1)).toMatchObject({ event: 'wave.completed', data: { session_id: 'run', wave_number: 299 } });
    hearing.cut();
    await hearing.over;
  });

  test('after each cursor exactly what follows it', async () => {
    await using scene = await opened();
    await scene.append('run', [closed(0), { type: 'run-paused', by }, closed(1)]);
    const all = [idOf(1), `${idOf(1)}.1`, idOf(2), idOf(3), `${idOf(3)}.1`];
    for (const [at, after] of [beginning, ...all.slice(0, -1)].entries()) {
      const { heard, hearing } = await scene.listen(hear, after, all.length - at);
      expect((await heard).map(({ id }) => id)).toEqual(all.slice(at));
      hearing.cut();
    }
  });

  test('a channel has only what names it', async () => {
    await using scene = await opened();
    await scene.append('a-run1', [closed(0)]);
    await scene.append('b-run2', [closed(0), closed(1)]);
    const { heard } = await scene.listen(hear, beginning, 4, 'run/b-run2');
    expect((await heard).map(({ id, channel }) => [id, channel])).toEqual(
      [idOf(2), `${idOf(2)}.1`, idOf(3), `${idOf(3)}.1`].map((id) => [id, 'run/b-run2']),
    );
  });

  test('more at once than is kept for all is read by each, and still nothing is missed', async () => {
    await using scene = await opened({ burst: 20, batch: 7 });
    const { heard } = await scene.listen(hear, beginning, 1_000);
    for (let at = 0; at < 500; at += 100) await scene.append('run', waves(at, at + 100));
    expect((await heard).map(({ id }) => id)).toEqual(firstSeqs(500).flatMap((seq) => [`${seq}`, `${seq}.1`]));
  });
});

test('what a session of others comes to is told the same way to one who comes late', async () => {
  await using scene = await opened();
  const subtask = (id: string) => ({
    ...{ id, taskId: id, agentType: 'x', agentId: null, description: 'd', priority: 5, blockedBy: [], context: null },
  });
  const version = 1;
  const events: readonly LedgerEvent[] = [
    { type: 'external-wave-created', wave: 0, id: 'w', name: null, description: null, by, version },
    { type: 'external-batch-submitted', batch: 'b', wave: 0, subtasks: [subtask('s1'), subtask('s2')], by, version },
    { type: 'external-wave-started', wave: 0, by, version },
    { type: 'external-subtask-updated', subtask: 's1', status: 'completed', by, version },
    { type: 'external-subtask-updated', subtask: 's2', status: 'failed', by, version },
    { type: 'external-wave-ended', wave: 0, outcome: 'failed', version },
    { type: 'external-batch-completed', batch: 'b', files: [], conflicts: [], nextWaveReady: false, by, version },
  ];
  const live = await scene.listen(hearBySocket, beginning, 11);
  for (const event of events) await scene.append('external:s', [event]);
  const told = await live.heard;
  expect(told.filter(({ id }) => id.includes('.')).map(({ id, event }) => `${id} ${event}`)).toEqual([
    `${idOf(2)}.1 batch.created`,
    `${idOf(3)}.1 wave.transitioned`,
    `${idOf(6)}.1 wave.failed`,
    `${idOf(7)}.1 batch.completed`,
  ]);
  expect(told.at(-1)?.data).toMatchObject({ batch_id: 'b', completed_tasks: 1, failed_tasks: 1 });
  for (const [at, { id }] of told.slice(0, -1).entries()) {
    const { heard, hearing } = await scene.listen(hearByEvents, id, told.length - at - 1);
    expect(await heard).toEqual(told.slice(at + 1));
    hearing.cut();
  }
});

/** A ledger that a server shows. */
async function opened(limits: Partial<FeedLimits> = {}) {
  const place = ledgerPlace();
  const ledger = await openSqliteLedger(place.file);
  const epoch = await epochOf(ledger);
  const server = await streaming(ledger, limits);
  return {
    ledger,
    server,
    append: async (stream: string, events: readonly LedgerEvent[]) =>
      await ledger.append(stream, (await ledger.read(stream)).length, events, epoch),
    /** Resolves with as many envelopes as were asked for, in the order in which they came. */
    async listen(hear: typeof hearBySocket, after: string, count: number, channel = 'global') {
      const { promise: heard, resolve } = Promise.withResolvers<readonly Envelope[]>();
      const envelopes: Envelope[] = [];
      const hearing: Hearing = await hear(server, { repository, channel, after }, (envelope) => {
        envelopes.push(envelope);
        if (envelopes.length === count) resolve(envelopes);
      });
      return { heard, hearing };
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await ledger[Symbol.asyncDispose]();
      place[Symbol.dispose]();
      expect(server.faults).toEqual([]);
    },
  };
}
