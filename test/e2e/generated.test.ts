import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { explain } from '../../src/domain/explain/explain.ts';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import { checkHistory } from '../support/checker.ts';
import { gitFacts } from '../support/kill.ts';
import { ended, handoff, type Project, project, scripted } from '../support/project.ts';

const adds = (name: string) =>
  scripted(`echo ${name} > src/${name}.txt; echo "by ${name}" > list.txt; ${handoff}`, { owns: [`src/${name}.txt`] });
const files = { 'src/old.txt': 'old\n', 'list.txt': 'old.txt\n' };
const checks = [{ name: 'listed', run: 'test "$(ls src)" = "$(cat list.txt)"' }];
const plan = (command: string) => ({
  checks,
  generated: { 'list.txt': command },
  tasks: { one: adds('one'), two: adds('two') },
});
const go = (p: Project) => p.cli('run', 'plan.yaml', '--yes', '--land', '--json');
const events = async (p: Project): Promise<readonly RunEvent[]> =>
  (await p.events()).map(({ event }) => event as RunEvent);
const types = async (p: Project, ...wanted: string[]): Promise<readonly string[]> =>
  (await events(p)).map(({ type }) => type).filter((type) => wanted.includes(type));

const merged = async (p: Project): Promise<readonly string[]> =>
  (await events(p)).flatMap((event) => (event.type === 'merged' ? event.tasks.map(({ task }) => task) : []));

test('agents edit a generated file in vain: it is rebuilt on what they made together, checked, and landed', async () => {
  await using p = await project({
    files,
    plan: plan('ls src > list.txt; echo stray > src/old.txt; echo x > stray.txt'),
  });
  expect(await go(p)).toMatchObject({ code: 0 });
  expect(p.git('show', 'main:list.txt')).toBe('old.txt\none.txt\ntwo.txt');
  expect(p.git('log', '-3', '--format=%an %s', 'main')).toBe(
    'Ada Rebuild generated files\nAda Do what the script does.\nAda Do what the script does.',
  );
  expect(p.git('show', '--format=', '--name-only', 'main')).toBe('list.txt');
  expect(p.git('log', '-1', '--format=%(trailers:key=Tidegate-Run,valueonly)', 'main')).not.toBe('');
  expect(p.git('status', '--porcelain')).toBe('');
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
  expect(await p.cli('undo', '--yes', '--json')).toMatchObject({ code: 0 });
  expect(p.git('show', 'main:list.txt')).toBe('old.txt');
});

test('a generator that fails moves nothing and is told with its output; resume tries it once more', async () => {
  await using p = await project({ files, plan: plan('echo no such module; exit 7') });
  const told = await go(p);
  expect(told.code).not.toBe(0);
  const halted = (await events(p)).findLast((event) => event.type === 'run-halted');
  expect(halted?.type === 'run-halted' && explain(halted.because)).toMatchObject({
    detail: expect.stringMatching(/list\.txt.*: no such module; echo no such module; exit 7: exit 7$/),
    fix: expect.stringMatching(/tidegate rework \S+\/one -m /),
  });
  const log = await p.cli('logs', '--generated');
  expect(log.stdout.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^── generated files of wave 1: /),
    'no such module',
  ]);
  const round = ['round-opened', 'generator-ended', 'round-abandoned'];
  const once = [...round, ...round, 'run-halted'];
  expect(await types(p, ...once, 'merge-intended')).toEqual(once);
  await p.cli('resume', '--json');
  expect(await types(p, ...once, 'merge-intended')).toEqual([...once, ...once]);
  expect(p.git('log', '-1', '--format=%s', 'main')).toBe('the plan');
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
});

test.each([
  ['a check', 'test -f src/two.txt && echo wrong > list.txt || ls src > list.txt'],
  ['a command', 'test ! -f src/two.txt && ls src > list.txt'],
])('%s that fails with one task stops that one; the others are merged as they are', async (what, command) => {
  const tasks = Object.fromEntries(['one', 'two', 'three', 'four'].map((name) => [name, adds(name)]));
  await using p = await project({ files, plan: { ...plan(command), tasks } });
  expect((await go(p)).code).toBe(43);
  expect(await merged(p)).toEqual(what === 'a check' ? ['one', 'three', 'four'] : ['one']);
  const story = await events(p);
  expect(story.flatMap((event) => (event.type === 'culprit-found' ? [event.task] : []))).toEqual(
    what === 'a check' ? ['two'] : [],
  );
  const halted = story.findLast((event) => event.type === 'run-halted');
  expect((halted === undefined ? undefined : explain(halted.because).fix) ?? '').toMatch(
    what === 'a check' ? /^$/ : /tidegate drop \S+\/two /,
  );

  const { stdout } = await p.cli('why', ...(what === 'a check' ? ['two'] : []));
  expect(stdout).toMatch(what === 'a check' ? /tidegate logs \S+ --check listed/ : /tidegate logs \S+ --generated/);
  const wrong = await p.cli('logs', '--check', 'lint');
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/there is no check lint; the plan has listed\n$/),
  });
  const log = JSON.parse((await p.cli('logs', '--check', 'listed', '--json')).stdout);
  expect(log).toMatchObject({ check: { name: 'listed' }, text: '' });

  expect(await p.cli('drop', 'two', '--json')).toMatchObject({ code: 0 });
  expect((await p.cli('resume', '--land', '--json')).code).toBe(3);
  expect(await merged(p)).toEqual(['one', 'three', 'four']);
  expect(await types(p, 'attempt-intended')).toHaveLength(4);
  expect(p.git('show', 'main:list.txt')).toBe('four.txt\nold.txt\none.txt\nthree.txt');
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
});

test('a supervisor that dies while files are rebuilt costs nobody anything: they are rebuilt from a clean checkout', async () => {
  const place = mkdtempSync(join(tmpdir(), 'tg-generated-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  chmodSync(place, 0o777);
  const waits = `if mkdir ${place}/once; then echo half > list.txt; sleep 600; fi; ls src > list.txt`;
  await using p = await project({ files, plan: plan(waits), env: { TIDEGATE_FENCE_WRITE: `[${place}]` } });
  const running = ended(p.start(['run', 'plan.yaml', '--yes', '--land', '--json']));
  while (!existsSync(join(place, 'once'))) await nextLook(20);
  const jobs = p.state().jobs;
  const [job = ''] = readdirSync(jobs).filter((name) => name.includes('.generate.'));
  process.kill(JSON.parse(readFileSync(join(jobs, job, 'supervisor.json'), 'utf8')).pid, 'SIGKILL');
  expect(await running).toMatchObject({ code: 0 });
  expect(p.git('show', 'main:list.txt')).toBe('old.txt\none.txt\ntwo.txt');
  expect(await types(p, 'generator-ended', 'candidate-completed', 'merged')).toHaveLength(3);
});
