import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { adoptCommit } from '../../src/adapters/git/bare/index.ts';
import { openNeighbours, tryNeighbours, waysTo } from '../support/neighbours.ts';
import { isOpenToAll } from '../support/open-to-all.ts';

const program = resolve(import.meta.dirname, '../support/neighbours-process.ts');
const isRoot = process.getuid?.() === 0;
const held = { through: [], broken: [] };

test('S5: an attempt reads no object that its commit does not reach, and git works with the rest', async () => {
  await using neighbours = await openNeighbours();
  expect(await tryNeighbours(neighbours)).toEqual(held);
});

test.skipIf(!isRoot || !(isOpenToAll(program) && isOpenToAll(process.execPath)))(
  'S5: nor does an attempt of a person who is not root',
  () => {
    const run = spawnSync(process.execPath, [program], {
      ...{ uid: 54321, gid: 54321 },
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', TMPDIR: '/tmp' },
    });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual(held);
  },
);

test.each(['check', 'generate'] as const)('S5: nor does a %s', async (kind) => {
  await using neighbours = await openNeighbours();
  expect(await tryNeighbours(neighbours, { kind })).toEqual(held);
});

test('S5: nor do setup and teardown', async () => {
  await using neighbours = await openNeighbours();
  const { scene, commit, hidden } = neighbours;
  const look = `for i in ${Object.values(hidden).join(' ')}; do git cat-file -p $i && echo seen $i; done; true`;
  const exit = await scene.run({ from: commit, base: commit, setup: look, teardown: look });
  expect(exit.ending).toMatchObject({ reason: 'exited', code: 0 });
  expect(exit.output).not.toContain('seen');
});

test('S5: a retry sees the snapshot that it starts from and its base, and nothing of its siblings', async () => {
  await using neighbours = await openNeighbours();
  const { scene, commit } = neighbours;
  const id = 'demo-ab12.retried.1';
  const first = await scene.run({ id, from: commit, base: commit, argv: ['/bin/sh', '-c', 'echo mine > mine.txt'] });
  const from = first.snapshot?.commit ?? commit;
  expect(from).not.toBe(commit);
  const moved = scene.repo.commit('the base went on', { 'src/c.txt': 'c\n' });
  await adoptCommit(neighbours.repository, `${scene.repo.path}/.git`, moved);
  const ways = Object.values(waysTo(neighbours));
  const script = `git show ${from}:mine.txt && git log -1 --format=%s ${moved} && git fsck --full; ${ways.map((way) => `(${way}) && echo through`).join('; ')}; true`;
  const again = await scene.run({ from, base: moved, argv: ['/bin/sh', '-c', script] });
  expect(again.output).toContain('mine\nthe base went on\n');
  expect(again.output).not.toContain('through');
});
