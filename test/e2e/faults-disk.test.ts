import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, globSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { explain } from '../../src/domain/explain/explain.ts';
import { failure } from '../support/findings.ts';
import { answerEverything } from '../support/person.ts';
import { type Ended, handoff, type Project, project, scripted } from '../support/project.ts';
import { smallDisk } from '../support/small-disk.ts';
import { tempRepo } from '../support/temp-repo.ts';
import { untilEvent } from '../support/until-event.ts';

const documentOf = ({ stdout }: Ended) =>
  JSON.parse(stdout) as { reason: string; run: string; needs?: { message: string; command: string }[] };
const typesIn = async (p: Project) => (await p.events()).map(({ event }) => event.type);

describe('a state directory on a disk', () => {
  test('that is too full for the snapshot (D2): not ready, said so; with space the task is done again', {
    timeout: 120_000,
  }, async ({ skip }) => {
    const big = scripted(`head -c 5000000 /dev/urandom > one.bin; ${handoff}`, { owns: ['one.bin'] });
    await using p = await project({ plan: { land: 'auto', tasks: { big } } });
    using disk = smallDisk(join(p.root, 'state'), '8m');
    if (disk === null) return skip('no small tmpfs');
    const before = p.git('rev-parse', 'main');
    const ran = await p.cli('run', 'plan.yaml', '--yes', '--json');
    expect(ran.code).not.toBe(0);
    expect([p.git('rev-parse', 'main'), (await typesIn(p)).includes('merged')]).toEqual([before, false]);
    expect(ran.stderr).toMatch(/disk is full|no space|no snapshot/i);

    disk.remount('size=64m');
    const run = (await p.events()).find(({ stream }) => stream !== 'repo')?.stream ?? '';
    expect(documentOf(await answerEverything(p, run))).toMatchObject({ exit: 0 });
    expect(Number(p.git('cat-file', '-s', 'main:one.bin'))).toBe(5_000_000);
    expect(await p.cli('verify')).toMatchObject({ code: 0 });
  });

  test('that has no room for the objects of the repository (D2): the disk is named, and no command of git', {
    timeout: 120_000,
  }, async ({ skip }) => {
    const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
    await using p = await project({ plan: { land: 'auto', tasks: { one } } });
    p.write('big.txt', randomBytes(4_000_000).toString('base64'));
    p.git('add', '-A');
    p.git('commit', '-q', '-m', 'big');
    using disk = smallDisk(join(p.root, 'state'), '3m');
    if (disk === null) return skip('no small tmpfs');
    const ran = await p.cli('run', 'plan.yaml', '--yes');
    expect(ran.code).not.toBe(0);
    // the ledger, if its own write came second
    expect(ran.stdout + ran.stderr).toMatch(/no space left on the disk of \/|disk is full/);
    expect(ran.stdout + ran.stderr).toContain(p.state().root);
    expect(ran.stdout + ran.stderr).not.toMatch(/pack-objects|index-pack/);
    disk.remount('size=64m');
    const run = (await p.events()).find(({ stream }) => stream !== 'repo')?.stream ?? '';
    expect(documentOf(await answerEverything(p, run))).toMatchObject({ exit: 0 });
    expect(p.git('show', 'main:one.txt')).toBe('one');
  });

  test('that an agent fills with its output (D3): one line says so, nothing is merged, and with space it goes on', {
    timeout: 120_000,
  }, async ({ skip }) => {
    const loud = scripted(`echo one > one.txt; head -c 7000000 /dev/urandom | base64; ${handoff}`, {
      owns: ['one.txt'],
    });
    await using p = await project({ plan: { land: 'auto', tasks: { loud } } });
    using disk = smallDisk(join(p.root, 'state'), '4m');
    if (disk === null) return skip('no small tmpfs');
    const before = p.git('rev-parse', 'main');
    const ran = await p.cli('run', 'plan.yaml', '--yes');
    expect(ran.code).not.toBe(0);
    expect(ran.stderr + ran.stdout).not.toMatch(/^\s+at /m);
    expect(p.git('rev-parse', 'main')).toBe(before);

    disk.remount('size=64m');
    const run = (await p.events()).find(({ stream }) => stream !== 'repo')?.stream ?? '';
    expect(documentOf(await answerEverything(p, run))).toMatchObject({ exit: 0 });
    expect(p.git('show', 'main:one.txt')).toBe('one');
    expect(await p.cli('verify')).toMatchObject({ code: 0 });
  });

  test('that loses its permissions while a closure role runs (D4): one message says so, the command ends, and resume goes on', {
    timeout: 120_000,
  }, async ({ skip }) => {
    if (process.getuid?.() === 0) return skip('root may write everywhere');
    const qa = { command: ['/bin/sh', '-c', 'sleep 5; tidegate verdict pass'] };
    const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
    await using p = await project({ plan: { land: 'auto', limits: { attempts: 1 }, closure: { qa }, tasks: { one } } });
    const { run } = documentOf(await p.cli('run', 'plan.yaml', '--json'));
    const running = p.cli('resume', run, '--yes');
    await untilEvent(p, (event) => event.type === 'attempt-started' && event.task === 'wave-1-qa');
    const { root } = p.state();
    const folders = [root, ...globSync(`${root}/**/*/`)].filter((path) => lstatSync(path).isDirectory());
    for (const folder of folders) chmodSync(folder, 0o500);
    const ran = await running;
    for (const folder of folders) if (existsSync(folder)) chmodSync(folder, 0o700);
    expect([ran.code, ran.stderr]).toEqual([
      1,
      expect.stringMatching(/no permission for .*then run: tidegate resume$/m),
    ]);
    expect(documentOf(await answerEverything(p, run))).toMatchObject({ exit: 0 });
    expect(p.git('show', 'main:one.txt')).toBe('one');
  });

  test('that turned read-only (D4): each command ends with one line and exit 1, and nothing is lost', {
    timeout: 120_000,
  }, async ({ skip }) => {
    const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
    await using p = await project({ plan: { land: 'auto', tasks: { one } } });
    using disk = smallDisk(join(p.root, 'state'), '64m');
    if (disk === null) return skip('no small tmpfs');
    const { run } = documentOf(await p.cli('run', 'plan.yaml', '--json'));
    const before = await p.events();
    disk.remount('ro');
    for (const words of [
      ['status'],
      ['approve', run],
      ['resume', run, '--yes'],
      ['run', 'plan.yaml', '--yes'],
      ['verify'],
    ]) {
      const said = await p.cli(...words);
      expect([words, said.code, said.stderr.trim().split('\n').length]).toEqual([words, 1, 1]);
      expect(said.stderr).toMatch(/^tidegate: .*(read-?only|readonly)/i);
    }
    disk.remount('rw');
    expect((await p.events()).slice(0, before.length)).toEqual(before);
    expect(documentOf(await answerEverything(p, run))).toMatchObject({ exit: 0 });
    expect(p.git('show', 'main:one.txt')).toBe('one');
  });
});

