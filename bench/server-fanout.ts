import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type WebSocket, WebSocketServer } from 'ws';
import { openSqliteLedger } from '../src/adapters/ledger/sqlite/index.ts';
import { failure } from '../test/support/findings.ts';
import { repository, streaming } from '../test/support/streaming.ts';
import { place } from './repository.ts';
import { median, quantile } from './statistics.ts';

/** Events of 100 bytes to many WebSockets: from before the append until a client has it, beside `ws.send` of the same bytes to each. */
type Size = { readonly clients: number; readonly perSecond: number; readonly events: number; readonly rounds: number };
type Round = {
  readonly p50: number;
  readonly p95: number;
  readonly cpuMs: number;
  /** Of sending alone: the append until it is durable. */
  readonly sending: { readonly p50: number; readonly p95: number };
};

type Figure = 'p50' | 'p95' | 'cpuMs';

const full: Size = { clients: 200, perSecond: 500, events: 2_500, rounds: 3 };
const quick: Size = { clients: 20, perSecond: 100, events: 100, rounds: 1 };

export async function fanout({ quick: isQuick }: { readonly quick: boolean }): Promise<string> {
  const size = isQuick ? quick : full;
  const [ours, plain]: [Round[], Round[]] = [[], []];
  for (let round = 0; round < size.rounds; round += 1) {
    ours.push(await byFeed(size));
    plain.push(await byHand(size));
  }
  const ratios = (of: Figure) => median(ours.map((one, at) => one[of] / (plain[at]?.[of] ?? Number.NaN)));
  const row = (name: string, rounds: readonly Round[]) =>
    `| ${name} | ${ms(rounds, 'p50')} | ${ms(rounds, 'p95')} | ${ms(rounds, 'cpuMs')} |`;
  return [
    `Events of 100 bytes to ${size.clients} WebSockets, ${size.perSecond} a second: from before the append until a client has it`,
    '',
    '| | p50 ms | p95 ms | processor ms for 10,000 of them |',
    '|---|---|---|---|',
    row('tidegate, append included', ours),
    `| of it the append until it is durable | ${sending(ours, 'p50')} | ${sending(ours, 'p95')} | |`,
    row('`ws.send` to each', plain),
    `| ratio | ${ratios('p50').toFixed(2)}x | **${ratios('p95').toFixed(2)}x** (aim: p95 under 50 ms) | ${ratios('cpuMs').toFixed(2)}x |`,
    '',
  ].join('\n');
}

const ms = (rounds: readonly Round[], of: Figure): string => median(rounds.map((one) => one[of])).toFixed(1);

const sending = (rounds: readonly Round[], of: 'p50' | 'p95'): string =>
  median(rounds.map((one) => one.sending[of])).toFixed(1);

async function byFeed(size: Size): Promise<Round> {
  using here = place();
  await using ledger = await openSqliteLedger(join(here.root, 'ledger.db'));
  const taken = await ledger.takeEpoch({ pid: 1, startTime: '1', bootId: 'b', socket: '' }, () => false);
  // the clients answer no pings
  await using server = await streaming(ledger, { heartbeatMs: 600_000 });
  return await measured(size, server, async (why, at) => {
    await ledger.append(
      'run',
      at,
      [{ type: 'round-abandoned', wave: 0, round: 1, because: failure(why) }],
      taken.epoch,
    );
  });
}

async function byHand(size: Size): Promise<Round> {
  const clients = new Set<WebSocket>();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (client) => {
    clients.add(client);
    client.once('message', () => client.send('{"type":"subscribed"}'));
    client.on('close', () => clients.delete(client)).on('error', () => undefined);
  });
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  const round = await measured(size, { port, token: 'none' }, async (why, at) => {
    const event = { type: 'round-abandoned', wave: 0, round: 1, because: failure(why) };
    const data = { seq: at, stream: 'run', position: at, epoch: 1, at: new Date(), event, hash: 'x'.repeat(64) };
    const envelope = { channel: 'global', event: event.type, data, timestamp: Date.now(), repository, id: `${at}` };
    const text = JSON.stringify(envelope);
    for (const client of clients) client.send(text);
  });
  await new Promise((resolve) => server.close(resolve));
  return round;
}

/** Sends at the pace that was asked for; what is late is sent at once. */
async function measured(
  { clients, events, perSecond }: Size,
  { port, token }: { readonly port: number; readonly token: string },
  send: (text: string, at: number) => Promise<void>,
): Promise<Round> {
  const script = fileURLToPath(new URL('./fanout-clients.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, `${port}`, token, repository, `${clients}`, `${events}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const before = process.cpuUsage();
  const began = performance.now();
  const sent: Promise<number>[] = [];
  while (sent.length < events) {
    const due = Math.min(events, Math.ceil(((performance.now() - began) * perSecond) / 1_000));
    while (sent.length < due) sent.push(timed(send(stamped(), sent.length)));
    await pause(2);
  }
  const sendings = await Promise.all(sent);
  const { value } = await lines.next();
  const { user, system } = process.cpuUsage(before);
  const took = JSON.parse(value ?? '') as readonly number[];
  const cpuMs = ((user + system) / 1_000 / took.length) * 10_000;
  return { ...middleAndEnd(took), cpuMs, sending: middleAndEnd(sendings) };
}

const middleAndEnd = (took: readonly number[]) => ({ p50: quantile(took, 0.5), p95: quantile(took, 0.95) });

async function timed(work: Promise<void>): Promise<number> {
  const began = performance.now();
  await work;
  return performance.now() - began;
}

/** 100 bytes of which the first tell when. */
const stamped = (): string => `sent ${(Number(process.hrtime.bigint()) / 1e6).toFixed(4)} `.padEnd(100, '.');
