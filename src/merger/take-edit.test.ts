import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, type Scene, scene } from '../../test/support/merger-scene.ts';
import { me } from '../../test/support/plans.ts';
import { makeWorkspace } from '../adapters/workspace/index.ts';
import { type CommitId, commitId, taskId } from '../domain/base/ids.ts';
import type { SnapshotEvidence } from '../domain/gates/evidence.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { editedFiles } from '../domain/ledger/state-dir.ts';
import { verifyObjects } from './proof/objects.ts';
import { verifyChain } from './proof/proof.ts';

const task = taskId('a');

async function worked(): Promise<{ readonly s: Scene; readonly left: SnapshotEvidence }> {
  const s = await scene({ waves: [{ a: {} }] });
  await s.open();
  return { s, left: await s.work('a', { 'a.txt': 'a\n', 'b.txt': 'b\n' }) };
}

/** A copy of a commit, changed as a person would. */
async function copied(
  s: Scene,
  name: string,
  commit: CommitId,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const directory = editedFiles(s.state, name);
  if (directory === null) throw new Error(`${name} is no name`);
  await makeWorkspace({ repository: s.state.repository, directory, commit });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
}

const take = (s: Scene, from: CommitId, copy: string) => s.ask({ do: 'take-edit', run, task, from, copy, by: me });
const editsOf = async (s: Scene) =>
  (await s.events()).flatMap((event) => (event.type === 'task-edited' ? [event as RunEvent & typeof event] : []));

test('what a person left is one commit on the base, with who, both ids and the paths that they changed', async () => {
  const { s, left } = await worked();
  await using _ = s;
  await copied(s, 'one', left.commit, { 'a.txt': 'mine\n', 'new.txt': 'new\n' });
  expect(await take(s, left.commit, 'one')).toEqual({ outcome: 'done' });
  const [edit] = await editsOf(s);
  expect(edit).toMatchObject({ task, from: left.commit, paths: ['a.txt', 'new.txt'], copy: 'one', by: me });
  expect(edit?.snapshot.diff.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'new.txt']);
  expect(s.bare('rev-parse', `${edit?.snapshot.commit}^`)).toBe(left.base);
  expect(s.bare('show', `${edit?.snapshot.commit}:b.txt`)).toBe('b');

  // asked again, because the answer was lost
  expect(await take(s, left.commit, 'one')).toEqual({ outcome: 'done' });
  expect(await editsOf(s)).toHaveLength(1);
  // a second edit goes on from the first, and its paths are against what the agent left
  const first = edit?.snapshot.commit ?? left.commit;
  await copied(s, 'two', first, { 'b.txt': 'mine too\n' });
  expect(await take(s, first, 'two')).toEqual({ outcome: 'done' });
  expect((await editsOf(s)).at(-1)?.paths).toEqual(['a.txt', 'b.txt', 'new.txt']);
});

test('nothing is taken of a copy that is unchanged, of another snapshot, gone, or elsewhere', async () => {
  const { s, left } = await worked();
  await using _ = s;
  await copied(s, 'same', left.commit, {});
  const refusals = [
    await take(s, left.commit, 'same'),
    await take(s, commitId('f'.repeat(40)), 'same'),
    await take(s, left.commit, 'missing'),
    await take(s, left.commit, '../../checkout'),
    await take(s, left.commit, '..'),
  ];
  expect(refusals.map((answer) => (answer.outcome === 'refused' ? answer.because.rule : answer.outcome))).toEqual([
    'edit-unchanged',
    'snapshot-outdated',
    'edit-gone',
    'edit-gone',
    'edit-gone',
  ]);
  expect(await editsOf(s)).toEqual([]);
});

test('a value that nobody remembers stays found until the person changes its file', async () => {
  const { s, left } = await worked();
  await using _ = s;
  const found = { rule: 'known-value', where: 'a.txt', in: 'content' } as const;
  const pipe = { rule: 'special-file', where: 'pipe', kind: 'FIFO' } as const;
  const snapshot = { ...left, secrets: [found], refused: [pipe] };
  await s.append({ type: 'paths-dropped', task, paths: [], snapshot, by: me });
  await copied(s, 'one', left.commit, { 'b.txt': 'mine\n' });
  await take(s, left.commit, 'one');
  const [first] = await editsOf(s);
  expect(first?.snapshot).toMatchObject({ secrets: [found], refused: [pipe] });
  await copied(s, 'two', first?.snapshot.commit ?? left.commit, { 'a.txt': 'clean\n' });
  await take(s, first?.snapshot.commit ?? left.commit, 'two');
  expect((await editsOf(s)).at(-1)?.snapshot).toMatchObject({ secrets: [], refused: [pipe] });
});

test('an edit proves the round that it is in, and only with the paths that it really changed', async () => {
  const { s, left } = await worked();
  await using _ = s;
  await copied(s, 'one', left.commit, { 'a.txt': 'mine\n' });
  await s.ledger.request(run, { type: 'requested-edit', task, from: left.commit, copy: 'one', by: me });
  await take(s, left.commit, 'one');
  const before = (await s.events()).findLast((event) => event.type === 'phase-judged' && event.phase === 'monitor');
  const [edit] = await editsOf(s);
  if (before?.type !== 'phase-judged' || before.phase !== 'monitor' || edit === undefined)
    throw new Error('not judged');
  const { snapshot, paths } = edit;
  const acceptance = { snapshot: snapshot.commit, who: me.who, edited: paths };
  await s.append({ ...before, evidence: { ...before.evidence, snapshot, acceptance } });
  await s.closeRound(0, 0, ['a']);
  const history = await s.ledger.read(run);
  const at = { wave: 0, round: 0 };
  expect(verifyChain(history, 0, 0)).toMatchObject({ ok: true });
  expect(await verifyObjects(s.state.repository, history, at)).toEqual({ ok: true, value: null });

  const forged = history.map((one) =>
    one.event.type === 'task-edited' ? { ...one, event: { ...one.event, paths: ['a.txt', 'b.txt'] } } : one,
  );
  expect(verifyChain(forged, 0, 0)).toMatchObject({ error: { gap: 'task-acceptance-other' } });
  expect(await verifyObjects(s.state.repository, forged, at)).toMatchObject({ error: { gap: 'edit-paths' } });
  const unasked = history.filter(({ event }) => event.type !== 'requested-edit');
  expect(verifyChain(unasked, 0, 0)).toMatchObject({ error: { gap: 'task-acceptance-unasked' } });
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
  expect(s.bare('log', '-1', '--format=%B', `refs/tidegate/runs/${run}`)).toContain(
    `Tidegate-Edited-by: ada ${left.commit}..${snapshot.commit}`,
  );
});
