import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { stateDir } from '../../src/domain/ledger/state-dir.ts';
import { foldRun, type RunState } from '../../src/domain/run/run.ts';
import { replayRun } from '../../src/engine/replay.ts';
import { allEnded } from '../support/kill.ts';
import { type Ended, ended, handoff, type Project, project, scripted } from '../support/project.ts';

const plan = {
  land: 'auto',
  checks: [{ name: 'test', run: 'test -f readme.md' }],
  tasks: { one: scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] }) },
};

test('replay judges a finished run again: the same state and the same verdicts, as often as it is asked', {
  timeout: 120_000,
}, async () => {
  await using p = await project({ plan });
  expect(await p.cli('run', 'plan.yaml', '--yes')).toMatchObject({ code: 0 });
  const events = (await p.events()).filter(({ stream }) => stream !== 'repo');
  const first = await p.cli('replay', '--json');
  const told = JSON.parse(first.stdout) as { events: number; judged: number; state: RunState; differences: unknown[] };
  const state: unknown = JSON.parse(JSON.stringify(foldRun(events)));
  expect([first.code, told.events, told.judged, told.differences]).toEqual([0, events.length, judged(events), []]);
  expect(told.state).toEqual(state);
  expect(told.state.ended).toBe('landed');
  expect(replayRun(events)).toMatchObject({ judged: judged(events), differences: [] });
  expect(await p.cli('replay', '--json')).toEqual(first);
  expect(await p.cli('verify')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Sound: \d+ events, 1 run;/) });
});

const judged = (events: Awaited<ReturnType<Project['events']>>): number =>
  events.filter(({ event }) => event.type === 'phase-judged').length;

describe('verify fails and names the place', () => {
  test('when one byte of one event, its order, or one event is not as it was stored', {
    timeout: 120_000,
  }, async () => {
    await using p = await project({ plan });
    expect(await p.cli('run', 'plan.yaml', '--yes')).toMatchObject({ code: 0 });
    const last = (await p.events()).length;
    const events = await p.events();
    const decided = events.find(({ event }) => event.type === 'tap-decided')?.seq ?? 0;
    const middle = Math.floor(last / 2);
    const tampers: readonly (readonly [name: string, place: RegExp, sql: string])[] = [
      [
        'one byte of a body',
        at(decided),
        `update event set body = replace(body, 'yes-flag', 'yes-flaf') where seq = ${decided}`,
      ],
      ['a time', at(middle), `update event set at = replace(at, '20', '21') where seq = ${middle}`],
      ['an epoch', at(middle), `update event set epoch = epoch + 1 where seq = ${middle}`],
      ['a hash', at(middle), `update event set hash = '${'0'.repeat(64)}' where seq = ${middle}`],
      ['one is removed', at(middle), `delete from event where seq = ${middle}`],
      [
        'one is removed and the rest moves up',
        /ends at seq \d+, but its head is at/,
        `delete from event where seq = ${middle}; ${moveUp(middle, last)}`,
      ],
      ['two change places', at(middle), exchange(middle)],
      ['the first is removed', at(1), 'delete from event where seq = 1'],
      [
        'the end is cut off',
        new RegExp(`ends at seq ${last - 3}, but its head is at seq ${last}`),
        `delete from event where seq > ${last - 3}`,
      ],
      [
        'one is added',
        at(last + 1),
        `insert into event select ${last + 1}, stream, 9999, epoch, at, body, hash from event where seq = ${last}`,
      ],
    ];
    for (const [name, place, sql] of tampers) {
      await using copy = copied(p);
      tamper(copy.ledger, sql);
      const said = await copy.cli('verify', '--json');
      expect([name, said.code, said.stderr]).toEqual([name, 1, expect.stringMatching(place)]);
      expect(JSON.parse(said.stdout)).toMatchObject({ exit: 1, reason: 'ledger-damaged' });
    }
    expect(await p.cli('verify')).toMatchObject({ code: 0 });
  });

  test('and a run is never driven over such a ledger', { timeout: 120_000 }, async () => {
    await using p = await project({ plan });
    expect(await p.cli('run', 'plan.yaml', '--json')).toMatchObject({ code: 43 });
    await using copy = copied(p);
    const asked = (await p.events()).find(({ event }) => event.type === 'tap-opened')?.seq ?? 0;
    tamper(copy.ledger, `update event set at = replace(at, '20', '21') where seq = ${asked}`);
    const before = bytesOf(copy.ledger);
    for (const words of [['approve'], ['resume', '--yes'], ['run', 'plan.yaml', '--yes']]) {
      const said = await copy.cli(...words, '--json');
      expect([words, said.code, said.stderr]).toEqual([words, 1, expect.stringMatching(at(asked))]);
    }
    expect(bytesOf(copy.ledger)).toEqual(before);
  });
});

