import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, scene } from '../../../test/support/merger-scene.ts';
import { me } from '../../../test/support/plans.ts';
import { runOnly } from '../../../test/support/run-only.ts';
import { commitId, runId, type TaskId, taskId } from '../../domain/base/ids.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { mergeRound } from './candidate.ts';

const branch = `refs/tidegate/runs/${run}`;

test('ready tasks become one linear commit each, by the person, and the run branch moves to the last', async () => {
  await using s = await scene({ waves: [{ a: {}, b: {} }] });
  expect(await s.open()).toEqual({ outcome: 'done' });
  await s.work('a', { 'a.txt': 'a\n' });
  await s.work('b', { 'b.txt': 'b\n', 'readme.md': 'bye\n' });
  const built = await s.closeRound(0, 0, ['b', 'a']);
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
  expect(built.steps.map((step) => step.task)).toEqual(['a', 'b']);
  expect(s.bare('rev-parse', branch)).toBe(built.steps[1]?.commit);
  expect(s.bare('log', '--format=%an <%ae> %s', `${built.base}..${branch}`)).toBe(
    'Ada <ada@example.com> Do b\nAda <ada@example.com> Do a',
  );
  expect(s.bare('log', '-1', '--format=%(trailers:only,unfold)', branch)).toMatch(
    /^Tidegate-Run: demo-ab12\nTidegate-Task: b\nTidegate-Proof: [0-9a-f]{64}\n?$/,
  );
  expect(s.bare('ls-tree', '-r', '--name-only', branch)).toBe('a.txt\nb.txt\nreadme.md');
});

test('a conflict leaves the run branch alone, names the files, and leaves out what stands on the task', async () => {
  await using s = await scene({ waves: [{ a: {}, b: {}, c: { needs: [taskId('b')] } }] });
  await s.open();
  await s.work('a', { 'readme.md': 'from a\n' });
  await s.work('b', { 'readme.md': 'from b\n', 'b.txt': 'b\n' });
  await s.work('c', { 'c.txt': 'c\n' });
  const before = s.bare('rev-parse', branch);
  const built = await s.closeRound(0, 0, ['a', 'b', 'c']);
  expect(built.steps.map((step) => step.task)).toEqual(['a']);
  expect(built.conflicts).toEqual([{ task: 'b', files: ['readme.md'] }]);
  expect(s.bare('rev-parse', branch)).toBe(before);
});

test.each([
  ['a file', { 'Foo.txt': 'a\n' }, { 'foo.txt': 'b\n' }, ['Foo.txt', 'foo.txt']],
  ['a directory beside a file', { 'Case.txt': 'a\n' }, { 'case.TXT/x': 'b\n' }, ['Case.txt', 'case.TXT']],
  ['a name by its normal form', { 'caf\u00e9': 'a\n' }, { 'cafe\u0301': 'b\n' }, ['caf\u00e9', 'cafe\u0301']],
  ['a name of the base', { 'a.txt': 'a\n' }, { 'README.md': 'b\n' }, ['readme.md', 'README.md']],
])(
  'S9: %s of two tasks that is one on some file system holds the later one with both names',
  async (_, a, b, files) => {
    await using s = await scene({ waves: [{ a: {}, b: {}, c: {} }] });
    await s.open();
    await s.work('a', a);
    await s.work('b', b);
    await s.work('c', { 'c.txt': 'c\n' });
    const built = await s.closeRound(0, 0, ['a', 'b', 'c']);
    expect(built.steps.map((step) => step.task)).toEqual(['a', 'c']);
    expect(built.conflicts).toEqual([{ task: 'b', files }]);
  },
);

test('twins that the base has hold nobody', async () => {
  await using s = await scene({ files: { 'Foo/a': 'a\n', 'foo/a': 'a\n' }, waves: [{ a: {}, b: {} }] });
  await s.open();
  await s.work('a', { 'Foo/b': 'b\n' });
  await s.work('b', { 'foo/c': 'c\n' });
  const built = await s.closeRound(0, 0, ['a', 'b']);
  expect([built.steps.length, built.conflicts]).toEqual([2, []]);
});

