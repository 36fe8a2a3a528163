import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ensureStore } from '../../src/adapters/git/stores/index.ts';
import { commitId } from '../../src/domain/base/ids.ts';
import { run } from '../process.ts';
import { makeBare, place } from '../repository.ts';
import { inTurns, type Row } from './row.ts';

const files = 1_000;
const changed = 15;

/**
 * The objects that a task may see, from a history of `commits`: the first store of a repository beside a clone of it, once where its packs
 * hold another branch too and once where they do not, and a store of twenty commits more beside git's own pack of them.
 */
export async function storeRows(commits: number, rounds: number): Promise<readonly Row[]> {
  using here = place();
  const checkout = `${here.root}/repo`;
  const repository = `${here.root}/repo.git`;
  const stores = `${here.root}/stores`;
  await makeHistory(checkout, commits);
  await makeBare(checkout, repository);
  const git = async (...args: string[]) => (await run('git', ['--git-dir', repository, ...args])).trim();
  const counted = await git('rev-list', '--objects', '--count', 'main');
  const at = async (name: string) => {
    const commit = commitId(await git('rev-parse', name));
    return { from: commit, base: commit };
  };
  const [tip, before] = [await at('main'), await at('main~20')];
  const first = () =>
    inTurns(
      rounds,
      async () => {
        rmSync(stores, { recursive: true, force: true });
        await ensureStore(repository, tip);
      },
      async () => {
        rmSync(`${here.root}/clone.git`, { recursive: true, force: true });
        await run('git', [
          'clone',
          '-q',
          '--bare',
          '--no-local',
          '--single-branch',
          checkout,
          `${here.root}/clone.git`,
        ]);
      },
    );
  const alone = await first();
  await run('git', ['-C', checkout, 'checkout', '-q', '-b', 'other']);
  writeFileSync(`${checkout}/other.txt`, 'of another branch\n');
  await run('git', ['-C', checkout, 'add', '-A']);
  await run('git', ['-C', checkout, 'commit', '-q', '-m', 'other']);
  await run('git', ['-C', checkout, 'repack', '-q', '-a', '-d']);
  await run('git', ['-C', checkout, 'checkout', '-q', 'main']);
  rmSync(repository, { recursive: true });
  await makeBare(checkout, repository);
  const mixed = await first();
  rmSync(stores, { recursive: true });
  await ensureStore(repository, before);
  const list = `${here.root}/list`;
  writeFileSync(list, `${tip.from}\n^${before.from}\n`);
  const next = await inTurns(
    rounds,
    async () => {
      rmSync(`${stores}/${tip.from}`, { recursive: true, force: true });
      await ensureStore(repository, tip);
    },
    () => run('/bin/sh', ['-c', `git --git-dir ${repository} pack-objects -q --revs ${here.root}/by-hand < ${list}`]),
  );
  const clone = 'git clone --bare --no-local';
  return [
    { name: `first store, ${counted} objects`, ...alone, beside: clone, unit: 'ms' },
    { name: `first store, ${counted} objects, packed with another branch`, ...mixed, beside: clone, unit: 'ms' },
    { name: 'next store, 20 commits later', ...next, beside: 'git pack-objects of its new objects', unit: 'ms' },
  ];
}

/** Each commit changes a line in some files; everything in one pack. */
async function makeHistory(checkout: string, commits: number): Promise<void> {
  mkdirSync(checkout);
  await run('git', ['init', '-q', '-b', 'main', checkout]);
  for (const [name, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.com'],
  ] as const)
    await run('git', ['-C', checkout, 'config', name, value]);
  const child = spawn('git', ['-C', checkout, 'fast-import', '--quiet', '--done'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`fast-import: ${code}`))));
  });
  await pipeline(history(commits), child.stdin);
  await ended;
  await run('git', ['-C', checkout, 'reset', '-q', '--hard']);
  await run('git', ['-C', checkout, 'repack', '-q', '-a', '-d']);
}

function* history(commits: number): Generator<string> {
  const lines = Array.from({ length: files }, (_, file) => Array.from({ length: 40 }, (_, line) => `${file} ${line}`));
  for (let commit = 0; commit < commits; commit += 1) {
    const who = `Ada <ada@example.com> ${1_700_000_000 + commit * 60} +0000`;
    yield `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata 2\nc\n`;
    for (let index = 0; index < (commit === 0 ? files : changed); index += 1) {
      const file = commit === 0 ? index : (commit * 7919 + index * 104_729) % files;
      const text = lines[file] ?? [];
      text[(commit * 31) % 40] = `changed by ${commit} in ${file}`;
      const content = `${text.join('\n')}\n`;
      yield `M 100644 inline src/${file % 30}/${file % 7}/${file}.txt\ndata ${content.length}\n${content}\n`;
    }
  }
  yield 'done\n';
}
