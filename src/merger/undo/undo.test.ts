import { describe, expect, test } from 'vitest';
import { expectClean, land, passChecks, picture, readyToLand, runTip, undo } from '../../../test/support/landing.ts';
import { run, type Scene, scene } from '../../../test/support/merger-scene.ts';
import { log } from '../../../test/support/plans.ts';
import { commitId, taskId, treeId } from '../../domain/base/ids.ts';

const commit = (s: Scene, path: string, content: string) => {
  s.write({ [path]: content });
  s.git('add', '-A');
  s.git('commit', '-q', '-m', `person: ${path}`);
  return s.git('rev-parse', 'HEAD');
};
const undoTask = (s: Scene, task: string) => s.ask({ do: 'undo', run, task: taskId(task) });
const prepared = async (s: Scene) => {
  const last = (await s.events()).at(-1);
  if (last?.type !== 'undo-prepared') throw new Error(`not prepared: ${JSON.stringify(last)}`);
  return last;
};
/** Prepared, checked, asked again. */
const undoChecked = async (s: Scene, task: string | null = null) => {
  const ask = () => s.ask({ do: 'undo', run, task: task === null ? null : taskId(task) });
  expect(await ask()).toEqual({ outcome: 'done' });
  await passChecks(s, (await prepared(s)).tree);
  return await ask();
};

test('undo with nothing on top restores exactly what was there', async () => {
  await using s = await readyToLand(
    { 'readme.md': 'n\n', 'new/x': 'x\n', 'gone.md': null },
    { files: { 'readme.md': 'h\n', 'gone.md': 'g\n' } },
  );
  const before = picture(s);
  await land(s);
  expect(await undo(s)).toEqual({ outcome: 'done' });
  expect(picture(s)).toEqual(before);
  expect((await s.events()).at(-1)).toMatchObject({ type: 'undone', task: null, new: before.head, exact: true });
  const events = await s.events();
  expect(await undo(s)).toEqual({ outcome: 'done' });
  expect(await s.events()).toEqual(events);
});

test('an undone run can land again', async () => {
  await using s = await readyToLand({ 'readme.md': 'n\n' });
  await land(s);
  await undo(s);
  expect(await land(s)).toEqual({ outcome: 'done' });
  expectClean(s, runTip(s));
});

test('undo of a branch that landing made takes it away again', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' }, { plan: { land: 'branch' } });
  const before = s.git('for-each-ref');
  await land(s);
  expect(await undo(s)).toEqual({ outcome: 'done' });
  expect(s.git('for-each-ref')).toBe(before);
});

test('with a commit of the person on top, undo adds commits that revert, and keeps theirs', async () => {
  await using s = await readyToLand({ 'readme.md': 'n\n', 'new.txt': 'n\n' });
  const before = s.git('rev-parse', 'HEAD^{tree}');
  await land(s);
  const theirs = commit(s, 'mine.txt', 'mine\n');
  expect(await undoChecked(s)).toEqual({ outcome: 'done' });
  expectClean(s, s.git('rev-parse', 'main'));
  expect(s.git('rev-parse', 'main^')).toBe(theirs);
  expect(s.git('diff', '--name-status', before, 'main')).toBe('A\tmine.txt');
  expect(s.git('log', '-1', '--format=%an %s')).toBe('Ada Revert "Do a"');
  expect((await s.events()).at(-1)).toMatchObject({ type: 'undone', exact: false, old: theirs });
});