test('a clock that jumps back, ahead or stands still does not change the order of events (C1)', async () => {
  await using place = await tempRepo();
  const times = ['2030-01-01T00:00:00Z', '2029-12-31T00:00:00Z', '2030-01-01T01:00:00Z', '2030-01-01T01:00:00Z'];
  const left = ['2030-01-01T00:00:00Z', ...times];
  const file = join(place.home, 'ledger.db');
  const holder = { pid: process.pid, startTime: '1', bootId: 'b', socket: '' };
  {
    await using ledger = await openSqliteLedger(file, { now: () => new Date(left.shift() ?? '') });
    const taken = await ledger.takeEpoch(holder, () => false);
    if (taken.outcome !== 'taken') throw new Error('no epoch');
    for (const [index] of times.entries())
      await ledger.append('run', index, [{ type: 'run-halted', because: failure(`${index}`) }], taken.epoch);
  }
  await using again = await openSqliteLedger(file);
  const stored = await again.read('run');
  expect(stored.map(({ seq, event }) => [seq, event.type === 'run-halted' && explain(event.because).detail])).toEqual([
    [2, '0'],
    [3, '1'],
    [4, '2'],
    [5, '3'],
  ]);
  expect(stored.map(({ at }) => Date.parse(at))).toEqual(times.map((time) => Date.parse(time)));
  expect(await again.verify()).toMatchObject({ ok: true });
  expect(globSync(join(place.home, 'ledger.db.head'))).toHaveLength(1);
});
