import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import { checkHistory } from '../support/checker.ts';
import { handoff, type Project, project, scripted } from '../support/project.ts';

/** A project whose tests are red: `adds` fails, and the others pass. */
const files = {
  'sum.mjs': 'export const add = (a, b) => a - b;\nexport const twice = (a) => a + a;\n',
  'sum.test.mjs': `import test from 'node:test';
import assert from 'node:assert';
import { add, twice } from './sum.mjs';
test('adds', () => assert.equal(add(1, 2), 3));
test('doubles', () => assert.equal(twice(2), 4));
`,
  'ci.sh': 'test ! -f crash && node --test --test-reporter=junit --test-reporter-destination=out.xml\n',
};
const compared = { name: 'test', run: 'sh ci.sh', parse: { junit: 'out.xml' }, policy: 'ratchet' };
const plan = (tasks: object, more: object = {}) => ({
  limits: { attempts: 1 },
  land: 'auto',
  checks: [compared],
  tasks,
  ...more,
});
const fix = `sed -i 's/a - b/a + b/' sum.mjs\n${handoff}`;
const note = `echo x > notes.txt\n${handoff}`;

const events = async (scene: Project): Promise<readonly RunEvent[]> =>
  (await scene.events()).map(({ event }) => event as RunEvent);
const idOf = async (scene: Project): Promise<string> =>
  (await events(scene)).flatMap((event) => (event.type === 'run-created' ? [event.run] : []))[0] ?? '';
const onMain = (scene: Project): string => scene.git('ls-tree', '--name-only', 'main');

/** The ledger keeps every invariant, by the checker that is written apart from the program. */
async function verify(scene: Project): Promise<void> {
  expect((await scene.cli('verify')).code).toBe(0);
  expect(checkHistory(await scene.events())).toEqual([]);
}

test('a run that fixes a red base begins, says that the base is red, and lands by itself', async () => {
  await using scene = await project({ files, plan: plan({ fix: scripted(fix) }) });
  expect((await scene.cli('lint', 'plan.yaml')).stdout).toContain('test: sh ci.sh (ratchet: no worse than the base)');
  const ended = await scene.cli('run', 'plan.yaml', '--yes');
  expect(ended.stdout).toContain('check test on the base: failed (1 test failed); work must not make it worse');
  expect([ended.code, scene.git('show', 'main:sum.mjs')]).toEqual([0, expect.stringContaining('a + b')]);
  await verify(scene);
});

test('without ratchet a red base starts no agent, and the message names the way out', async () => {
  const checks = [{ name: 'test', run: 'sh ci.sh', parse: { junit: 'out.xml' } }];
  await using scene = await project({ files, plan: plan({ fix: scripted(fix) }, { checks }) });
  const ended = await scene.cli('run', 'plan.yaml', '--yes');
  expect(ended.code).not.toBe(0);
  expect(ended.stdout + ended.stderr).toContain('`policy: ratchet` in that check');
  expect((await events(scene)).some(({ type }) => type === 'attempt-started')).toBe(false);
});

test('a run that fixes nothing is merged, but no branch moves before a person says yes', async () => {
  await using scene = await project({ files, plan: plan({ note: scripted(note) }) });
  const ended = await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  expect(ended.stdout).toContain('is no worse than the base; still red: test (1 test failed)');
  expect([ended.code, onMain(scene)]).toEqual([43, expect.not.stringContaining('notes.txt')]);
  expect((await scene.cli('status', id)).stdout).toContain('the check test is red (1 test failed)');
  expect((await scene.cli('land', id, '--yes')).code).toBe(0);
  expect(onMain(scene)).toContain('notes.txt');
  await verify(scene);
});

