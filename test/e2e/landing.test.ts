import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { failpointsIn } from '../support/failpoints.ts';
import { expectClean, land, passChecks, picture, readyToLand, runTip, undo } from '../support/landing.ts';
import { type Edits, type Scene, write } from '../support/merger-scene.ts';
import { mergerUnderFire } from '../support/merger-under-fire.ts';

const files: Edits = {
  'readme.md': 'hello\n',
  'gone.md': 'g\n',
  swap: 'file\n',
  'other.md': 'o\n',
  '.gitignore': '*.log\n',
};
const edits: Edits = {
  'readme.md': 'new\n',
  'gone.md': null,
  swap: null,
  'swap/in': 'in\n',
  run: { exec: '#!/bin/sh\n' },
};
const openLedger = (file: string) => openSqliteLedger(file);
/** Something of the person's that must survive everything. */
const mine = (s: Scene) => s.write({ 'other.md': 'mine\n', 'x.log': 'ignored\n', 'loose.txt': 'loose\n' });
const theirs = ' M other.md\n?? loose.txt\n!! x.log';
const count = async (s: Scene, type: string) => (await s.events()).filter((event) => event.type === type).length;

test.each(failpointsIn('land/land', 'land/move-branch'))(
  'killed at %s and asked again, it has landed exactly',
  async (point) => {
    const fire = mergerUnderFire(point);
    await using s = await readyToLand(edits, { files, openLedger, merger: fire.merger });
    mine(s);
    expect(await land(s)).toEqual({ outcome: 'done' });
    expect(fire.deaths).toEqual(['the merger ended (SIGKILL)']);
    expectClean(s, runTip(s), theirs);
    expect([await count(s, 'landing-intended'), await count(s, 'landed')]).toEqual([1, 1]);
    expect(s.git('fsck', '--strict', '--no-dangling')).toBe('');
  },
);

test.each([
  ...failpointsIn('undo/undo'),
  'merger-landing-prepared#2',
  'merger-landing-tree-switched#2',
  'merger-landing-committed#2',
])('killed at %s and asked again, it is undone exactly', async (point) => {
  const fire = mergerUnderFire(point);
  await using s = await readyToLand(edits, { files, openLedger, merger: fire.merger });
  mine(s);
  const before = picture(s);
  await land(s);
  expect(await undo(s)).toEqual({ outcome: 'done' });
  expect(fire.deaths).toEqual(['the merger ended (SIGKILL)']);
  expect(picture(s)).toEqual(before);
  expect(await count(s, 'undone')).toBe(1);
});

test.each([
  ...failpointsIn('undo/reverts', 'undo/undo'),
  'merger-landing-kept#2',
  'merger-landing-journalled#2',
  'merger-landing-tree-switched#2',
  'merger-landing-committed#2',
])('killed at %s and asked again, with later work on top it is reverted once', async (point) => {
  const fire = mergerUnderFire(point);
  await using s = await readyToLand(edits, { files, openLedger, merger: fire.merger });
  await land(s);
  s.git('commit', '-q', '--allow-empty', '-m', 'later');
  const later = s.git('rev-parse', 'main');
  mine(s);
  expect(await undo(s)).toEqual({ outcome: 'done' });
  const prepared = (await s.events()).at(-1);
  if (prepared?.type !== 'undo-prepared') throw new Error('not prepared');
  expectClean(s, later, theirs);
  await passChecks(s, prepared.tree);
  expect(await undo(s)).toEqual({ outcome: 'done' });
  expect(fire.deaths).toEqual(['the merger ended (SIGKILL)']);
  expectClean(s, prepared.commit, theirs);
  expect(s.git('rev-parse', 'main^{tree}')).toBe(s.git('rev-parse', 'main~3^{tree}'));
  const counts = ['undo-prepared', 'undo-intended', 'undone'].map((type) => count(s, type));
  expect(await Promise.all(counts)).toEqual([1, 1, 1]);
});

/** The person's own filter runs inside `read-tree`; what it does there happens in the middle of writing files. */
const filtered = (script: string) => ({
  files: { ...files, '.gitattributes': '*.late filter=trap\n' } as Edits,
  edits: { ...edits, 'z.late': 'late\n' } as Edits,
  arm: (s: Scene) => {
    const trap = join(s.root, 'trap');
    write(s.root, { trap: { exec: `#!/bin/sh\nif mkdir ${trap}.sprung 2>/dev/null; then ${script}; fi\ncat\n` } });
    s.git('config', 'filter.trap.smudge', trap);
    s.git('config', 'filter.trap.clean', 'cat');
  },
});

test('git killed in the middle of the files: put back, done again', async () => {
  const trap = filtered('kill -9 $PPID; exit 1');
  const fire = mergerUnderFire();
  await using s = await readyToLand(trap.edits, { files: trap.files, openLedger, merger: fire.merger });
  trap.arm(s);
  mine(s);
  expect(await land(s)).toEqual({ outcome: 'done' });
  expect(existsSync(join(s.root, 'trap.sprung'))).toBe(true);
  expectClean(s, runTip(s), theirs);
});

const recovery = failpointsIn('land/landing-recovery');
const sieges: readonly { readonly points: readonly string[] }[] = [
  { points: [] },
  ...recovery.map((point) => ({ points: [point] })),
  { points: ['merger-recovery-unlocked', 'merger-recovery-file-removed', 'merger-recovery-settled'] },
];
test.each(sieges)(
  'merger killed in the middle of the files while git goes on, then in recovery at $points: nothing half is left',
  async ({ points }) => {
    const trap = filtered(`kill -9 $(sed 's/.*"pid":\\([0-9]*\\).*/\\1/' "$MERGER"); sleep 30`);
    const fire = mergerUnderFire('never', ...points);
    await using s = await readyToLand(trap.edits, { files: trap.files, openLedger, merger: fire.merger });
    trap.arm(s);
    s.git('config', 'filter.trap.smudge', `env MERGER=${s.state.mergerRecord} ${join(s.root, 'trap')}`);
    mine(s);
    expect(await land(s)).toEqual({ outcome: 'done' });
    expect(fire.deaths).toHaveLength(1 + points.length);
    expectClean(s, runTip(s), theirs);
  },
);
