import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
import { openGate } from '../support/gate.ts';
import { handoff, type Project, project, scripted } from '../support/project.ts';
import { untilEvent } from '../support/until-event.ts';

const failing = scripted(`printf 'echo no-such-compiler\nexit 3\n' > build.sh\n${handoff}`, { owns: ['build.sh'] });
const good = scripted(`echo 1 > good\n${handoff}`);

const withSetup = (tasks: object) =>
  project({
    files: { a: 'a\n', 'build.sh': 'true\n' },
    plan: { name: 'demo', land: 'auto', setup: 'sh build.sh', checks: [{ name: 't', run: 'test -e a' }], tasks },
  });

const outcomes = async (p: Project) =>
  (await p.events()).flatMap(({ event }) =>
    event.type === 'check-ended' ? [[event.purpose, event.check.outcome, event.check.because?.rule]] : [],
  );

test('a setup that a task breaks holds this task, and the other one is merged', async () => {
  await using p = await withSetup({ work: failing, good });
  const run = await p.cli('run', 'plan.yaml', '--yes');
  expect(run.stdout + run.stderr).toContain('setup (sh build.sh) ended with 3');
  expect(run.stdout + run.stderr).toContain('no-such-compiler');
  const events = (await p.events()).map(({ event }) => event);
  expect(events.flatMap((event) => (event.type === 'culprit-found' ? [event.task] : []))).toEqual(['work']);
  expect(events.flatMap((event) => (event.type === 'merged' ? event.tasks.map(({ task }) => task) : []))).toEqual([
    'good',
  ]);
  expect(events.filter(({ type }) => type === 'run-halted')).toEqual([]);
  expect((await outcomes(p))[0]).toEqual(['base', 'passed', undefined]);
  expect(await outcomes(p)).toContainEqual(['candidate', 'failed', 'setup-failed']);
  expect(checkHistory(await p.events())).toEqual([]);

  const dropped = await p.cli('drop', 'work');
  expect(dropped.code, dropped.stderr).toBe(0);
  const landed = await p.cli('resume');
  expect(p.git('ls-tree', '--name-only', 'main'), landed.stdout + landed.stderr).toContain('good');
  expect(p.git('show', 'main:build.sh')).toBe('true');
}, 120_000);

/** A run that is halted while its round is open, because nobody is named as the author of commits. */
async function haltedRound(tasks: readonly string[]) {
  const gate = openGate();
  const work = (id: string) => scripted(`${gate.waits('go')}\necho 1 > ${id}\n${handoff}`);
  const p = await project({
    plan: { name: 'demo', land: 'auto', tasks: Object.fromEntries(tasks.map((id) => [id, work(id)])) },
  });
  gate.showTo(p);
  const config = join(p.checkout, '.git/config');
  const before = readFileSync(config, 'utf8');
  await p.cli('run', 'plan.yaml', '--yes', '-d');
  await untilEvent(p, ({ type }) => type === 'attempt-started');
  writeFileSync(config, before.replaceAll(/^\t(name|email) .*$/gm, ''));
  gate.letThrough('go');
  await untilEvent(p, ({ type }) => type === 'run-halted');
  return {
    p,
    nameAuthor: () => writeFileSync(config, before),
    async [Symbol.asyncDispose]() {
      await p[Symbol.asyncDispose]();
      gate[Symbol.dispose]();
    },
  };
}

test('a task of a round that a halt keeps open can be dropped at once, and the others go on', async () => {
  await using halted = await haltedRound(['work', 'good', 'more']);
  const { p } = halted;
  const begun = Date.now();
  const dropped = await p.cli('drop', 'work');
  expect(dropped.code, dropped.stderr).toBe(0);
  const reworked = await p.cli('rework', 'more', '-m', 'once more');
  expect(reworked.code, reworked.stderr).toBe(0);
  expect(Date.now() - begun).toBeLessThan(15_000);
  halted.nameAuthor();
  const resumed = await p.cli('resume', '--yes');
  expect(p.git('ls-files'), resumed.stdout + resumed.stderr).toBe('good\nmore\nplan.yaml\nreadme.md');
  expect(checkHistory(await p.events())).toEqual([]);
}, 120_000);

test('the run ends when the last task of a halted round is dropped', async () => {
  await using halted = await haltedRound(['work']);
  const { p } = halted;
  const dropped = await p.cli('drop', 'work');
  expect(dropped.code, dropped.stderr).toBe(0);
  const kinds = (await p.events()).map(({ event }) => event.type);
  const last = kinds.indexOf('round-abandoned');
  expect(kinds.slice(last, last + 5)).toEqual([
    'round-abandoned',
    'task-dropped',
    'request-accepted',
    'wave-closed',
    'run-ended',
  ]);
  expect(checkHistory(await p.events())).toEqual([]);
}, 120_000);
