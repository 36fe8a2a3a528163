// Writes the kept ledgers of this folder anew: the golden one with every type of event, 60 simulated runs, and what they come to.
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { memoryLedger } from '../../src/adapters/ledger-memory/index.ts';
import type { Link } from '../../src/domain/chain.ts';
import { eventBody, eventVersions } from '../../src/domain/event-format.ts';
import { isRequest, type LedgerEvent } from '../../src/domain/events.ts';
import { isExternalEvent } from '../../src/domain/external/events.ts';
import { isExternalStream, type Stored, sessionOf } from '../../src/ports/ledger.ts';
import { simulate, type Weather } from '../simulation/simulate.ts';
import { foldStreams } from './fold-streams.ts';
import { sessionEvents, unsimulated } from './samples.ts';
import { files, stateHash } from './stored-ledger.ts';

const storm: Weather = { misfortunes: 12, whims: 8, crashes: 4 };

const linkOf = ({ event, ...rest }: Stored): Link => ({ ...rest, body: eventBody(event) });

async function recordSimulated(): Promise<ReadonlyMap<string, readonly Stored[]>> {
  const ledgers = new Map<string, readonly Stored[]>();
  for (let seed = 1; seed <= 60; seed += 1) {
    const weather = seed % 10 === 0 ? { ...storm, fullDisks: 2 } : storm;
    ledgers.set(`seed ${seed}`, (await simulate(seed, weather)).stored);
  }
  return ledgers;
}

/** The simulated run with the most types, a session of others, and in a stream of their own the events that neither has. */
async function makeGolden(simulated: ReadonlyMap<string, readonly Stored[]>): Promise<readonly Stored[]> {
  const typesIn = (events: readonly LedgerEvent[]) => new Set(events.map(({ type }) => type));
  const runs = [...simulated.values()].map((stored) => stored.filter(({ stream }) => stream !== 'repo'));
  const [best = []] = runs.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const [began] = best;
  const session = sessionEvents();
  const has = typesIn([...best.map(({ event }) => event), ...session]);
  const created = best.find(({ event }) => event.type === 'run-created');
  const all = [...simulated.values()].flat().map(({ event }) => event);
  const missing = (Object.keys(eventVersions) as LedgerEvent['type'][]).filter((type) => !has.has(type));
  const rest = missing
    .filter((type) => type !== 'ledger-opened')
    .map((type) => {
      const found = all.find((event) => event.type === type) ?? unsimulated.find((event) => event.type === type);
      if (found === undefined) throw new Error(`no sample of ${type}: add one to test/ledgers/samples.ts`);
      return found;
    });
  if (created === undefined || began === undefined) throw new Error('the simulated run was never created');
  return await appended([
    ...best.map(({ stream, event }) => ({ stream, event })),
    ...session.map((event) => ({ stream: 'external:golden', event })),
    { stream: 'samples', event: created.event },
    ...rest.map((event) => ({ stream: event.type.startsWith('coordinator-') ? 'repo' : 'samples', event })),
  ]);

  function sizeOf(stored: readonly Stored[]): number {
    return typesIn(stored.map(({ event }) => event)).size;
  }
}

/** Through a ledger, so that it is linked and stored as any other. Times follow from the order alone. */
async function appended(
  entries: readonly { readonly stream: string; readonly event: LedgerEvent }[],
): Promise<readonly Stored[]> {
  let seconds = 0;
  await using ledger = memoryLedger({ now: () => new Date(Date.UTC(2026, 0, 1) + 1000 * seconds++) });
  const taken = await ledger.takeEpoch({ pid: 1, startTime: '1', bootId: 'b', socket: 's' }, () => false);
  for (const { stream, event } of entries) {
    const expected = (await ledger.read(stream)).length;
    if (isRequest(event)) await ledger.request(stream, event);
    else if (isExternalStream(stream) && isExternalEvent(event))
      await ledger.appendExternal(sessionOf(stream), expected, [event]);
    else {
      const outcome = await ledger.append(stream, expected, [event], taken.epoch);
      if (outcome.outcome !== 'appended') throw new Error(`${event.type}: ${outcome.outcome}`);
    }
  }
  return await ledger.readAll();
}

const simulated = await recordSimulated();
const golden = await makeGolden(simulated);
const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
writeFileSync(files.golden, lines(golden.map(linkOf)));
const recorded = [...simulated].flatMap(([ledger, stored]) => stored.map((one) => ({ ledger, link: linkOf(one) })));
writeFileSync(files.recorded, gzipSync(lines(recorded), { level: 9 }));
const states = Object.fromEntries(
  [['golden', golden] as const, ...simulated].map(([ledger, stored]) => [
    ledger,
    Object.fromEntries(foldStreams(stored).map(([stream, text]) => [stream, stateHash(text)])),
  ]),
);
writeFileSync(files.states, `${JSON.stringify(states, null, 2)}\n`);