test('a task that breaks another test is held by the name of the test, and the others land', async () => {
  const tasks = {
    fix: scripted(fix, { owns: ['sum.mjs'] }),
    bad: scripted(`echo 'import test from "node:test"; test("fits", () => { throw 1; });' > bad.test.mjs\n${handoff}`, {
      owns: ['bad.test.mjs'],
    }),
    note: scripted(note, { owns: ['notes.txt'] }),
  };
  await using scene = await project({ files, plan: plan(tasks) });
  const ended = await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  expect([ended.code, ended.stdout]).toEqual([43, expect.stringContaining('bad: breaks the check test: fits')]);
  expect(await events(scene)).toContainEqual(
    expect.objectContaining({ type: 'culprit-found', task: 'bad', check: 'test', worse: { tests: ['fits'] } }),
  );
  expect((await scene.cli('why', '--test', 'fits')).stdout).toContain(
    `fits (check test) was first broken by ${id}/bad`,
  );
  expect((await scene.cli('why', '--test', 'adds')).stdout).toContain(
    `adds (check test) already failed where ${id} began`,
  );
  expect((await scene.cli('why', '--test', 'no such test')).stdout).toContain('No run has seen no such test fail.');
  await scene.cli('drop', `${id}/bad`);
  const rest = await scene.cli('resume', id);
  expect(rest.stdout).toContain('Landed on main');
  expect([onMain(scene), scene.git('show', 'main:sum.mjs')]).toEqual([
    expect.stringContaining('notes.txt'),
    expect.stringContaining('a + b'),
  ]);
  await verify(scene);
});

test('a task that edits the check is held; granted, the new definition alone decides', async () => {
  await using scene = await project({ files, plan: plan({ edit: scripted(`echo true > ci.sh\n${handoff}`) }) });
  const held = await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  expect([held.code, held.stdout]).toEqual([43, expect.stringContaining('ci.sh: it defines the check test')]);
  await scene.cli('grant', `${id}/edit`, 'ci.sh');
  expect([(await scene.cli('resume', id)).code, scene.git('show', 'main:ci.sh')]).toEqual([0, 'true']);
  await verify(scene);
});

test('granted, a definition that is still red is compared with nothing', async () => {
  const script = `echo '${files['ci.sh'].trim()} --test-concurrency=1' > ci.sh\n${handoff}`;
  await using scene = await project({ files, plan: plan({ edit: scripted(script) }) });
  await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  await scene.cli('grant', `${id}/edit`, 'ci.sh');
  const open = await scene.cli('resume', id);
  expect([open.code, open.stdout]).toEqual([
    43,
    expect.stringContaining('a task changed its definition, and it fails'),
  ]);
  expect(onMain(scene)).not.toContain('out.xml');
});

test.each([
  ['deletes the test that fails', 'sed -i /adds/d sum.test.mjs', 'adds failed on the base and did not run'],
  ['skips the test that fails', `sed -i "s/'adds',/'adds', { skip: true },/" sum.test.mjs`, 'adds failed on the base'],
  ['ends the check before its report', 'touch crash', 'it has no report that names its failures'],
  [
    'commits a report of its own and ends the check before that is written',
    `touch crash && echo '<testsuite><testcase name="adds"/><testcase name="doubles"/></testsuite>' > out.xml`,
    'it has no report that names its failures',
  ],
  [
    'deletes a test that passes while another fails',
    'sed -i /doubles/d sum.test.mjs',
    '1 test of the base did not run',
  ],
])('a task that %s is not better than the base: only a person lets it pass', async (_name, script, because) => {
  await using scene = await project({ files, plan: plan({ cheat: scripted(`${script}\n${handoff}`) }) });
  const ended = await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  expect([ended.code, ended.stdout]).toEqual([43, expect.stringContaining(because)]);
  expect(ended.stdout).toContain(`tidegate resolve ${id}/check-test`);
  expect((await events(scene)).some(({ type }) => type === 'merged')).toBe(false);
});

test('a test that is renamed and still fails is another test that fails', async () => {
  const script = `sed -i "s/'adds'/'sums'/" sum.test.mjs\n${handoff}`;
  await using scene = await project({ files, plan: plan({ rename: scripted(script) }) });
  const ended = await scene.cli('run', 'plan.yaml', '--yes');
  expect([ended.code, ended.stdout]).toEqual([43, expect.stringContaining('rename: breaks the check test: sums')]);
});