test('a planted merge=union does not hide a conflict', async () => {
  await using s = await scene({
    files: { 'readme.md': 'hello\n', '.gitattributes': '* merge=union\n' },
    waves: [{ a: {}, b: {} }],
  });
  await s.open();
  await s.work('a', { 'readme.md': 'from a\n' });
  await s.work('b', { 'readme.md': 'from b\n', 'sub/.gitattributes': '* merge=union\n' });
  expect((await s.closeRound(0, 0, ['a', 'b'])).conflicts).toEqual([{ task: 'b', files: ['readme.md'] }]);
});

test('a task stands on the snapshot of the one it needs, and both merge', async () => {
  await using s = await scene({ waves: [{ a: {}, b: { needs: [taskId('a')] } }, { c: {} }] });
  await s.open();
  await s.work('a', { 'readme.md': 'from a\n' });
  const b = await s.work('b', { 'readme.md': 'from a, then b\n' });
  expect(s.bare('show', `${b.base}:readme.md`)).toBe('from a');
  const built = await s.closeRound(0, 0, ['a', 'b']);
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
  expect(s.bare('show', `${branch}:readme.md`)).toBe('from a, then b');
  const c = await s.work('c', { 'c.txt': 'c\n' });
  expect(c.base).toBe(built.steps[1]?.commit);
});

test('a task that needs one that is not ready gets no base', async () => {
  await using s = await scene({ waves: [{ a: {}, b: { needs: [taskId('a')] } }] });
  await s.open();
  expect(await s.ask({ do: 'make-task-base', run, task: taskId('b') })).toMatchObject({ outcome: 'refused' });
});

