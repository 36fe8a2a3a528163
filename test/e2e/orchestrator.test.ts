import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { recordsOf } from '../../src/domain/board/board.ts';
import { foldRun } from '../../src/domain/run/run.ts';
import { checkHistory } from '../support/checker.ts';
import { gitFacts } from '../support/kill.ts';
import { processesWith } from '../support/processes.ts';
import { ended, handoff, type Project, project, scripted } from '../support/project.ts';
import { untilEvent } from '../support/until-event.ts';

const stateOf = async (here: Project) => {
  const events = await here.events();
  const run = events.find(({ stream }) => stream !== 'repo')?.stream;
  const state = foldRun(events.filter(({ stream }) => stream === run));
  if (state === null) throw new Error('no run');
  return state;
};
const typesIn = async (here: Project) => (await here.events()).map(({ event }) => event.type);
const sound = async (here: Project) => expect(checkHistory(await here.events(), { git: gitFacts(here) })).toEqual([]);
const hears = (text: string): string => `until tidegate inbox | grep -q '${text}'; do sleep 0.1; done`;
const guide = (script: string) => ({ command: ['/bin/sh', '-c', script] });
const writes = (file: string, before = 'true') =>
  scripted(`${before}; echo ${file} > ${file}; ${handoff}`, { owns: [file] });
/** Holds a task until the orchestrator has started. */
const untilGuided = hears('orchestrator-guidance');
const post = (text: string, to = 'all') => `tidegate post orchestrator-guidance --to ${to} -m '${text}'`;

test('guidance reaches running tasks as advice, and they follow it', async () => {
  const orchestrator = guide(
    `ls -A; ls ${'/'}repo 2>&1; ${hears('which unit')}; ${post('metres, as a writes', 'b')}; ${post('sorted', 'capability:sql')}; ${post('lost', 'capability:none')}; ${post('lost', 'nobody')}; ${post('lost', 'person')}; exec sleep 611.1`,
  );
  const a = scripted(`tidegate post -m 'which unit?'; echo a > a.txt; ${handoff}`, { owns: ['a.txt'] });
  const reads = `${hears('metres, as a writes')}; tidegate inbox | grep -q 'advice of the orchestrator' || exit 9; tidegate inbox | grep -q sorted && exit 8`;
  const b = scripted(`${reads}; echo metres > b.txt; ${handoff}`, { owns: ['b.txt'] });
  const c = { ...writes('c.txt', hears('sorted')), capabilities: ['sql'] };
  await using here = await project({ plan: { orchestrator, tasks: { a, b, c } } });
  const plan = await here.cli('run', 'plan.yaml', '--dry-run');
  expect(plan.stdout).toContain('may post guidance while tasks run; at most 240 minutes');
  expect(await here.cli('run', 'plan.yaml', '--yes', '--land')).toMatchObject({ code: 0 });
  const state = await stateOf(here);
  expect(state.orchestrator).toMatchObject({ launches: 1, live: null, last: { ending: { reason: 'stopped' } } });
  expect(recordsOf(state)).toMatchObject([
    { kind: 'note' },
    { kind: 'orchestrator-guidance', status: 'closed', target: 'b', from: { task: 'orchestrator' } },
    { kind: 'orchestrator-guidance', status: 'closed', target: 'all', tasks: ['c'] },
  ]);
  expect(processesWith('sleep\x311.1')).toEqual([]);
  // nothing of the repository was in its folder, and nothing of it is left
  const log = await here.cli('logs', 'orchestrator');
  expect(log.stdout).toMatch(/^ls: .*No such file.*\nposted for b\nposted for capability:sql\n/);
  expect(log.stdout.match(/guidance is for a task of this run/g)).toHaveLength(3);
  expect((await here.cli('logs')).stdout).toContain('── orchestrator, attempt 1');
  const folders = globSync(join(here.state().jobs, '*.orchestrator.1/workspace*'));
  expect(folders).toEqual([]);
  expect(here.git('for-each-ref', '--format=%(refname)')).not.toContain('orchestrator');
  const shown = await here.cli('show', 'orchestrator');
  expect((await here.cli('show', `${state.run}/a`)).stdout).not.toContain('orchestrator: command');
  expect(shown.stdout).toContain('orchestrator: command has ended: the run had nothing more to do');
  expect(shown.stdout).toContain('orchestrator: posts guidance to b: metres, as a writes');
  expect((await here.cli('board')).stdout).toContain('orchestrator → c');
  const { orchestrator: document } = JSON.parse((await here.cli('status', state.run, '--json')).stdout);
  expect(document).toMatchObject({ agent: 'command', status: 'ended', launches: 1, minutes: { limit: 240 } });
  expect((await here.cli('costs')).stdout).toMatch(/^orchestrator /m);
  await sound(here);
});

