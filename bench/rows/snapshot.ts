import { mkdirSync, writeFileSync } from 'node:fs';
import { takeSnapshot } from '../../src/adapters/snapshot/index.ts';
import { makeWorkspace } from '../../src/adapters/workspace/index.ts';
import { commitId } from '../../src/domain/base/ids.ts';
import { snapshotByHand } from '../hand-wave.ts';
import { run } from '../process.ts';
import { makeBare, makeRepository, place } from '../repository.ts';
import { inTurns, type Row } from './row.ts';

/** A workspace in which ten files changed, committed durably by our own walk, beside git's three commands. */
export async function snapshotRows(files: number, rounds: number): Promise<readonly Row[]> {
  using here = place();
  const checkout = `${here.root}/repo`;
  const repository = `${here.root}/bare.git`;
  const byHand = `${here.root}/by-hand`;
  mkdirSync(checkout);
  await makeRepository(checkout, files, {});
  const commit = commitId(await makeBare(checkout, repository));
  const directory = `${here.root}/ours`;
  let made = 0;
  const workspaces = await inTurns(
    Math.min(rounds, 3),
    async () => {
      made += 1;
      await makeWorkspace({ repository, directory: `${directory}-${made}`, commit });
    },
    () => run('git', ['clone', '-q', '--shared', repository, `${byHand}-${made}`]),
  );
  let turn = 0;
  const change = (workspace: string) => {
    turn += 1;
    for (let index = 0; index < 10; index += 1)
      writeFileSync(`${workspace}/src/part-${index}/file-${index * 20}.txt`, `turn ${turn} of ${index}\n`);
  };
  const statCache = `${directory}-1.json`;
  const spent = await inTurns(
    rounds,
    async () => {
      change(`${directory}-1`);
      const ref = 'refs/tidegate/attempts/bench.a.1';
      const workspace = `${directory}-1`;
      await takeSnapshot({ repository, workspace, base: commit, from: commit, statCache, ref, message: 'm' });
    },
    async () => {
      change(`${byHand}-1`);
      await snapshotByHand(repository, `${byHand}-1`, commit);
    },
  );
  return [
    { name: `workspace, ${files} files`, ...workspaces, beside: 'git clone --shared', unit: 'ms' },
    { name: `snapshot, ${files} files, 10 changed`, ...spent, beside: 'git add, write-tree, commit-tree', unit: 'ms' },
  ];
}