test('a run branch that somebody moved is left where it is', async () => {
  await using s = await scene({ waves: [{ a: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  const built = await s.closeRound(0, 0, ['a']);
  const moved = s.bare('commit-tree', `${built.base}^{tree}`, '-p', built.base, '-m', 'stranger');
  s.bare('update-ref', branch, moved);
  expect(await s.merge(0, 0)).toMatchObject({ outcome: 'refused', because: { rule: 'ref-diverged', actual: moved } });
  expect(s.bare('rev-parse', branch)).toBe(moved);
});

test('asking again repeats nothing', async () => {
  await using s = await scene({ waves: [{ a: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.closeRound(0, 0, ['a']);
  await s.merge(0, 0);
  const events = await s.events();
  await s.open();
  await s.ask({ do: 'make-task-base', run, task: taskId('a') });
  await s.ask({ do: 'build-candidate', run, wave: 0, round: 0 });
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
  expect(await s.events()).toEqual(events);
});

test('a coordinator that was replaced moves nothing', async () => {
  await using s = await scene({ waves: [{ a: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  const built = await s.closeRound(0, 0, ['a']);
  await s.ledger.takeEpoch({ pid: 1, startTime: '0', bootId: '', socket: '' }, () => false);
  expect(await s.merge(0, 0)).toEqual({ outcome: 'stale-epoch' });
  expect(s.bare('rev-parse', branch)).toBe(built.base);
});

test('without a name in git, the person is told what to set and nothing is built', async () => {
  await using s = await scene({ waves: [{ a: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  s.git('config', '--unset', 'user.email');
  await expect(s.closeRound(0, 0, ['a'])).rejects.toThrow('author');
});

test('dropped paths are as in the base, and the old snapshot stays reachable', async () => {
  await using s = await scene({ waves: [{ a: {} }] });
  await s.open();
  const before = await s.work('a', { 'readme.md': 'changed\n', 'x/new.txt': 'n\n', 'a.txt': 'a\n' });
  const drop = {
    do: 'drop-paths',
    run,
    task: taskId('a'),
    paths: ['readme.md', 'x'],
    by: { who: 'ada', via: 'command' },
  } as const;
  expect(await s.ask(drop)).toEqual({ outcome: 'done' });
  const dropped = (await s.events()).at(-1);
  if (dropped?.type !== 'paths-dropped') throw new Error('not dropped');
  expect(dropped.snapshot.diff.map((entry) => entry.path)).toEqual(['a.txt']);
  expect(s.bare('rev-parse', `${dropped.snapshot.commit}^`)).toBe(before.base);
  expect(s.bare('for-each-ref', '--contains', before.commit, '--format=%(refname)')).not.toBe('');
  expect(await s.ask(drop)).toEqual({ outcome: 'done' });
  expect((await s.events()).at(-1)).toEqual(dropped);
});

test('a task started anew gets its base recorded anew, also when it is the same', async () => {
  await using s = await scene({ waves: [{ a: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.append({ type: 'task-retried', task: taskId('a'), by: me });
  await s.ask({ do: 'make-task-base', run, task: taskId('a') });
  expect((await s.events()).at(-1)).toMatchObject({ type: 'task-base-made', task: 'a' });
});

test('a task retried after a conflict starts from what was merged meanwhile', async () => {
  await using s = await scene({ waves: [{ a: {}, b: {} }] });
  await s.open();
  await s.work('a', { 'readme.md': 'from a\n' });
  await s.work('b', { 'readme.md': 'from b\n' });
  const built = await s.closeRound(0, 0, ['a', 'b']);
  await s.merge(0, 0);
  await s.append({ type: 'task-retried', task: taskId('b'), by: me });
  expect(await s.work('b', { 'readme.md': 'from a and b\n' })).toMatchObject({ base: built.steps[0]?.commit });
  await s.closeRound(0, 1, ['b']);
  expect(await s.merge(0, 1)).toEqual({ outcome: 'done' });
  expect(s.bare('show', `${branch}:readme.md`)).toBe('from a and b');
});

test('who signs their commits signs these too', async () => {
  await using s = await scene({ waves: [{ a: {} }] });
  const key = join(s.root, 'key');
  runOnly('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key], s.root);
  for (const [name, value] of [
    ['commit.gpgsign', 'true'],
    ['gpg.format', 'ssh'],
    ['user.signingkey', key],
  ] as const)
    s.git('config', name, value);
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.closeRound(0, 0, ['a']);
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
  expect(s.bare('cat-file', 'commit', branch)).toContain('-----BEGIN SSH SIGNATURE-----');
});

test('a coordinator that was replaced makes no run branch, and finishes no merge that it intended', async () => {
  await using s = await scene({ waves: [{ a: {} }] });
  const replace = () => s.ledger.takeEpoch({ pid: 1, startTime: '0', bootId: '', socket: '' }, () => false);
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  const built = await s.closeRound(0, 0, ['a']);
  const next = built.steps[0]?.commit ?? built.base;
  await s.append({ type: 'merge-intended', wave: 0, round: 0, old: built.base, new: next });
  const order = { ...s.context, run, epoch: s.epoch };
  await replace();
  expect(await mergeRound(order, { wave: 0, round: 0 })).toEqual({ outcome: 'stale-epoch' });
  expect(s.bare('rev-parse', branch)).toBe(built.base);
  s.bare('update-ref', '-d', branch);
  expect(await s.open()).toEqual({ outcome: 'stale-epoch' });
  expect(s.bare('for-each-ref', branch)).toBe('');
});

test('nothing of a run that was given up is merged', async () => {
  await using s = await scene({ waves: [{ a: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.closeRound(0, 0, ['a']);
  const before = s.bare('rev-parse', branch);
  await s.append({ type: 'run-abandoned', by: me });
  expect(await s.merge(0, 0)).toMatchObject({ outcome: 'refused', because: { rule: 'run-abandoned' } });
  expect(s.bare('rev-parse', branch)).toBe(before);
});

test('nothing is merged over a required dependency, of the run or of a task up to this wave, until it is settled', async () => {
  await using s = await scene({ waves: [{ a: {} }, { b: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.closeRound(0, 0, ['a']);
  const before = s.bare('rev-parse', branch);
  const added = (dependency: string, more: { readonly task?: TaskId; readonly required?: boolean }) =>
    s.append({
      ...{ type: 'dependency-added', dependency, on: { run: runId('pay-0002') } },
      ...{ required: true, text: 'the price list', by: me, ...more },
    });
  await added('d1', { required: false });
  await added('d2', { task: taskId('b') });
  await added('d3', { task: taskId('a') });
  await added('d4', {});
  await s.append({ type: 'dependency-unmet', dependency: 'd3', because: 'abandoned' });
  expect(await s.merge(0, 0)).toMatchObject({ because: { rule: 'dependency-open', dependency: 'd3' } });
  await s.append({ type: 'dependency-cancelled', dependency: 'd3', reason: 'no', by: me });
  expect(await s.merge(0, 0)).toMatchObject({ because: { rule: 'dependency-open', dependency: 'd4' } });
  expect(s.bare('rev-parse', branch)).toBe(before);
  await s.append({ type: 'dependency-resolved', dependency: 'd4', reason: 'seen', by: me });
  await s.append({ type: 'dependency-unmet', dependency: 'd4', because: 'undone' });
  expect(await s.merge(0, 0)).toMatchObject({ because: { rule: 'dependency-open', dependency: 'd4' } });
  await s.append({ type: 'dependency-resolved', dependency: 'd4', reason: 'seen', by: me });
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
});

test('a landing that met a dependency counts until the stream of its run undoes it, also when this run knows nothing of that', async () => {
  const other = runId('pay-0002');
  const none = { outcome: 'done' };
  const [landed, undone] = [
    { type: 'landed', branch: 'main', old: null, new: commitId('c'.repeat(40)), tasks: [], commits: [] },
    {
      type: 'undone',
      branch: 'main',
      old: commitId('c'.repeat(40)),
      new: commitId('b'.repeat(40)),
      exact: true,
      task: null,
    },
  ] as const;
  const cases: readonly (readonly [readonly RunEvent[], object])[] = [
    [[landed], none],
    [[landed, undone], { because: { rule: 'dependency-open', dependency: 'd1' } }],
    [[landed, undone, landed], none],
    [[], { because: { rule: 'dependency-open', dependency: 'd1' } }],
  ];
  for (const [events, answer] of cases) {
    await using s = await scene({ waves: [{ a: {} }] });
    await s.open();
    await s.work('a', { 'a.txt': 'a\n' });
    await s.closeRound(0, 0, ['a']);
    if (events.length > 0) await s.ledger.append(other, 0, events, s.epoch);
    await s.append(
      { type: 'dependency-added', dependency: 'd1', on: { run: other }, required: true, text: 'x', by: me },
      {
        ...{ type: 'dependency-resolved', dependency: 'd1', by: { who: 'tidegate', via: 'policy' } },
        landed: { run: other, branch: 'main', commit: commitId('c'.repeat(40)) },
      },
    );
    expect(await s.merge(0, 0)).toMatchObject(answer);
  }
});

test('a dependency of a dropped task holds nothing until the task starts over', async () => {
  await using s = await scene({ waves: [{ a: {}, b: {} }] });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.closeRound(0, 0, ['a']);
  const on = { run: runId('pay-0002') };
  const b = taskId('b');
  await s.append({ type: 'dependency-added', dependency: 'd1', task: b, on, required: true, text: 'x', by: me });
  await s.append({ type: 'task-dropped', task: b, by: me }, { type: 'task-retried', task: b, by: me });
  expect(await s.merge(0, 0)).toMatchObject({ because: { rule: 'dependency-open', dependency: 'd1' } });
  await s.append({ type: 'task-dropped', task: b, by: me });
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
});
