import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectClean, land, passChecks, picture, readyToLand, runTip } from '../../../test/support/landing.ts';
import { run, type Scene, write } from '../../../test/support/merger-scene.ts';
import { me } from '../../../test/support/plans.ts';
import { commitId } from '../../domain/base/ids.ts';
import type { MergerRequest } from '../../ports/merger.ts';

test('landing moves branch, index and files, and leaves nothing else behind', async () => {
  await using s = await readyToLand({
    'new/file.txt': 'n\n',
    'readme.md': 'changed\n',
    'run.sh': { exec: '#!/bin/sh\n' },
    link: { link: 'readme.md' },
  });
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s));
  expect(s.git('rev-parse', 'HEAD^{tree}')).toBe(s.git('write-tree'));
  expect(lstatSync(join(s.checkout, 'run.sh')).mode & 0o111).not.toBe(0);
  expect((await s.events()).slice(-2).map((event) => event.type)).toEqual(['landing-intended', 'landed']);
  const events = await s.events();
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(await s.events()).toEqual(events);
});

test('S9: a landing that meets a name of the branch in another spelling is rebuilt as a conflict with both names', async () => {
  await using s = await readyToLand({ 'Foo.txt': 'a\n', 'other.txt': 'o\n' });
  s.write({ 'foo.txt': 'by hand\n' });
  s.git('add', '-A');
  s.git('commit', '-q', '-m', 'by hand');
  expect(await s.ask({ do: 'rebuild-landing', run })).toEqual({ outcome: 'done' });
  expect((await s.events()).at(-1)).toMatchObject({ type: 'landing-rebuilt', conflicts: ['foo.txt', 'Foo.txt'] });
});

const swaps = {
  'a file becomes a directory': [{ x: 'file\n' }, { x: null, 'x/y': 'in it\n' }],
  'a directory becomes a file': [
    { 'x/y': 'in it\n', 'x/z': 'too\n' },
    { 'x/y': null, 'x/z': null, x: 'file\n' },
  ],
  'a file becomes a link': [{ x: 'file\n', y: 'y\n' }, { x: { link: 'y' } }],
  'a link becomes a directory': [
    { x: { link: 'y' }, y: 'y\n' },
    { x: null, 'x/z': 'z\n' },
  ],
  'a file becomes executable': [{ x: 'file\n' }, { x: { exec: 'file\n' } }],
  'a file goes': [{ x: 'file\n', 'd/y': 'y\n' }, { 'd/y': null }],
} as const;
test.each(Object.entries(swaps))('%s', async (_, [files, edits]) => {
  await using s = await readyToLand(edits, { files });
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s));
});

test('changes elsewhere, staged or not, are kept', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' }, { files: { 'readme.md': 'hello\n', 'other.md': 'o\n' } });
  s.write({ 'readme.md': 'mine\n', 'other.md': 'mine too\n', 'loose.txt': 'loose\n' });
  s.git('add', 'other.md');
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s), 'M  other.md\n M readme.md\n?? loose.txt');
});

const obstacles = {
  'an untracked file where a new one goes': {
    edits: { 'new.txt': 'n\n' },
    mine: { 'new.txt': 'mine\n' },
    files: ['new.txt'],
  },
  'an ignored file where a new one goes': {
    edits: { 'out/new.txt': 'n\n' },
    mine: { '.gitignore': 'out/\n', 'out/new.txt': 'mine\n' },
    files: ['out/new.txt'],
  },
  'an untracked link where a directory goes': {
    edits: { 'out/new.txt': 'n\n' },
    mine: { out: { link: '/tmp' } },
    files: ['out'],
  },
  'an untracked file where a directory goes': {
    edits: { 'out/new.txt': 'n\n' },
    mine: { out: 'mine\n' },
    files: ['out'],
  },
  'an ignored file in a directory that becomes a file': {
    edits: { 'dir/a': null, dir: 'file\n' },
    mine: { '.gitignore': '*.log\n', 'dir/x.log': 'mine\n' },
    files: ['dir/x.log'],
  },
  'a changed file that the landing changes': {
    edits: { 'readme.md': 'n\n' },
    mine: { 'readme.md': 'mine\n' },
    files: ['readme.md'],
  },
  'a changed file that the landing removes': {
    edits: { 'readme.md': null },
    mine: { 'readme.md': 'mine\n' },
    files: ['readme.md'],
  },
  'a removed file that the landing changes': {
    edits: { 'readme.md': 'n\n' },
    mine: { 'readme.md': null },
    files: ['readme.md'],
  },
} as const;
test.each(Object.entries(obstacles))('%s is named, and nothing moves', async (_, { edits, mine, files }) => {
  await using s = await readyToLand(edits, { files: { 'readme.md': 'hello\n', 'dir/a': 'a\n' } });
  s.write(mine);
  const before = picture(s);
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { files } });
  expect(picture(s)).toEqual(before);
  expect((await s.events()).at(-1)).toMatchObject({
    type: 'landing-refused',
    because: { files },
  });
});