test.each([
  ['crashes at once', guide('exit 7'), 'exited'],
  ['cannot start', { command: ['no-such-program-here'] }, 'launch-failed'],
])('an orchestrator that %s changes nothing', async (_, orchestrator, reason) => {
  await using here = await project({ plan: { orchestrator, tasks: { a: writes('a.txt'), b: writes('b.txt') } } });
  const ran = await here.cli('run', 'plan.yaml', '--yes', '--land', '--json');
  expect(ran.code).toBe(0);
  const state = await stateOf(here);
  expect([state.ended, state.orchestrator?.launches, state.orchestrator?.last?.ending.reason]).toEqual([
    'landed',
    1,
    reason,
  ]);
  const { run } = JSON.parse(ran.stdout) as { run: string };
  expect((await here.cli('status', run)).stdout).toMatch(/orchestrator: command has ended: (exit 7|launch-failed)/);
  await sound(here);
});

test('one that ignores every signal ends with a run that waits for a person, and with its exit code', async () => {
  const orchestrator = guide(`trap '' TERM INT HUP; ${post('hello')}; while :; do sleep 612.2; done`);
  const a = scripted(`${untilGuided}; echo a > a.txt; tidegate handoff failed -m 'no'`, { owns: ['a.txt'] });
  await using here = await project({ plan: { orchestrator, limits: { attempts: 1 }, tasks: { a } } });
  expect(await here.cli('run', 'plan.yaml', '--yes')).toMatchObject({ code: 43 });
  const state = await stateOf(here);
  expect(state.orchestrator).toMatchObject({ live: null, last: { ending: { reason: 'stopped' } } });
  expect(processesWith('sleep\x312.2')).toEqual([]);
  // it starts again when the run has something to do
  expect(await here.cli('retry', `${state.run}/a`)).toMatchObject({ code: 0 });
  expect(await here.cli('resume')).toMatchObject({ code: 43 });
  expect((await stateOf(here)).orchestrator).toMatchObject({ launches: 2, live: null });
  expect(processesWith('sleep\x312.2')).toEqual([]);
  await sound(here);
});

