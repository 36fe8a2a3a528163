import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git } from '../../src/adapters/git/process/index.ts';
import { refTip } from '../../src/adapters/git/read/index.ts';
import { takeSnapshot } from '../../src/adapters/snapshot/index.ts';
import { makeWorkspace } from '../../src/adapters/workspace/index.ts';
import type { CommitId } from '../../src/domain/base/ids.ts';
import { tempRepo } from '../support/temp-repo.ts';

const count = 10_000;
const fileName = (index: number) => `d${index % 100}/e${index % 7}/file${index}.ts`;

/** A commit of many files, made without writing them to a checkout. */
async function largeCommit(repository: string): Promise<CommitId> {
  const files = Array.from({ length: count }, (_, index) => {
    const text = `export const x${index} = ${'1 + '.repeat(index % 300)}1;\n`;
    return `M 100644 inline ${fileName(index)}\ndata ${text.length}\n${text}\n`;
  });
  const head = 'commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 4\nbase\n';
  await git({
    gitDir: repository,
    args: ['fast-import', '--quiet', '--done'],
    stdin: `${head}${files.join('')}\ndone\n`,
  });
  return (await refTip(repository, 'refs/heads/main')) as CommitId;
}

async function timed<T>(run: () => Promise<T>): Promise<[number, T]> {
  const start = performance.now();
  const value = await run();
  return [Math.round(performance.now() - start), value];
}

test('a tree of 10,000 files: the workspace costs about a clone, its snapshot about nothing', async () => {
  await using repo = await tempRepo();
  const repository = await repo.bare(repo.commit('first', { a: '1' }));
  const commit = await largeCommit(repository);
  const directory = join(repo.home, 'job/workspace');
  const plain = join(repo.home, 'plain');
  const [clone] = await timed(async () =>
    execFileSync('git', ['clone', '--quiet', '--shared', '--branch=main', repository, plain]),
  );
  rmSync(plain, { recursive: true });
  const [workspace, made] = await timed(() => makeWorkspace({ repository, directory, commit }));
  const snapshot = () =>
    takeSnapshot({
      repository,
      workspace: directory,
      base: commit,
      from: commit,
      statCache: made.record,
      ref: 'refs/tidegate/attempts/a.b.1',
      message: 'm',
    });
  const [untouched, first] = await timed(snapshot);
  for (let index = 0; index < 200; index += 1) writeFileSync(join(directory, fileName(index)), `changed ${index}\n`);
  const [changed, second] = await timed(snapshot);
  console.log(
    `10,000 files: clone --shared ${clone} ms, workspace ${workspace} ms (${(workspace / clone).toFixed(2)}x), ` +
      `untouched snapshot ${untouched} ms, 200 changed ${changed} ms`,
  );
  expect(first.diff).toEqual([]);
  expect(second.diff).toHaveLength(200);
  // Far above what is measured, so that a busy machine passes and hashing every file again does not.
  expect(workspace).toBeLessThan(clone * 2.5 + 500);
  expect(untouched).toBeLessThan(clone * 2 + 1000);
}, 60_000);
