import { expect, test } from 'vitest';
import { passChecks, undo } from '../../../test/support/landing.ts';
import { type Edits, run, scene } from '../../../test/support/merger-scene.ts';
import { commitId, treeId } from '../../domain/base/ids.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { verifyObjects } from '../proof/objects.ts';
import { verifyChain } from '../proof/proof.ts';

const branch = `refs/tidegate/runs/${run}`;
const generated = { 'lock.json': 'make lock', 'docs/list.txt': 'ls', 'old.txt': 'rm -f old.txt' };
const files: Edits = { 'lock.json': '1\n', 'old.txt': 'old\n', 'readme.md': 'hello\n' };

/** Two tasks, one of which edits a generated file, are ready. */
async function ready(waves = [{ a: {}, b: {} }] as const) {
  const s = await scene({ files, waves: [...waves], plan: { generated } });
  await s.open();
  await s.work('a', { 'lock.json': '2\n', 'a.txt': 'a\n' });
  await s.work('b', { 'b.txt': 'b\n' });
  return s;
}
const completedIn = (events: readonly RunEvent[]) => {
  const found = events.findLast((event) => event.type === 'candidate-completed');
  if (found?.type !== 'candidate-completed') throw new Error('not completed');
  return found;
};
const eventsOf = async (s: Awaited<ReturnType<typeof ready>>) => (await s.events()) as readonly RunEvent[];

test('exactly the generated paths are taken, added, changed or removed, as one commit of the person', async () => {
  await using s = await ready();
  const rebuilt: Edits = {
    'lock.json': { exec: '3\n' },
    'docs/list.txt': 'a b\n',
    'old.txt': null,
    'readme.md': 'changed\n',
    'docs/more.txt': 'stray\n',
    'a.txt': null,
  };
  const built = await s.closeRound(0, 0, ['a', 'b'], rebuilt);
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
  const { commit } = completedIn(await eventsOf(s));
  expect(s.bare('rev-parse', branch)).toBe(commit);
  expect(s.bare('rev-parse', `${branch}^`)).toBe(built.steps[1]?.commit);
  expect(s.bare('diff-tree', '-r', '--name-status', `${branch}^`, branch)).toBe(
    'A\tdocs/list.txt\nM\tlock.json\nD\told.txt',
  );
  expect(s.bare('ls-tree', branch, 'lock.json')).toMatch(/^100755 /);
  expect(s.bare('log', '-1', '--format=%an %s%n%(trailers:only,unfold)', branch)).toMatch(
    /^Ada Rebuild generated files\nTidegate-Run: demo-ab12\nTidegate-Proof: [0-9a-f]{64}\n?$/,
  );
});

test('when nothing differs, the last step stands, without the edits of agents', async () => {
  await using s = await ready();
  const built = await s.closeRound(0, 0, ['a', 'b'], { 'readme.md': 'changed\n' });
  expect(await s.merge(0, 0)).toEqual({ outcome: 'done' });
  expect(completedIn(await eventsOf(s))).toMatchObject({ commit: built.steps[1]?.commit, tree: built.steps[1]?.tree });
  expect(s.bare('show', `${branch}:lock.json`)).toBe('1');
});

test('asking again repeats nothing', async () => {
  await using s = await ready();
  await s.closeRound(0, 0, ['a', 'b'], { 'lock.json': '3\n' });
  const events = await s.events();
  expect(await s.ask({ do: 'add-generated', run, wave: 0, round: 0 })).toEqual({ outcome: 'done' });
  expect(await s.events()).toEqual(events);
});

test('a round whose files were not rebuilt is neither completed nor merged', async () => {
  await using s = await ready();
  const built = await s.closeRound(0, 0, ['a', 'b'], { 'lock.json': '3\n' });
  expect(await s.ask({ do: 'add-generated', run, wave: 0, round: 1 })).toMatchObject({ outcome: 'refused' });
  const history = await s.ledger.read(run);
  for (const type of ['generator-ended', 'candidate-completed'])
    expect([
      type,
      verifyChain(
        history.filter(({ event }) => event.type !== type),
        0,
        0,
      ).ok,
    ]).toEqual([type, false]);
  expect(s.bare('rev-parse', branch)).toBe(built.base);
});