test('it can do nothing but post guidance, and every other try is refused and recorded', async () => {
  const tries = [
    'handoff done -m x',
    'verdict pass -m x',
    `resolve 1 -m 'settled'`,
    `dismiss 1 -m 'not needed'`,
    `post request --to a -m 'do more'`,
    `post decision --ref a.txt -m 'metres'`,
    'post -m note',
    `ask -m 'may I?'`,
    'ask --scope a.txt -m why',
    'approve x',
  ].map((words) => `tidegate ${words} && echo TAKEN; :`);
  const guidance = `${post('critical', 'a')} --severity critical --ref a.txt --ref record:1 --depends-on 1`;
  const orchestrator = guide(`${hears('which unit')}; ${tries.join('; ')}; ${guidance}; exec sleep 613`);
  const a = scripted(
    `tidegate post question --to b -m 'which unit?' --ref a.txt; ${untilGuided}; echo a > a.txt; ${handoff}`,
    { owns: ['a.txt'] },
  );
  const b = writes('b.txt', untilGuided.replace('orchestrator-guidance', 'which unit'));
  await using here = await project({ plan: { orchestrator, tasks: { a, b } } });
  // the question of a is for b, which never answers: it blocks as if there were no guidance
  expect(await here.cli('run', 'plan.yaml', '--yes')).toMatchObject({ code: 43 });
  const state = await stateOf(here);
  expect(recordsOf(state).map(({ kind, status }) => [kind, status])).toEqual([
    ['question', 'open'],
    ['orchestrator-guidance', 'closed'],
  ]);
  const noted = (await here.events()).flatMap(({ event }) =>
    event.type === 'orchestrator-noted' && event.note.note === 'denied' ? [event.note.tool] : [],
  );
  expect(noted).toEqual([
    'tidegate handoff',
    'tidegate handoff',
    'tidegate record',
    'tidegate record',
    'tidegate post',
    'tidegate post',
    'tidegate post',
    'tidegate post',
    'tidegate ask --scope',
  ]);
  const end = (await here.events()).find(({ event }) => event.type === 'orchestrator-ended')?.event;
  expect(end).toMatchObject({ refusals: ['approve x'] });
  const log = (await here.cli('logs', `${state.run}/orchestrator`)).stdout;
  expect(log).not.toContain('TAKEN');
  expect(
    log.match(/the orchestrator can post orchestrator-guidance, read the board, and do nothing else/g),
  ).toHaveLength(9);
  expect(await here.cli('answer', `${state.run}/1`, '-m', 'metres')).toMatchObject({ code: 0 });
  expect(await here.cli('resume')).toMatchObject({ code: 43 });
  expect(await here.cli('land')).toMatchObject({ code: 0 });
  for (const command of [
    ['send', `${state.run}/orchestrator`, 'x'],
    ['drop', `${state.run}/orchestrator`],
    ['raise', `${state.run}/orchestrator`, '--usd', '1'],
  ])
    expect(await here.cli(...command)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a task') });
  await sound(here);
});

test('one that floods the board is cut off, and the run continues', async () => {
  const flood = `i=0; while [ $i -lt 70 ]; do i=$((i+1)); ${post('again $i').replaceAll("'", '"')} || echo CUT; done; tidegate handoff done -m x; ${post('never')} || :; exec sleep 614`;
  const orchestrator = guide(flood);
  const a = writes('a.txt', hears('again 50'));
  await using here = await project({ plan: { orchestrator, tasks: { a } } });
  expect(await here.cli('run', 'plan.yaml', '--yes', '--land')).toMatchObject({ code: 0 });
  const records = recordsOf(await stateOf(here));
  expect(records.length).toBe(50);
  await sound(here);
});

test('it outlives a killed coordinator, is adopted, and ends with the run', async () => {
  const orchestrator = guide(`${post('first')}; ${hears('killed')}; ${post('second')}; exec sleep 615.5`);
  const a = writes('a.txt', `${untilGuided}; ${hears('second')}`);
  await using here = await project({ plan: { orchestrator, tasks: { a } } });
  const first = here.start(['run', 'plan.yaml', '--yes', '--land']);
  await found(() => globSync(join(here.root, 'state/*/jobs/*.orchestrator.1/notes.jsonl'))[0]);
  await untilEvent(here, ({ type }) => type === 'orchestrator-noted');
  first.kill('SIGKILL');
  await ended(first);
  const { run } = await stateOf(here);
  expect(await here.cli('post', run, '-m', 'killed')).toMatchObject({ code: 0 });
  expect(await here.cli('resume')).toMatchObject({ code: 0 });
  const state = await stateOf(here);
  expect([state.ended, state.orchestrator?.launches]).toEqual(['landed', 1]);
  expect((await typesIn(here)).filter((type) => type === 'orchestrator-intended')).toHaveLength(1);
  expect(recordsOf(state).map(({ text }) => text)).toEqual(['first', 'killed', 'second']);
  expect(processesWith('sleep\x315.5')).toEqual([]);
  await sound(here);
});

test.each(['stop', 'abandon'] as const)('tidegate %s ends it', async (command) => {
  const orchestrator = guide(`${post('hello')}; exec sleep 616.6`);
  const a = writes('a.txt', 'exec sleep 617');
  await using here = await project({ plan: { orchestrator, tasks: { a } } });
  await here.cli('run', 'plan.yaml', '--yes', '-d');
  await untilEvent(here, ({ type }) => type === 'orchestrator-noted');
  const { run } = await stateOf(here);
  const { code, stderr } = await here.cli(command, run);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await untilEvent(here, ({ type }) => type === 'orchestrator-ended');
  const state = await stateOf(here);
  expect([state.orchestrator?.live, processesWith('sleep\x316.6')]).toEqual([null, []]);
  expect(state.ended).toBe(command === 'abandon' ? 'abandoned' : null);
  expect(existsSync(join(here.checkout, 'a.txt'))).toBe(false);
  await sound(here);
});

test.each([
  ['a relative program', { orchestrator: { command: ['./guide.sh'] } }, 'it sees no file of the repository'],
  [
    'more money than the run',
    { orchestrator: { agent: 'claude', limits: { usd: 60 } } },
    'may spend $60, but the whole run only $50',
  ],
  [
    'a task of its name',
    { orchestrator: 'claude', tasks: { orchestrator: 'Do it in src/a.ts' } },
    'is the name of the orchestrator',
  ],
  ['an unknown agent', { orchestrator: 'nobody' }, 'nobody'],
])('a plan with %s is refused in one sentence', async (_, keys, sentence) => {
  await using here = await project({ plan: { tasks: { a: writes('a.txt') }, ...keys } });
  const lint = await here.cli('lint', 'plan.yaml');
  expect([lint.code, lint.stdout + lint.stderr]).toEqual([2, expect.stringContaining(sentence)]);
});

async function found<T>(look: () => T | undefined): Promise<T> {
  for (let seen = look(); ; seen = look()) {
    if (seen !== undefined) return seen;
    await nextLook(20);
  }
}