test('without a report nothing can be compared: a person lets it pass, and says yes to the landing', async () => {
  const checks = [{ name: 'test', run: 'sh ci.sh', policy: 'ratchet' }];
  await using scene = await project({ files, plan: plan({ note: scripted(note) }, { checks }) });
  const open = await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  expect([open.code, open.stdout]).toEqual([43, expect.stringContaining('it fails there too, and has no `parse`')]);
  expect((await scene.cli('resolve', `${id}/check-test`, '-m', 'adds is known')).code).toBe(0);
  const asked = await scene.cli('resume', id);
  expect([asked.code, onMain(scene)]).toEqual([43, expect.not.stringContaining('notes.txt')]);
  expect((await scene.cli('land', id, '--yes')).code).toBe(0);
  expect(onMain(scene)).toContain('notes.txt');
  await verify(scene);
});

test('a branch that moved is what the landing is compared with', async () => {
  await using scene = await project({ files, plan: plan({ note: scripted(note) }, { land: 'ask' }) });
  await scene.cli('run', 'plan.yaml', '--yes');
  const id = await idOf(scene);
  // somebody fixed the test meanwhile, so that it has to pass
  scene.write('sum.mjs', readFileSync(join(scene.checkout, 'sum.mjs'), 'utf8').replace('a - b', 'a + b'));
  scene.git('commit', '-qam', 'fixed by hand');
  expect((await scene.cli('land', id, '--yes')).code).toBe(0);
  expect(onMain(scene)).toContain('notes.txt');
  expect(await events(scene)).toContainEqual(
    expect.objectContaining({
      type: 'landing-rebuilt',
      baseline: expect.objectContaining({ commit: scene.git('rev-parse', 'main~1') }),
    }),
  );
  await verify(scene);
});

test('a count goes down or stays, and never up', async () => {
  const checks = [{ name: 'later', run: 'cat *.txt | grep -c LATER; true', parse: 'count', policy: 'ratchet' }];
  const up = scripted(`echo LATER >> up.txt\n${handoff}`, { owns: ['up.txt'] });
  const down = scripted(`echo done > old.txt\n${handoff}`, { owns: ['old.txt'] });
  const old = { 'old.txt': 'LATER\nLATER\n', 'more.txt': 'LATER\n' };
  await using scene = await project({ files: old, plan: plan({ up }, { checks }) });
  const refused = await scene.cli('run', 'plan.yaml', '--yes');
  expect([refused.code, refused.stdout]).toEqual([
    43,
    expect.stringContaining('up: breaks the check later: 4 problems, 3 on the base'),
  ]);
  await verify(scene);
  await using other = await project({ files: old, plan: plan({ down }, { checks }) });
  expect([(await other.cli('run', 'plan.yaml', '--yes')).code, other.git('show', 'main:old.txt')]).toEqual([0, 'done']);
});

test('an undo brings the red base back, and nothing worse', async () => {
  await using scene = await project({ files, plan: plan({ fix: scripted(fix) }) });
  await scene.cli('run', 'plan.yaml', '--yes');
  scene.write('later.txt', 'x\n');
  scene.git('add', '-A');
  scene.git('commit', '-qm', 'later');
  expect((await scene.cli('undo', await idOf(scene), '--yes')).code).toBe(0);
  expect(scene.git('show', 'main:sum.mjs')).toContain('a - b');
  await verify(scene);
});

test('a configuration file of a repository that asks for ratchet counts only when a person confirmed it', async () => {
  await using scene = await project({
    files: { ...files, 'tidegate.yaml': stringify({ checks: [compared] }) },
    plan: { land: 'auto', tasks: { fix: scripted(fix) } },
  });
  const refused = await scene.cli('run', 'plan.yaml', '--yes');
  expect(refused.code).not.toBe(0);
  expect(refused.stdout + refused.stderr).toContain('tidegate config confirm');
  expect(refused.stdout + refused.stderr).toContain('checks');
});