test('undo of one task leaves the other', async () => {
  await using s = await scene({ waves: [{ a: {}, b: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.work('b', { 'b.txt': 'b\n' });
  await s.closeRound(0, 0, ['a', 'b']);
  await s.merge(0, 0);
  await land(s);
  expect(await undoChecked(s, 'a')).toEqual({ outcome: 'done' });
  expect(s.git('ls-tree', '--name-only', 'main')).toBe('b.txt\nreadme.md');
  expectClean(s, s.git('rev-parse', 'main'));
  const events = await s.events();
  expect(await undoTask(s, 'a')).toEqual({ outcome: 'done' });
  expect(await s.events()).toEqual(events);
  expect(await undoChecked(s)).toEqual({ outcome: 'done' });
  expect(s.git('ls-tree', '--name-only', 'main')).toBe('readme.md');
});

test('what cannot be reverted because of later work is refused by name, and nothing moves', async () => {
  await using s = await readyToLand({ 'readme.md': 'n\n' });
  await land(s);
  commit(s, 'readme.md', 'built upon\n');
  const before = picture(s);
  expect(await undo(s)).toMatchObject({ outcome: 'refused', because: { files: ['readme.md'] } });
  expect(picture(s)).toEqual(before);
});

test('undo does not overwrite changes of the person', async () => {
  await using s = await readyToLand({ 'readme.md': 'n\n' });
  await land(s);
  s.write({ 'readme.md': 'mine\n' });
  const before = picture(s);
  expect(await undo(s)).toMatchObject({ outcome: 'refused', because: { files: ['readme.md'] } });
  expect(picture(s)).toEqual(before);
});

describe('reverts', () => {
  const underLaterWork = async () => {
    const s = await readyToLand({ 'readme.md': 'n\n' });
    await land(s);
    return { s, theirs: commitId(commit(s, 'mine.txt', 'mine\n')) };
  };

  test('are prepared and kept, and the branch stays until every check has passed on their tree', async () => {
    const { s, theirs } = await underLaterWork();
    await using _ = s;
    expect(await undo(s)).toEqual({ outcome: 'done' });
    const reverts = await prepared(s);
    expect(reverts).toMatchObject({ task: null, branch: 'main', onto: theirs, reverts: [s.git('rev-parse', 'main^')] });
    expect(s.bare('rev-parse', `refs/tidegate/undo/${run}`)).toBe(reverts.commit);
    expect(s.bare('rev-parse', `${reverts.commit}^{tree}`)).toBe(reverts.tree);
    const events = await s.events();
    expect(await undo(s)).toEqual({ outcome: 'done' });
    expect(await s.events()).toEqual(events);

    const outcome = { name: 'test', tree: reverts.tree, code: 1, log, tail: '' };
    await s.append({ type: 'check-ended', purpose: 'undo', check: { ...outcome, outcome: 'failed' } });
    await s.append({
      type: 'check-ended',
      purpose: 'undo',
      check: { ...outcome, tree: treeId('0'.repeat(40)), outcome: 'passed' },
    });
    expect(await undo(s)).toEqual({ outcome: 'done' });
    expectClean(s, theirs);
    await passChecks(s, reverts.tree);
    expect(await undo(s)).toEqual({ outcome: 'done' });
    expectClean(s, reverts.commit);
  });

  test('that the ledger says passed but that are another tree move nothing', async () => {
    const { s, theirs } = await underLaterWork();
    await using _ = s;
    await undo(s);
    const { commit: _real, ...rest } = await prepared(s);
    await s.append({ ...rest, commit: theirs });
    await passChecks(s, rest.tree);
    expect(await undo(s)).toMatchObject({ outcome: 'refused', because: { rule: 'undo-diverged' } });
    expectClean(s, theirs);
  });

  test('are prepared anew when the branch moves, three times; then a person is told', async () => {
    const { s } = await underLaterWork();
    await using _ = s;
    for (const time of [1, 2, 3]) {
      expect(await undo(s)).toEqual({ outcome: 'done' });
      const { tree, onto } = await prepared(s);
      expect(onto).toBe(s.git('rev-parse', 'main'));
      await passChecks(s, tree);
      commit(s, 'mine.txt', `mine ${time}\n`);
    }
    const tip = s.git('rev-parse', 'main');
    const landed = s.git('log', '--format=%H', '--grep=Do a');
    expect(await undo(s)).toEqual({
      outcome: 'refused',
      because: { rule: 'undo-busy', branch: 'main', tries: 3, reverts: [landed] },
    });
    expectClean(s, tip);
    expect((await s.events()).at(-1)).toMatchObject({ type: 'undo-refused', task: null });
    expect(await undoChecked(s)).toEqual({ outcome: 'done' });
  });

  test('that moved the branch before a crash are found below what the person did since', async () => {
    const { s, theirs } = await underLaterWork();
    await using _ = s;
    await undo(s);
    const reverts = await prepared(s);
    await passChecks(s, reverts.tree);
    const moved = { task: null, branch: 'main', old: theirs, new: reverts.commit };
    await s.append({ type: 'undo-intended', ...moved });
    s.git('fetch', '-q', s.state.repository, `refs/tidegate/undo/${run}`);
    s.git('merge', '-q', '--ff-only', reverts.commit);
    const since = commit(s, 'since.txt', 'since\n');
    expect(await undo(s)).toEqual({ outcome: 'done' });
    expect((await s.events()).at(-1)).toEqual({ type: 'undone', ...moved, exact: false });
    expectClean(s, since);
  });

  test('are not prepared over changes of the person', async () => {
    const { s } = await underLaterWork();
    await using _ = s;
    s.write({ 'readme.md': 'mine\n' });
    expect(await undo(s)).toMatchObject({ outcome: 'refused', because: { files: ['readme.md'] } });
    expect((await s.events()).some((event) => event.type === 'undo-prepared')).toBe(false);
  });
});

test('a task that was undone, and landed again with the run, is undone with it', async () => {
  await using s = await scene({ waves: [{ a: {}, b: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.work('b', { 'b.txt': 'b\n' });
  await s.closeRound(0, 0, ['a', 'b']);
  await s.merge(0, 0);
  await land(s);
  await undoChecked(s, 'a');
  await undoChecked(s);
  const rebuilt = await rebuild(s);
  await passChecks(s, rebuilt.tree);
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(s.git('ls-tree', '--name-only', 'main')).toBe('a.txt\nb.txt\nreadme.md');
  commit(s, 'mine.txt', 'mine\n');
  expect(await undoChecked(s)).toEqual({ outcome: 'done' });
  expect(s.git('ls-tree', '--name-only', 'main')).toBe('mine.txt\nreadme.md');
});

test('what has not landed cannot be undone', async () => {
  await using s = await readyToLand({ 'readme.md': 'n\n' });
  expect(await undo(s)).toMatchObject({
    outcome: 'refused',
    because: { rule: 'nothing-landed' },
  });
});

const rebuild = async (s: Scene) => {
  const answer = await s.ask({ do: 'rebuild-landing', run });
  const last = (await s.events()).at(-1);
  if (last?.type !== 'landing-rebuilt') throw new Error(JSON.stringify(answer));
  return last;
};

test('a target that moved gets the run on top of it, but only after the checks passed there', async () => {
  await using s = await readyToLand({ 'new.txt': 'n\n' });
  const theirs = commit(s, 'mine.txt', 'mine\n');
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { rule: 'branch-moved' } });
  const rebuilt = await rebuild(s);
  expect(rebuilt).toMatchObject({ onto: theirs, conflicts: [] });
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { rule: 'landing-unchecked', checks: ['test'] } });
  await s.approveLanding();
  expect(await rebuild(s)).toMatchObject({ tree: rebuilt.tree });
  const check = { name: 'test', tree: rebuilt.tree, outcome: 'passed', code: 0, log, tail: '' } as const;
  await s.append({ type: 'check-ended', purpose: 'land', check });
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(s.git('log', '--format=%an %s')).toBe('Ada Do a\nTest person: mine.txt\nTest first');
  expect(await undo(s)).toEqual({ outcome: 'done' });
  expectClean(s, theirs);
});

test('a target that moved into the way of the run is named, and nothing moves', async () => {
  await using s = await readyToLand({ 'readme.md': 'n\n' });
  const theirs = commit(s, 'readme.md', 'mine\n');
  expect(await rebuild(s)).toMatchObject({ onto: theirs, conflicts: ['readme.md'] });
  expect(await land(s)).toMatchObject({ outcome: 'refused', because: { files: ['readme.md'] } });
  expectClean(s, theirs);
});

describe('a run that lands after every wave', () => {
  const twoWaves = { waves: [{ a: {} }, { b: {} }], plan: { land: 'wave' } } as const;
  const nextWave = async (s: Scene) => {
    await s.work('b', { 'b.txt': 'b\n' });
    await s.closeRound(1, 0, ['b']);
    await s.merge(1, 0);
  };

  test('is undone as a whole, exactly', async () => {
    await using s = await readyToLand({ 'a.txt': 'a\n' }, twoWaves);
    const before = picture(s);
    expect(await land(s)).toEqual({ outcome: 'done' });
    await nextWave(s);
    expect(await land(s)).toEqual({ outcome: 'done' });
    expectClean(s, runTip(s));
    expect(await undo(s)).toEqual({ outcome: 'done' });
    expect(picture(s)).toEqual(before);
  });

  test('is taken out around what the person committed in between', async () => {
    await using s = await readyToLand({ 'a.txt': 'a\n' }, twoWaves);
    await land(s);
    const theirs = commit(s, 'mine.txt', 'mine\n');
    await nextWave(s);
    const { tree, onto } = await rebuild(s);
    expect(onto).toBe(theirs);
    const check = { name: 'test', tree, outcome: 'passed', code: 0, log, tail: '' } as const;
    await s.append({ type: 'check-ended', purpose: 'land', check });
    expect(await land(s)).toEqual({ outcome: 'done' });
    expect(s.git('log', '--format=%s')).toBe('Do b\nperson: mine.txt\nDo a\nfirst');
    expect(await undoChecked(s)).toEqual({ outcome: 'done' });
    expect(s.git('log', '-2', '--format=%s')).toBe('Revert "Do a"\nRevert "Do b"');
    expect(s.git('ls-tree', '--name-only', 'main')).toBe('mine.txt\nreadme.md');
    expectClean(s, s.git('rev-parse', 'main'));
  });
});
