import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectClean, land, picture, readyToLand, runTip } from '../../../test/support/landing.ts';
import { type Edits, run, type Scene, write } from '../../../test/support/merger-scene.ts';
import { commitId } from '../../domain/base/ids.ts';
import { recoverLanding, writeJournal } from './landing-recovery.ts';

const files: Edits = { 'readme.md': 'old\n', 'gone.md': 'g\n', swap: 'file\n', link: { link: 'readme.md' } };
const edits: Edits = {
  'readme.md': 'new\n',
  'gone.md': null,
  swap: null,
  'swap/in': 'in\n',
  link: null,
  'link/x': 'x\n',
};

/** As if the merger had been killed after it wrote its journal. */
const cutOff = (s: Scene) => {
  const gitDir = join(s.checkout, '.git');
  writeJournal(s.state, {
    run,
    ref: 'refs/heads/main',
    old: commitId(s.git('rev-parse', 'main')),
    new: commitId(runTip(s)),
    worktree: { path: s.checkout, gitDir },
    locks: ['refs/heads/main', 'packed-refs', 'index', 'HEAD'].map((name) => `${gitDir}/${name}.lock`),
  });
};

const halves: Record<string, Edits> = {
  'nothing was written': {},
  'one file was written': { 'readme.md': 'new\n' },
  'removed files are gone': { 'gone.md': null, swap: null },
  'everything was written': {
    'readme.md': 'new\n',
    'gone.md': null,
    swap: null,
    'swap/in': 'in\n',
    link: null,
    'link/x': 'x\n',
  },
};
test.each(Object.entries(halves))('%s, the index was not: the files are as before', async (_, half) => {
  await using s = await readyToLand(edits, { files });
  const before = picture(s);
  cutOff(s);
  s.write(half);
  expect(await recoverLanding(s.context)).toEqual({ ok: true, value: null });
  expect(picture(s)).toEqual(before);
  expect(existsSync(join(s.state.root, 'saved'))).toBe(false);
  expect(existsSync(s.state.landingJournal)).toBe(false);
});

test('files and index were written: only the ref is left to move', async () => {
  await using s = await readyToLand(edits, { files });
  cutOff(s);
  s.git('fetch', '-q', s.state.repository, `refs/tidegate/runs/${run}`);
  s.git('read-tree', '-m', '-u', 'HEAD', runTip(s));
  expect(await recoverLanding(s.context)).toEqual({ ok: true, value: null });
  expectClean(s, runTip(s));
});

test('content that is neither old nor new is put aside before the old comes back', async () => {
  await using s = await readyToLand(edits, { files });
  const before = picture(s);
  cutOff(s);
  s.write({ 'readme.md': 'half wri', swap: null, 'swap/in': 'in\n', 'swap/mine.txt': 'mine\n' });
  expect(await recoverLanding(s.context)).toEqual({ ok: true, value: null });
  expect(picture(s)).toEqual(before);
  const saved = join(s.state.root, 'saved', `${run}-${runTip(s)}`);
  expect(readFileSync(join(saved, 'readme.md'), 'utf8')).toBe('half wri');
  expect(readFileSync(join(saved, 'swap/mine.txt'), 'utf8')).toBe('mine\n');
});

test('nothing outside the working tree is touched through a link that is not gone yet', async () => {
  await using s = await readyToLand({ link: null, 'link/x': 'x\n' }, { files: { link: { link: '../outside' } } });
  write(s.root, { 'outside/x': 'x\n' });
  cutOff(s);
  expect(await recoverLanding(s.context)).toEqual({ ok: true, value: null });
  expect(readFileSync(join(s.root, 'outside/x'), 'utf8')).toBe('x\n');
});

test('lock files of the landing that was cut off are removed; without its journal they are named', async () => {
  await using s = await readyToLand(edits, { files });
  const locks = ['index.lock', 'refs/heads/main.lock', 'packed-refs.lock'].map((name) =>
    join(s.checkout, '.git', name),
  );
  for (const lock of locks) writeFileSync(lock, '');
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { files: expect.arrayContaining(locks) } });
  await s.approveLanding();
  cutOff(s);
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s));
});

test('a branch that moved since is shown, not guessed at', async () => {
  await using s = await readyToLand(edits, { files });
  cutOff(s);
  s.write({ 'readme.md': 'new\n' });
  const stranger = s.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'stranger');
  s.git('update-ref', 'refs/heads/main', stranger);
  const before = picture(s);
  expect(await land(s)).toMatchObject({
    outcome: 'refused',
    because: { rule: 'landing-cut-off', fault: 'ref-elsewhere' },
  });
  expect(picture(s)).toEqual(before);
});

test('an index that is neither is shown, not guessed at', async () => {
  await using s = await readyToLand(edits, { files });
  cutOff(s);
  s.write({ 'readme.md': 'staged by somebody\n' });
  s.git('add', 'readme.md');
  const before = picture(s);
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { files: ['readme.md'] } });
  expect(picture(s)).toEqual(before);
});

test('a filter of the person that fails in the middle leaves everything as it was', async () => {
  await using s = await readyToLand(
    { ...edits, 'z.big': 'pointer\n' },
    { files: { ...files, '.gitattributes': '*.big filter=no\n' } },
  );
  s.git('config', 'filter.no.smudge', 'false');
  s.git('config', 'filter.no.required', 'true');
  const before = picture(s);
  expect(await land(s)).toMatchObject({
    outcome: 'refused',
    because: { rule: 'files-refused', words: expect.stringContaining('z.big') },
  });
  expect(picture(s)).toEqual(before);
});
