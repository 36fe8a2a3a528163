import { once } from 'node:events';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { createDatabase, migrations } from '../../src/adapters/ledger/sqlite/open.ts';
import { armFailpoints } from '../../src/adapters/process/failpoint.ts';
import type { By } from '../../src/domain/ledger/requests.ts';
import { dcmStream } from '../../src/ports/ledger.ts';

/** One process of the many that share a ledger: `ledger-child.ts <what> <file> <argument>`. */
const [what = '', file = '', argument = ''] = process.argv.slice(2);
const by: By = { who: 'child', via: 'command' };
const print = (line: string | number) => process.stdout.write(`${line}\n`);

if (what === 'request') await requestMany(Number(argument));
else if (what === 'decide') await decideMany(Number(argument));
else if (what === 'append') await appendForever();
else if (what === 'listen') await listen();
else if (what === 'take') await take();
else if (what === 'make') makeAndDie();
else throw new Error(`unknown: ${what}`);

/** Appends that many requests one after the other and prints the seq of each when it is acknowledged. */
async function requestMany(count: number): Promise<void> {
  await using ledger = await openSqliteLedger(file);
  print('open');
  for (let done = 0; done < count; done += 1)
    print((await ledger.request('repo', { type: 'requested-pause', by })).seq);
}

/** Appends that many facts to one session, each in the light of all before it, and prints the position of each. */
async function decideMany(count: number): Promise<void> {
  await using ledger = await openSqliteLedger(file);
  print('open');
  await inputEnded();
  for (let done = 0; done < count; ) {
    const { length } = await ledger.read(dcmStream('s'));
    const event = { type: 'external-key-used', key: `${process.pid} ${done}`, asked: 'x', version: 1 } as const;
    const appended = await ledger.appendDcm('s', length, [event]);
    if (appended.outcome === 'conflict') continue;
    done += 1;
    print(appended.stored[0]?.position ?? 0);
  }
}

/** Appends until it is killed, in bursts of three, and prints what is acknowledged. The argument is a failpoint. */
async function appendForever(): Promise<void> {
  const ledger = await openSqliteLedger(file);
  const taken = await ledger.takeEpoch({ pid: process.pid, startTime: '1', bootId: 'b', socket: '' }, () => false);
  armFailpoints(argument);
  for (let wave = (await ledger.read('run')).length; ; wave += 3) {
    const burst = [0, 1, 2].map((n) =>
      ledger.append('run', wave + n, [{ type: 'wave-closed', wave: wave + n }], taken.epoch),
    );
    for (const outcome of await Promise.all(burst)) {
      if (outcome.outcome !== 'appended') throw new Error(outcome.outcome);
      for (const stored of outcome.stored) print(`${stored.seq} ${stored.hash}`);
    }
  }
}

/** Prints seq and time of every event as it is noticed, until its input ends. */
async function listen(): Promise<void> {
  await using ledger = await openSqliteLedger(file, { rereadMs: 3_600_000 });
  await using _subscription = ledger.subscribe(Number(argument), ({ seq }) => {
    print(`${seq} ${performance.timeOrigin + performance.now()}`);
  });
  print('listening');
  await inputEnded();
}

/** Takes the epoch when its input ends, and says how it went. */
async function take(): Promise<void> {
  await using ledger = await openSqliteLedger(file);
  print('ready');
  await inputEnded();
  const taken = await ledger.takeEpoch({ pid: process.pid, startTime: '1', bootId: 'b', socket: '' }, () => true);
  print(`${taken.outcome} ${taken.epoch}`);
}

/** Makes the database, and is killed before it makes the head. */
function makeAndDie(): void {
  createDatabase(file, migrations, new Date().toISOString());
  process.kill(process.pid, 'SIGKILL');
}

async function inputEnded(): Promise<void> {
  process.stdin.resume();
  await once(process.stdin, 'end');
}