test('a change that git was told to overlook is not overwritten', async () => {
  await using s = await readyToLand({ 'readme.md': 'n\n' });
  s.git('update-index', '--assume-unchanged', 'readme.md');
  s.write({ 'readme.md': 'mine\n' });
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { files: ['readme.md'] } });
  expect(readFileSync(join(s.checkout, 'readme.md'), 'utf8')).toBe('mine\n');
});

test('F2: when the way is clear again, a new yes lands; the old one is void', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' });
  s.write({ 'new.txt': 'mine\n' });
  expect(await land(s)).toMatchObject({ outcome: 'refused' });
  s.write({ 'new.txt': null });
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { rule: 'landing-unapproved' } });
  await s.approveLanding();
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s));
});

test('a merge that is not finished is not disturbed', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' });
  s.write({ '.git/MERGE_HEAD': s.git('rev-parse', 'HEAD') });
  expect(await land(s)).toMatchObject({
    outcome: 'refused',
    because: { rule: 'operation-unfinished', operation: 'merge' },
  });
});

test('a branch that is being rebased somewhere is not moved under it', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' });
  const head = s.git('rev-parse', 'HEAD');
  s.git('checkout', '-q', '--detach');
  s.write({ '.git/rebase-merge/head-name': 'refs/heads/main\n' });
  expect(await land(s)).toMatchObject({
    outcome: 'refused',
    because: { rule: 'operation-unfinished', operation: 'rebase' },
  });
  expect(s.git('rev-parse', 'main')).toBe(head);
});

test('a branch that is checked out nowhere moves alone', async () => {
  await using s = await readyToLand({ 'readme.md': 'n\n' });
  s.git('checkout', '-q', '--detach');
  s.write({ 'readme.md': 'mine\n' });
  const before = picture(s);
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(picture(s)).toEqual(before);
  expect(s.git('rev-parse', 'main')).toBe(runTip(s));
});

test('a branch that is checked out in a linked working tree moves there', async () => {
  await using s = await readyToLand({ 'readme.md': 'n\n' });
  const linked = join(s.root, 'linked');
  s.git('checkout', '-q', '-b', 'other');
  s.git('worktree', 'add', '-q', linked, 'main');
  const before = picture(s);
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(picture(s)).toEqual(before);
  expect(picture(s, linked)).toMatchObject({ head: runTip(s), status: '' });
});

test('a branch in two working trees, or in one that is gone, stays', async () => {
  await using s = await readyToLand({ 'readme.md': 'n\n' });
  const linked = join(s.root, 'linked');
  s.git('worktree', 'add', '-q', '--force', linked, 'main');
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { rule: 'several-worktrees' } });
  s.git('checkout', '-q', '-b', 'other');
  rmSync(linked, { recursive: true });
  await s.approveLanding();
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { rule: 'worktree-missing' } });
});

test('a sparse checkout stays sparse', async () => {
  await using s = await readyToLand(
    { 'in/new.txt': 'n\n', 'out/new.txt': 'n\n', 'out/a': 'changed\n' },
    { files: { 'in/a': 'a\n', 'out/a': 'a\n' } },
  );
  s.git('sparse-checkout', 'set', 'in');
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s));
  expect([existsSync(join(s.checkout, 'in/new.txt')), existsSync(join(s.checkout, 'out'))]).toEqual([true, false]);
});

test('line ends are made as the person has them', async () => {
  await using s = await readyToLand(
    { 'a.txt': 'one\ntwo\n' },
    { files: { '.gitattributes': '*.txt text eol=crlf\n' } },
  );
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(readFileSync(join(s.checkout, 'a.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
  expectClean(s, runTip(s));
});

test('no hook of the person runs', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' });
  for (const hook of ['reference-transaction', 'post-checkout', 'post-merge', 'post-index-change'])
    write(s.checkout, { [`.git/hooks/${hook}`]: { exec: '#!/bin/sh\ntouch hooked\n' } });
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(existsSync(join(s.checkout, 'hooked'))).toBe(false);
});

test('land: branch makes a branch of its own and leaves main alone', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' }, { plan: { land: 'branch' } });
  const before = picture(s);
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(picture(s)).toEqual(before);
  expect(s.git('rev-parse', `refs/heads/tidegate/${run}`)).toBe(runTip(s));
});

test('land: ask lands nothing that nobody approved', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' }, { plan: { land: 'ask' } });
  const before = picture(s);
  expect(await land(s)).toMatchObject({ outcome: 'refused' });
  await s.append({
    type: 'tap-decided',
    tap: 'land',
    decision: 'approved',
    hash: s.hash,
    by: { who: 'ada', via: 'command' },
  });
  expect(picture(s)).toEqual(before);
  expect(await land(s)).toEqual({ outcome: 'done' });
});

