import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateDir } from '../../domain/ledger/state-dir.ts';
import { ownName } from '../process/process-identity.ts';
import { stateDisk } from './index.ts';

function scene() {
  const root = mkdtempSync(join(tmpdir(), 'tidegate-disk-'));
  const write = (path: string, content: string | Buffer = '', time = 1_000): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
    utimesSync(join(root, path), time, time);
  };
  const disk = stateDisk(stateDir(root), async () => ({ cap: 1, free: 1 }));
  return { root, write, disk, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

test('what takes room is told by allocated blocks: workspaces with their jobs, and whole products', async () => {
  using s = scene();
  s.write('jobs/run-ab12.one.1/exit.json', '{}', 2_000);
  s.write('jobs/run-ab12.one.1/workspace/big', Buffer.alloc(100_000, 1));
  s.write('jobs/run-ab12.two.1/workspace/sparse', '');
  s.write('jobs/run-ab12.gone.1/exit.json', '{}');
  s.write('cache/setup/abc/product.json', '[]', 3_000);
  s.write('cache/setup/def.1.new/0/half', 'x');
  const held = await s.disk.holdings();
  expect(held.map(({ bytes: _, ...rest }) => rest)).toEqual([
    { kind: 'workspace', id: 'run-ab12.one.1', usedAt: 2_000_000, over: true },
    { kind: 'workspace', id: 'run-ab12.two.1', usedAt: 0, over: false },
    { kind: 'product', id: 'abc', usedAt: 3_000_000 },
  ]);
  expect(held[0]?.bytes).toBeGreaterThanOrEqual(100_000);
  expect(held[1]?.bytes).toBeLessThan(20_000);
});

test('proofs that people gave count, and go whole', async () => {
  using s = scene();
  s.write('runs/run-ab12/plan.json', '{}');
  s.write('runs/run-cd34/proofs/0123', Buffer.alloc(100_000, 1));
  const [proofs, ...others] = await s.disk.holdings();
  expect([proofs?.kind, proofs?.id, others]).toEqual(['proofs', 'run-cd34', []]);
  expect(proofs?.bytes).toBeGreaterThanOrEqual(100_000);
  await s.disk.remove({ kind: 'proofs', id: 'run-cd34' });
  expect([await s.disk.holdings(), readdirSync(join(s.root, 'runs/run-cd34'))]).toEqual([[], []]);
});

test('a copy of `shell` or `open` is over when the process that made it is dead, and goes whole', async () => {
  using s = scene();
  const dead = ownName().replace(/_\d+_/, '_1_');
  s.write(`copies/${dead}/task/a.txt`, 'x');
  s.write(`shells/${dead}/workspace/a.txt`, 'x');
  s.write(`copies/${ownName()}/task/a.txt`, 'x');
  s.write('edits/ab12/files/a.txt', 'x');
  const copies = (await s.disk.holdings()).map(({ bytes: _, usedAt: __, ...rest }) => rest);
  expect(copies.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
    [
      { kind: 'copy', id: `copies/${dead}`, over: true },
      { kind: 'copy', id: `copies/${ownName()}`, over: false },
      { kind: 'copy', id: `shells/${dead}`, over: true },
      { kind: 'edit', id: 'edits/ab12', over: false },
    ].toSorted((a, b) => a.id.localeCompare(b.id)),
  );
  await s.disk.remove({ kind: 'copy', id: `copies/${dead}` });
  expect(readdirSync(join(s.root, 'copies'))).toEqual([ownName()]);
});

test('what cannot change any more is measured once; what is at work, every time', async () => {
  using s = scene();
  for (const id of ['over', 'live']) s.write(`jobs/run-ab12.${id}.1/workspace/a`, Buffer.alloc(50_000, 1));
  s.write('jobs/run-ab12.over.1/exit.json', '{}');
  const sizes = async () => new Map((await s.disk.holdings()).map(({ id, bytes }) => [id.split('.')[1], bytes]));
  const before = await sizes();
  for (const id of ['over', 'live']) s.write(`jobs/run-ab12.${id}.1/workspace/b`, Buffer.alloc(50_000, 1));
  const after = await sizes();
  expect(after.get('over')).toBe(before.get('over'));
  expect(after.get('live')).toBeGreaterThan(before.get('live') ?? 0);
});

test('a workspace goes whole, closed directories too; log and records of its job stay', async () => {
  using s = scene();
  s.write('jobs/run-ab12.one.1/workspace/closed/inner/file', 'x');
  s.write('jobs/run-ab12.one.1/workspace.objects/pack/a.pack', 'x');
  s.write('jobs/run-ab12.one.1/output.log', 'said');
  for (const path of ['closed/inner', 'closed']) chmodSync(join(s.root, 'jobs/run-ab12.one.1/workspace', path), 0);
  const one = { kind: 'workspace', id: 'run-ab12.one.1' } as const;
  await s.disk.remove(one);
  await s.disk.remove(one);
  expect(readdirSync(join(s.root, 'jobs/run-ab12.one.1'))).toEqual(['output.log']);
});

test('a kept path is found by the name that people see, measured and removed; no link leads there', async () => {
  using s = scene();
  const job = 'run-ab12.one.1';
  const workspace = join(s.root, `jobs/${job}/workspace`);
  s.write(`jobs/${job}/workspace/dir/big`, Buffer.alloc(50_000, 1));
  s.write(`jobs/${job}/workspace/x-secret-y`, 'x');
  s.write(`jobs/${job}/workspace/ghp-token.txt`, 'x');
  s.write('elsewhere/precious', 'x');
  writeFileSync(Buffer.concat([Buffer.from(`${workspace}/dir/c`), Buffer.from([0xe9])]), 'x');
  symlinkSync('../../../elsewhere', join(workspace, 'link'));
  expect(await s.disk.sizeOf(job, 'dir/big')).toBeGreaterThanOrEqual(50_000);
  expect(await s.disk.sizeOf(job, '.')).toBeGreaterThanOrEqual(50_000);
  expect(await s.disk.sizeOf(job, 'absent')).toBe(0);
  for (const path of [
    '"dir/c\\351"',
    'x-[redacted]-y',
    '[redacted github-pat].txt',
    'link/precious',
    '../../../elsewhere/precious',
    'link',
  ])
    await s.disk.discard(job, path);
  expect(readdirSync(workspace)).toEqual(['dir']);
  expect(readdirSync(join(workspace, 'dir'))).toEqual(['big']);
  expect(existsSync(join(s.root, 'elsewhere/precious'))).toBe(true);
  s.write(`jobs/${job}/workspace.objects/pack/a.pack`, 'x');
  await s.disk.discard(job, '.');
  expect(existsSync(workspace)).toBe(false);
  expect(readdirSync(join(s.root, `jobs/${job}`))).toEqual([]);
});
