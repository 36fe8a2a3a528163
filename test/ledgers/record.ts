// Writes the kept ledgers of this folder anew: the golden one with every type of event, 60 simulated runs, and what they come to.
import { existsSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { memoryLedger } from '../../src/adapters/ledger/memory/index.ts';
import type { ChainLink } from '../../src/domain/ledger/chain.ts';
import { isDcmEvent } from '../../src/domain/ledger/dcm-events.ts';
import { eventBody, eventVersions } from '../../src/domain/ledger/event-format.ts';
import { isRequest, type LedgerEvent } from '../../src/domain/ledger/events.ts';
import { dcmSessionOf, isDcmStream, type Stored } from '../../src/ports/ledger.ts';
import { simulate, type Weather } from '../simulation/simulate.ts';
import { foldStreams } from './fold-streams.ts';
import { sessionEvents, stagedRuns, unsimulated } from './samples.ts';
import { files, keptLedgers, keptStates, readVerified, stateHash } from './stored-ledger.ts';

/** Ledgers that come to another state by now are what the kept ones are there to show: they are not written over. `--anew` does. */
function refuseOtherStates(): void {
  if (!existsSync(files.golden) || process.argv.includes('--anew')) return;
  const kept = keptStates();
  const others = [...keptLedgers()].filter(([ledger, links]) =>
    foldStreams(readVerified(links)).some(([stream, text]) => kept[ledger]?.[stream] !== stateHash(text)),
  );
  if (others.length === 0) return;
  console.error(`these come to another state than when they were recorded: ${others.map(([name]) => name).join(', ')}`);
  process.exit(1);
}

const storm: Weather = { misfortunes: 12, whims: 8, crashes: 4 };

const linkOf = ({ event, ...rest }: Stored): ChainLink => ({ ...rest, body: eventBody(event) });

async function recordSimulated(): Promise<ReadonlyMap<string, readonly Stored[]>> {
  const ledgers = new Map<string, readonly Stored[]>();
  for (let seed = 1; seed <= 60; seed += 1) {
    const weather: Weather =
      seed % 10 === 0 ? { ...storm, fullDisks: 2 } : seed % 10 === 5 ? { ...storm, clocks: true } : storm;
    ledgers.set(`seed ${seed}`, (await simulate(seed, weather)).stored);
  }
  return ledgers;
}

/** Simulated runs that have between them all types that any has, a session of others, and samples of the types that nothing plays. */
async function makeGolden(simulated: ReadonlyMap<string, readonly Stored[]>): Promise<readonly Stored[]> {
  const session = sessionEvents();
  const missing = new Set<string>(Object.keys(eventVersions));
  const staged = stagedRuns();
  for (const type of ['ledger-opened', ...[...session, ...staged.flat()].map((event) => event.type)])
    missing.delete(type);
  const runs = [...simulated.values()].map((stored) => stored.filter(({ stream }) => stream !== 'repo'));
  const chosen: (readonly Stored[])[] = [];
  for (;;) {
    const news = (stored: readonly Stored[]): number =>
      new Set(stored.map(({ event }) => event.type).filter((type) => missing.has(type))).size;
    const best = runs.toSorted((one, other) => news(other) - news(one))[0];
    if (best === undefined || news(best) === 0) break;
    chosen.push(best);
    for (const { event } of best) missing.delete(event.type);
  }
  const created = chosen[0]?.find(({ event }) => event.type === 'run-created');
  if (created === undefined) throw new Error('no simulated run was created');
  const rest = [...missing].map((type) => {
    const sample = unsimulated.find((event) => event.type === type);
    if (sample === undefined) throw new Error(`no sample of ${type}: add one to test/ledgers/samples.ts`);
    return sample;
  });
  return await appended([
    ...chosen.flatMap((stored, at) => stored.map(({ event }) => ({ stream: `run-${at + 1}`, event }))),
    ...staged.flatMap((events, at) => events.map((event) => ({ stream: `staged-${at + 1}`, event }))),
    ...session.map((event) => ({ stream: 'external:golden', event })),
    { stream: 'samples', event: created.event },
    ...rest.map((event) => ({ stream: event.type.startsWith('coordinator-') ? 'repo' : 'samples', event })),
  ]);
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
    else if (isDcmStream(stream) && isDcmEvent(event)) await ledger.appendDcm(dcmSessionOf(stream), expected, [event]);
    else {
      const outcome = await ledger.append(stream, expected, [event], taken.epoch);
      if (outcome.outcome !== 'appended') throw new Error(`${event.type}: ${outcome.outcome}`);
    }
  }
  return await ledger.readAll();
}

refuseOtherStates();
const simulated = await recordSimulated();
const golden = await makeGolden(simulated);
const earlier = readVerified(keptLedgers().get('earlier') ?? []);
const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
writeFileSync(files.golden, lines(golden.map(linkOf)));
const recorded = [...simulated].flatMap(([ledger, stored]) => stored.map((one) => ({ ledger, link: linkOf(one) })));
writeFileSync(files.recorded, gzipSync(lines(recorded), { level: 9 }));
const states = Object.fromEntries(
  [['golden', golden] as const, ['earlier', earlier] as const, ...simulated].map(([ledger, stored]) => [
    ledger,
    Object.fromEntries(foldStreams(stored).map(([stream, text]) => [stream, stateHash(text)])),
  ]),
);
writeFileSync(files.states, `${JSON.stringify(states, null, 2)}\n`);