const intendLanding = (s: Scene) =>
  s.append({
    type: 'landing-intended',
    branch: 'main',
    old: commitId(s.git('rev-parse', 'main')),
    new: commitId(runTip(s)),
    worktree: s.checkout,
  });
const typesOf = async (s: Scene) => (await s.events()).map(({ type }) => type);

test('a run that was given up moves no branch any more', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' });
  await s.append({ type: 'run-abandoned', by: me }, { type: 'run-ended', outcome: 'abandoned' });
  const before = picture(s);
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { rule: 'run-abandoned' } });
  expect(picture(s)).toEqual(before);
  expect(await typesOf(s)).not.toContain('landing-intended');
});

test('a landing that had begun when its run was given up is brought to its end', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' });
  await intendLanding(s);
  await s.append({ type: 'run-abandoned', by: me });
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s));
});

test('a landing that moved the branch and was not recorded is recorded, also when the person has gone on from it', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' });
  await intendLanding(s);
  s.git('fetch', '-q', s.context.state.repository, `refs/tidegate/runs/${run}`);
  s.git('merge', '-q', '--ff-only', 'FETCH_HEAD');
  s.git('commit', '-q', '--allow-empty', '-m', 'mine');
  const mine = s.git('rev-parse', 'HEAD');
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect((await s.events()).at(-1)).toMatchObject({ type: 'landed', new: runTip(s), tasks: ['a'] });
  expect(s.git('rev-parse', 'HEAD')).toBe(mine);
});

test('a landing that is rebuilt is recorded again when the branch was looked at since, or the plan is another', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' });
  s.git('commit', '-q', '--allow-empty', '-m', 'mine');
  const tip = commitId(s.git('rev-parse', 'HEAD'));
  const rebuild: MergerRequest = { do: 'rebuild-landing', run };
  const rebuilt = async () => (await typesOf(s)).filter((type) => type === 'landing-rebuilt').length;
  await s.append({ type: 'target-observed', commit: tip });
  expect([await s.ask(rebuild), await rebuilt()]).toEqual([{ outcome: 'done' }, 1]);
  expect([await s.ask(rebuild), await rebuilt()]).toEqual([{ outcome: 'done' }, 1]);
  await s.append({ type: 'target-observed', commit: tip });
  expect([await s.ask(rebuild), await rebuilt()]).toEqual([{ outcome: 'done' }, 2]);
});

test.each(['auto', 'branch'] as const)(
  'a run that redefines its checks does not land (%s) before they passed as the branch defines them',
  async (how) => {
    const checks = [{ name: 'test', run: 'sh ci.sh', minutes: 1, definitions: [{ path: 'ci.sh' }] }];
    await using s = await readyToLand(
      { 'ci.sh': 'true\n' },
      { waves: [{ a: {} }, { b: {} }], plan: { checks, land: how } },
    );
    await s.work('b', { 'b.txt': 'b\n' });
    await s.closeRound(1, 0, ['b']);
    expect(await s.merge(1, 0)).toEqual({ outcome: 'done' });
    const [main, tip] = [s.git('rev-parse', 'main'), runTip(s)];
    const branch = how === 'auto' ? 'main' : `tidegate/${run}`;

    expect(await land(s)).toEqual({ outcome: 'done' });
    const compared = (await s.events()).at(-1);
    expect(compared).toMatchObject({ type: 'landing-rebuilt', onto: main, commit: tip, asMerged: true });
    expect(await land(s)).toMatchObject({
      outcome: 'refused',
      because: { rule: 'landing-unchecked', checks: ['test'] },
    });
    expect(s.git('for-each-ref', '--format=%(objectname)', 'refs/heads')).toBe(main);

    await s.approveLanding();
    expect(await land(s)).toEqual({ outcome: 'done' });
    const again = (await s.events()).at(-1);
    if (again?.type !== 'landing-rebuilt' || again.before === undefined) throw new Error('not compared');
    expect(again.before.changes).toEqual([{ path: 'ci.sh', tasks: ['a'] }]);
    await passChecks(s, again.before.tree);
    expect(await land(s)).toEqual({ outcome: 'done' });
    expect(s.git('rev-parse', branch)).toBe(tip);
    expect((await s.events()).at(-1)).toMatchObject({ type: 'landed', tasks: ['a', 'b'] });
  },
);

test('a run with an open required dependency moves no branch, unless the move has begun', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' });
  const required = { type: 'dependency-added', dependency: 'd1', on: { branch: 'prices' } } as const;
  await s.append({ ...required, required: true, text: 'the price list', by: me });
  const before = picture(s);
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { rule: 'dependency-open', named: 'prices' } });
  expect(picture(s)).toEqual(before);
  await intendLanding(s);
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s));
});
