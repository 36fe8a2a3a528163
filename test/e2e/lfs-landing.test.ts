import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { objectPath } from '../../src/adapters/git/lfs/index.ts';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import type { MergerContext } from '../../src/merger/order.ts';
import { perform } from '../../src/merger/serve.ts';
import { expectClean, land, picture, readyToLand, runTip, undo } from '../support/landing.ts';
import { pointed, pointerTo, stored } from '../support/lfs.ts';
import { type Edits, type Scene, type SceneOptions, scene } from '../support/merger-scene.ts';
import { mergerUnderFire } from '../support/merger-under-fire.ts';

const files: Edits = { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'a.bin': pointed('old\n') };
const edits: Edits = { 'a.bin': pointed('new\n'), 'b.bin': pointed('more\n') };
const objectOf = (store: string, content: string) => objectPath(store, pointerTo(content).oid);
const contentsOf = (store: string, ...contents: string[]) =>
  contents.map((content) => existsSync(objectOf(store, content)) && readFileSync(objectOf(store, content), 'utf8'));
const persons = (s: Scene) => join(s.checkout, '.git/lfs');

/** A run whose snapshots left `new`, `more` and something of another run in our store. */
async function ready(options: Partial<SceneOptions> = {}): Promise<Scene> {
  const s = await readyToLand(edits, { files, ...options });
  for (const content of ['new\n', 'more\n', 'of another run\n']) stored(s.state.lfs, content);
  return s;
}

const hasLfs = (() => {
  try {
    return execFileSync('git', ['lfs', 'version'], { stdio: ['ignore', 'pipe', 'ignore'] }).length > 0;
  } catch {
    console.log('git-lfs is not installed: what it does with landed objects is not tested');
    return false;
  }
})();
const isRoot = process.getuid?.() === 0;

test('gives the person the objects that land, nothing else, and takes nothing of theirs', async () => {
  await using s = await ready();
  mkdirSync(dirname(objectOf(persons(s), 'more\n')), { recursive: true });
  writeFileSync(objectOf(persons(s), 'more\n'), 'theirs');
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s));
  expect(contentsOf(persons(s), 'new\n', 'more\n', 'of another run\n')).toEqual(['new\n', 'theirs', false]);
  expect(readFileSync(join(s.checkout, 'a.bin'), 'utf8')).toBe(pointed('new\n'));
  expect(await undo(s)).toEqual({ outcome: 'done' });
  expect(readFileSync(join(s.checkout, 'a.bin'), 'utf8')).toBe(pointed('old\n'));
});

test('also objects that only a commit on the way names', async () => {
  await using s = await scene({ waves: [{ a: {} }, { b: {} }], files });
  await s.open();
  for (const [wave, [task, content]] of [['a', 'first\n'] as const, ['b', 'second\n'] as const].entries()) {
    stored(s.state.lfs, content);
    await s.work(task, { 'a.bin': pointed(content) });
    await s.closeRound(wave, 0, [task]);
    expect(await s.merge(wave, 0)).toEqual({ outcome: 'done' });
  }
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(contentsOf(persons(s), 'first\n', 'second\n')).toEqual(['first\n', 'second\n']);
});

test('puts them where lfs.storage says, and on a branch of ours too', async () => {
  await using s = await ready({ plan: { land: 'branch' } });
  s.git('config', 'lfs.storage', 'else/where');
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(contentsOf(join(s.checkout, '.git/else/where'), 'new\n', 'more\n')).toEqual(['new\n', 'more\n']);
  expect(existsSync(persons(s))).toBe(false);
});

/** The person is somebody else. */
const giveStore = (s: Scene) => {
  mkdirSync(persons(s), { recursive: true });
  chownSync(persons(s), 4321, 4322);
};

test.skipIf(!isRoot)('as root, what it makes belongs to the owner of the repository', async () => {
  await using s = await ready();
  giveStore(s);
  expect(await land(s)).toEqual({ outcome: 'done' });
  const owners = [objectOf(persons(s), 'new\n'), dirname(objectOf(persons(s), 'new\n')), persons(s)].map((path) => {
    const { uid, gid } = statSync(path);
    return [uid, gid];
  });
  expect(owners).toEqual(Array.from({ length: 3 }, () => [4321, 4322]));
  expect(statSync(objectOf(s.state.lfs, 'new\n')).uid).toBe(0);
});