test('no field of the rebuilt files can be altered', async () => {
  await using s = await ready();
  await s.closeRound(0, 0, ['a', 'b'], { 'lock.json': '3\n' });
  const history = await s.ledger.read(run);
  const proven = async (change: (event: RunEvent) => RunEvent): Promise<boolean> => {
    const changed = history.map((stored) => ({ ...stored, event: change(stored.event as RunEvent) }));
    const round = { wave: 0, round: 0 };
    return verifyChain(changed, 0, 0).ok && (await verifyObjects(s.state.repository, changed, round)).ok;
  };
  const inSnapshot = (change: object) => (event: RunEvent) =>
    event.type === 'generator-ended' && event.snapshot !== null
      ? { ...event, snapshot: { ...event.snapshot, ...change } }
      : event;
  const finding = { rule: 'private-key', detail: 'a secret', where: 'lock.json' };
  const link = { path: 'lock.json', change: 'modified', oldMode: '100644', newMode: '120000' };
  const other = 'f'.repeat(40);
  expect(await proven((event) => event)).toBe(true);
  for (const change of [
    { commit: commitId(other) },
    { tree: treeId(other) },
    { base: commitId(other) },
    { secrets: [finding] },
    { refused: [finding] },
    { diff: [link] },
  ])
    expect([change, await proven(inSnapshot(change))]).toEqual([change, false]);
  const failed = { reason: 'exited', code: 1, signal: null } as const;
  expect(await proven((event) => (event.type === 'generator-ended' ? { ...event, ending: failed } : event))).toBe(
    false,
  );
  expect(await proven((event) => (event.type === 'generator-ended' ? { ...event, snapshot: null } : event))).toBe(
    false,
  );
  for (const change of [{ commit: commitId(other) }, { tree: treeId(other) }, { round: 7 }])
    expect(await proven((event) => (event.type === 'candidate-completed' ? { ...event, ...change } : event))).toBe(
      false,
    );
});

test.each([
  ['a file that is not generated', 'smuggled.txt', 'path-not-generated'],
  ['a generated file that the commands did not write', 'lock.json', 'path-not-as-rebuilt'],
])('a completed candidate with %s is refused', async (_, path, gap) => {
  await using s = await ready();
  const built = await s.closeRound(0, 0, ['a', 'b'], { 'docs/list.txt': 'a b\n' });
  const { commit } = completedIn(await eventsOf(s));
  const index = { GIT_INDEX_FILE: `${s.root}/forged.index` };
  const blob = s.bare('hash-object', '-w', '/dev/null');
  s.bareWith(index, 'read-tree', commit);
  s.bareWith(index, 'update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
  const tree = treeId(s.bareWith(index, 'write-tree'));
  const parent = built.steps[1]?.commit ?? '';
  const forged = commitId(s.bare('commit-tree', tree, '-p', parent, '-m', 'forged'));
  const history = (await s.ledger.read(run)).map((stored) =>
    stored.event.type === 'candidate-completed'
      ? { ...stored, event: { ...stored.event, commit: forged, tree } }
      : stored,
  );
  const verified = await verifyObjects(s.state.repository, history, { wave: 0, round: 0 });
  expect(verified).toMatchObject({ ok: false, error: { gap, path } });
});

test('the next wave starts from the rebuilt files, and undo takes them back with the rest', async () => {
  await using s = await scene({ files, waves: [{ a: {} }, { c: {} }], plan: { generated } });
  await s.open();
  await s.work('a', { 'a.txt': 'a\n' });
  await s.closeRound(0, 0, ['a'], { 'lock.json': '3\n' });
  await s.merge(0, 0);
  const c = await s.work('c', { 'c.txt': 'c\n' });
  expect(s.bare('show', `${c.base}:lock.json`)).toBe('3');
  await s.closeRound(1, 0, ['c'], { 'lock.json': '4\n' });
  await s.merge(1, 0);
  s.write({ 'mine.txt': 'mine\n' });
  s.git('add', '-A');
  s.git('commit', '-q', '-m', 'meanwhile');
  expect(await s.ask({ do: 'rebuild-landing', run })).toEqual({ outcome: 'done' });
  const rebuilt = (await s.events()).at(-1);
  if (rebuilt?.type !== 'landing-rebuilt') throw new Error('not rebuilt');
  expect(s.bare('show', `${rebuilt.commit}:lock.json`)).toBe('4');
  const check = { name: 'test', tree: rebuilt.tree, outcome: 'passed', code: 0, tail: '' } as const;
  const log = { file: '', bytes: 0, kept: 0, sha256: '' };
  await s.append({ type: 'check-ended', purpose: 'land', check: { ...check, log } });
  expect(await s.ask({ do: 'land', run })).toEqual({ outcome: 'done' });
  expect(s.git('show', 'main:lock.json')).toBe('4');
  s.write({ 'mine.txt': 'more\n' });
  s.git('commit', '-q', '-a', '-m', 'later');
  expect(await undo(s)).toEqual({ outcome: 'done' });
  const prepared = (await s.events()).at(-1);
  if (prepared?.type !== 'undo-prepared') throw new Error('not prepared');
  await passChecks(s, prepared.tree);
  expect(await undo(s)).toEqual({ outcome: 'done' });
  expect(s.git('show', 'main:lock.json')).toBe('1');
  expect(s.git('log', '-4', '--format=%(trailers:key=Tidegate-Task,valueonly)')).not.toContain('undefined');
  expect(s.git('show', 'main:mine.txt')).toBe('more');
});