const at = (seq: number): RegExp => new RegExp(`(?:event|seq) ${seq}\\b`);
const moveUp = (from: number, last: number): string =>
  Array.from(
    { length: last - from },
    (_, index) => `update event set seq = ${from + index} where seq = ${from + index + 1}`,
  ).join(';');
const exchange = (seq: number): string =>
  [
    [seq, -1],
    [seq + 1, seq],
    [-1, seq + 1],
  ]
    .map(([from, to]) => `update event set seq = ${to} where seq = ${from}`)
    .join(';');

/** Commands that read the ledger; which of them changes something does not matter here. */
const commands: readonly (readonly string[])[] = [
  ...['status', 'watch', 'why', 'logs', 'diff', 'show', 'conflicts', 'events', 'rescue', 'replay', 'verify'].map(
    (name) => [name],
  ),
  ...['approve', 'reject', 'hold', 'land', 'undo', 'resume', 'pause', 'stop'].map((name) => [name]),
  ['clean', '--dry-run'],
  ['run', 'plan.yaml', '--yes'],
  ['retry', 'one'],
  ['drop', 'one'],
];

describe('a ledger that is not whole is refused by name, and never replaced:', () => {
  test('cut to half, by every command there is', { timeout: 120_000 }, async () => {
    await using p = await finished();
    await using copy = copied(p);
    truncateSync(copy.ledger, Math.floor(statSync(copy.ledger).size / 2));
    await refusedBy(copy, commands);
  });

  const damages: Readonly<Record<string, (ledger: string, older: string) => void>> = {
    'an empty file': (ledger) => truncateSync(ledger, 0),
    'no file': (ledger) => rmSync(ledger),
    'another file': (ledger) => writeFileSync(ledger, 'what is this?\n'.repeat(1000)),
    'a page of noise': (ledger) => {
      const bytes = readFileSync(ledger);
      writeFileSync(ledger, bytes.fill(0xa5, 4096, 3 * 4096));
    },
    'one from an older backup': (ledger, older) => cpSync(older, ledger),
    'a lost head': (ledger) => rmSync(`${ledger}.head`),
  };
  test('and so is each other damage', { timeout: 120_000 }, async () => {
    await using p = await finished();
    await using older = copied(p);
    expect(await p.cli('undo', '--yes')).toMatchObject({ code: 0 });
    await allEnded(p, ['cli', 'merger', 'supervisor']);
    for (const [name, damage] of Object.entries(damages)) {
      await using copy = copied(p);
      damage(copy.ledger, older.ledger);
      await refusedBy(copy, [['status'], ['verify'], ['resume', '--yes'], ['run', 'plan.yaml', '--yes']], name);
    }
  });
});

async function finished(): Promise<Project> {
  const p = await project({ plan });
  expect(await p.cli('run', 'plan.yaml', '--yes')).toMatchObject({ code: 0 });
  return p;
}

async function refusedBy(copy: Copy, all: readonly (readonly string[])[], damage = ''): Promise<void> {
  const before = bytesOf(copy.ledger);
  for (const words of all) {
    const said = await copy.cli(...words, '--json');
    const lines = said.stderr.trim().split('\n');
    expect([damage, words, said.code, lines.length, said.stderr]).toEqual([
      damage,
      words,
      1,
      1,
      expect.stringContaining(copy.ledger),
    ]);
    expect(bytesOf(copy.ledger), `${damage} ${words.join(' ')}`).toEqual(before);
  }
}

type Copy = ReturnType<typeof copied>;

/** The same repository with a copy of its state directory, folded into one file as a backup would be. */
function copied(p: Project) {
  const root = join(p.root, `copy-${readdirSync(p.root).length}`);
  cpSync(join(p.root, 'state'), root, { recursive: true });
  const { ledger } = stateDir(join(root, readdirSync(root)[0] ?? ''));
  using db = new DatabaseSync(ledger);
  db.exec('pragma wal_checkpoint(truncate)');
  const cli = (...args: string[]): Promise<Ended> => ended(p.start(args, { TIDEGATE_STATE_DIR: root }));
  return { ledger, cli, [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true, force: true }) };
}

/** What someone with the file and an SQL prompt can do: without the triggers, which are put back afterwards. */
function tamper(ledger: string, sql: string): void {
  using db = new DatabaseSync(ledger);
  const triggers = db.prepare(`select name, sql from sqlite_schema where type = 'trigger'`).all();
  for (const { name } of triggers) db.exec(`drop trigger ${String(name)}`);
  db.exec(sql);
  for (const { sql: text } of triggers) db.exec(String(text));
  db.exec('pragma wal_checkpoint(truncate)');
}

/** The ledger and its head; SQLite's own files beside them come and go. */
const bytesOf = (ledger: string): readonly (Buffer | null)[] =>
  [ledger, `${ledger}.head`].map((path) =>
    statSync(path, { throwIfNoEntry: false }) === undefined ? null : readFileSync(path),
  );