/** Whatever the system has set up, pointers are checked out as they are. */
const withoutGitLfs = (s: Scene) => {
  const settings = { process: '', clean: 'cat', smudge: 'cat', required: 'false' };
  for (const [key, value] of Object.entries(settings)) s.git('config', `filter.lfs.${key}`, value);
};

const points = ['merger-lfs-before', 'merger-lfs-given', 'merger-lfs-given#2'];
test.each([...points, ...(isRoot ? ['merger-lfs-copied'] : [])])(
  'killed at %s and asked again, it has landed with every object',
  async (point) => {
    const fire = mergerUnderFire(point);
    await using s = await ready({ openLedger: (file) => openSqliteLedger(file), merger: fire.merger });
    withoutGitLfs(s);
    if (point === 'merger-lfs-copied') giveStore(s);
    expect(await land(s)).toEqual({ outcome: 'done' });
    expect(fire.deaths).toEqual(['the merger ended (SIGKILL)']);
    expectClean(s, runTip(s));
    expect(contentsOf(persons(s), 'new\n', 'more\n')).toEqual(['new\n', 'more\n']);
  },
);

/** The merger, with a PATH on which there is git and nothing else. */
const withGitOnly = (context: MergerContext) => {
  const bin = join(context.state.root, 'bin');
  mkdirSync(bin);
  for (const name of ['git', 'sh'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
  const there = { ...context, env: { ...context.env, PATH: bin } };
  return {
    ask: (request: Parameters<typeof perform>[1], epoch: number) => perform(there, request, epoch),
    [Symbol.asyncDispose]: async () => undefined,
  };
};

/** What `git lfs install` sets up, for a git-lfs at this place. */
const requireLfs = (s: Scene, program: string) => {
  const settings = { process: 'filter-process', clean: 'clean -- %f', smudge: 'smudge -- %f' };
  for (const [key, words] of Object.entries(settings)) s.git('config', `filter.lfs.${key}`, `${program} ${words}`);
  s.git('config', 'filter.lfs.required', 'true');
};

test.each([
  ['for years', files, edits, 'git-lfs'],
  ['for years, by another name', files, edits, '/nonexistent/git-lfs'],
  ['by what lands', { 'readme.md': 'hello\n' }, { ...edits, ...files, 'a.bin': pointed('new\n') }, 'git-lfs'],
])(
  'where git-lfs is required and missing, and LFS is used %s, it is refused and nothing is changed',
  async (_, was, is, program) => {
    await using s = await readyToLand(is, { files: was, merger: withGitOnly });
    stored(s.state.lfs, 'new\n');
    const before = picture(s);
    requireLfs(s, program);
    expect(await land(s)).toMatchObject({
      outcome: 'refused',
      because: { rule: 'lfs-unusable', files: ['a.bin', 'b.bin'] },
    });
    withoutGitLfs(s);
    expect(picture(s)).toEqual(before);
    expect(existsSync(persons(s))).toBe(false);
    await s.approveLanding();
    expect(await land(s)).toEqual({ outcome: 'done' });
    expectClean(s, runTip(s));
  },
);

test.skipIf(!hasLfs)('with git-lfs the checkout has the content, before, after and undone', async () => {
  await using s = await ready();
  stored(persons(s), 'old\n');
  s.git('lfs', 'install', '--local');
  s.git('lfs', 'checkout');
  const read = () => readFileSync(join(s.checkout, 'a.bin'), 'utf8');
  expect(read()).toBe('old\n');
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s));
  expect([read(), readFileSync(join(s.checkout, 'b.bin'), 'utf8')]).toEqual(['new\n', 'more\n']);
  expect(s.git('lfs', 'fsck')).toContain('OK');
  expect(await undo(s)).toEqual({ outcome: 'done' });
  expect([read(), s.git('status', '--porcelain')]).toEqual(['old\n', '']);
});

test.skipIf(!hasLfs)('an object that git-lfs finds nowhere: refused, everything as it was', async () => {
  await using s = await readyToLand({ 'a.bin': pointed('new\n'), 'z.bin': pointed('nowhere\n') }, { files });
  stored(s.state.lfs, 'new\n');
  stored(persons(s), 'old\n');
  s.git('lfs', 'install', '--local');
  s.git('lfs', 'checkout');
  const before = picture(s);
  expect(await land(s)).toMatchObject({
    outcome: 'refused',
    because: { rule: 'files-refused', words: expect.stringContaining('z.bin') },
  });
  expect(picture(s)).toEqual(before);
  expect(readFileSync(join(s.checkout, 'a.bin'), 'utf8')).toBe('old\n');
});
