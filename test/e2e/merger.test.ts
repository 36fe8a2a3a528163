import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { identify, isAlive } from '../../src/adapters/process/process-identity.ts';
import { failpointsIn } from '../support/failpoints.ts';
import { run, scene } from '../support/merger-scene.ts';
import { mergerUnderFire, realMerger } from '../support/merger-under-fire.ts';

const branch = `refs/tidegate/runs/${run}`;
const openLedger = (file: string) => openSqliteLedger(file);
const points = failpointsIn('open-run', 'candidate/task-base', 'candidate/candidate', 'candidate/add-generated');

test.each(points)('killed at %s and asked again, the merge ends as if nothing had happened', async (point) => {
  const fire = mergerUnderFire(point);
  const plan = { generated: { 'list.txt': 'ls > list.txt' } };
  await using s = await scene({ waves: [{ a: {} }], plan, openLedger, merger: fire.merger });
  expect(await s.open()).toEqual({ outcome: 'done' });
  await s.work('a', { 'a.txt': 'a\n' });
  const built = await s.closeRound(0, 0, ['a'], { 'list.txt': 'a.txt\n' });
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
  expect(fire.deaths).toEqual(['the merger ended (SIGKILL)']);
  expect(s.bare('rev-parse', `${branch}^`)).toBe(built.steps[0]?.commit);
  expect(s.bare('show', `${branch}:list.txt`)).toBe('a.txt');
  expect(s.bare('fsck', '--strict', '--no-dangling')).toBe('');
  const types = (await s.events()).map((event) => event.type);
  for (const once of [
    'run-branch-made',
    'task-base-made',
    'candidate-built',
    'candidate-completed',
    'merge-intended',
    'merged',
  ])
    expect(types.filter((type) => type === once)).toEqual([once]);
});

test('a new merger ends the earlier one and its children before it does anything', async () => {
  await using s = await scene({ waves: [{ a: {} }], openLedger });
  const child = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const leader = identify(child.pid);
  const member = identify(Number(line.toString()));
  writeFileSync(s.state.mergerRecord, JSON.stringify(leader));
  await using merger = realMerger(s.context);
  expect(await merger.ask({ do: 'open-run', run }, s.epoch)).toEqual({ outcome: 'done' });
  expect([isAlive(leader), isAlive(member)]).toEqual([false, false]);
});

test('a record whose pid was given to another process ends nobody', async () => {
  await using s = await scene({ waves: [{ a: {} }], openLedger });
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const stranger = identify(child.pid);
  writeFileSync(s.state.mergerRecord, JSON.stringify({ ...stranger, startTime: '1' }));
  await using merger = realMerger(s.context);
  expect(await merger.ask({ do: 'open-run', run }, s.epoch)).toEqual({ outcome: 'done' });
  expect(isAlive(stranger)).toBe(true);
  child.kill('SIGKILL');
});

test('lock files that a killed merger left are removed; those of attempts are not ours', async () => {
  await using s = await scene({ waves: [{ a: {} }], openLedger });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.closeRound(0, 0, ['a']);
  const attempts = `${s.state.repository}/refs/tidegate/attempts/x.lock`;
  for (const lock of [`${s.state.repository}/${branch}.lock`, `${s.state.repository}/packed-refs.lock`, attempts]) {
    mkdirSync(lock.slice(0, lock.lastIndexOf('/')), { recursive: true });
    writeFileSync(lock, '');
  }
  await using merger = realMerger(s.context);
  expect(await merger.ask({ do: 'merge', run, wave: 0, round: 0 }, s.epoch)).toEqual({ outcome: 'done' });
  expect(existsSync(attempts)).toBe(true);
});

test('a lock that a git of this very merger left fails one request; asked again, it is gone', async () => {
  await using s = await scene({ waves: [{ a: {} }], openLedger });
  await using merger = realMerger(s.context);
  await merger.ask({ do: 'open-run', run }, s.epoch);
  await s.work('a', { 'a.txt': 'a\n' });
  const built = await s.closeRound(0, 0, ['a']);
  writeFileSync(`${s.state.repository}/${branch}.lock`, '');
  const asked = () => merger.ask({ do: 'merge', run, wave: 0, round: 0 }, s.epoch);
  await expect(asked()).rejects.toMatchObject({ name: 'MergerFailed' });
  expect(await asked()).toEqual({ outcome: 'done' });
  expect(s.bare('rev-parse', branch)).toBe(built.steps[0]?.commit);
});

test('objects that were begun and never finished are removed, unless a supervisor may be writing them', async () => {
  await using s = await scene({ waves: [{ a: {} }], openLedger });
  await s.open();
  const objects = `${s.state.repository}/objects`;
  const half = [`${objects}/pack/tmp_pack_abc`, `${objects}/pack/tmp_idx_abc`, `${objects}/5e/tmp_obj_abc`];
  mkdirSync(`${objects}/5e`, { recursive: true });
  for (const path of half) writeFileSync(path, 'half');
  const left = () => half.filter((path) => existsSync(path));
  const takeOver = async () => {
    await using merger = realMerger(s.context);
    expect(await merger.ask({ do: 'open-run', run }, s.epoch)).toEqual({ outcome: 'done' });
  };
  const supervisor = spawn('sh', ['-c', 'read -r line', `${s.state.jobs}/demo-ab12.a.1`]);
  await once(supervisor, 'spawn');
  await takeOver();
  expect(left()).toEqual(half);
  supervisor.stdin.end('\n');
  await once(supervisor, 'exit');
  await takeOver();
  expect(left()).toEqual([]);
  expect(s.bare('fsck', '--strict', '--no-dangling')).toBe('');
});

test('an environment that fails is told, and asking again works', async () => {
  await using s = await scene({ waves: [{ a: {} }], openLedger });
  writeFileSync(s.state.repository, 'not a repository');
  await using merger = realMerger(s.context);
  await expect(merger.ask({ do: 'open-run', run }, s.epoch)).rejects.toMatchObject({ name: 'MergerFailed' });
  s.write({ '../state/repo.git': null });
  expect(await merger.ask({ do: 'open-run', run }, s.epoch)).toEqual({ outcome: 'done' });
});

test('git killed inside update-ref leaves a lock; the next merger removes it and finishes', async () => {
  await using s = await scene({ waves: [{ a: {} }], openLedger });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  const built = await s.closeRound(0, 0, ['a']);
  const lock = `${s.state.repository}/${branch}.lock`;
  const trap = [
    'strace',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-P',
    lock,
    '-e',
    'trace=rename',
    '-e',
    'inject=rename:signal=SIGKILL',
  ];
  await using struck = realMerger(s.context, {}, trap);
  await expect(struck.ask({ do: 'merge', run, wave: 0, round: 0 }, s.epoch)).rejects.toMatchObject({
    name: 'MergerFailed',
  });
  expect([existsSync(lock), s.bare('rev-parse', branch)]).toEqual([true, built.base]);
  await using merger = realMerger(s.context);
  expect(await merger.ask({ do: 'merge', run, wave: 0, round: 0 }, s.epoch)).toEqual({ outcome: 'done' });
  expect(s.bare('rev-parse', branch)).toBe(built.steps[0]?.commit);
});
