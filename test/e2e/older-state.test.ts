import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryName, unversionedName } from '../../src/adapters/state-directory/index.ts';
import { handoff, type Project, project, scripted } from '../support/project.ts';

const hello = scripted(`echo hi > HELLO.md; ${handoff}`, { owns: ['HELLO.md'] });

test('state of an older format stays as it is, new runs begin beside it, and one line says where both are', async () => {
  await using here = await project({ plan: { tasks: { hello } } });
  using older = olderStateOf(here);
  const before = older.contents();
  const note = new RegExp(`^tidegate: note: .*${older.path} .* older format .* ${older.next}$`);

  // looking makes nothing, so that there is nothing yet
  for (const args of [['status'], ['status', '--json']]) {
    const looked = await here.cli(...args);
    expect(notesIn(looked.stderr)).toEqual([expect.stringMatching(note)]);
    expect(looked.stdout).not.toContain(older.path);
  }
  expect(readdirSync(older.root)).toEqual([older.name]);

  const ran = await here.cli('run', 'plan.yaml', '--yes', '--land');
  expect([ran.code, notesIn(ran.stderr)]).toEqual([0, [expect.stringMatching(note)]]);
  expect(existsSync(join(older.next, 'ledger.db'))).toBe(true);

  const again = await here.cli('status');
  expect([again.code, notesIn(again.stderr)]).toEqual([0, []]);
  expect(notesIn((await here.cli('verify')).stderr)).toEqual([]);
  expect(older.contents()).toEqual(before);
});

test('a directory that never held a ledger is no older state', async () => {
  await using here = await project({ plan: { tasks: { hello } } });
  using older = olderStateOf(here);
  rmSync(join(older.path, 'ledger.db'));
  expect(notesIn((await here.cli('status')).stderr)).toEqual([]);
});

const notesIn = (stderr: string): readonly string[] =>
  stderr.split('\n').filter((line) => line.includes('older format'));

/** What a Tidegate of format 1 left: this one does not look into it, so that anything will do. Removed before the project is. */
function olderStateOf({ root: home, checkout }: Project) {
  const root = join(home, 'state');
  const repository = { commonDir: join(checkout, '.git') };
  const name = unversionedName(repository);
  const path = join(root, name);
  mkdirSync(join(path, 'runs'), { recursive: true, mode: 0o700 });
  for (const file of ['ledger.db', 'ledger.db.head', 'runs/plan.json']) writeFileSync(join(path, file), `old ${file}`);
  writeFileSync(join(path, 'repository.json'), JSON.stringify({ checkout, ...repository }));
  return {
    root,
    name,
    path,
    next: join(root, repositoryName(repository)),
    /** Every file and directory with its bytes and times. */
    contents: () =>
      [path, ...readdirSync(path, { recursive: true }).map((entry) => join(path, String(entry)))]
        .toSorted()
        .map((at) => {
          const { mtimeMs, ctimeMs, mode } = statSync(at);
          const bytes = statSync(at).isDirectory() ? '' : hash('sha256', readFileSync(at));
          return { name: relative(path, at), bytes, mtimeMs, ctimeMs, mode };
        }),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
