import { globSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { checkHistory } from '../support/checker.ts';
import { allEnded, gitFacts } from '../support/kill.ts';
import { ended, type Project, project, scripted } from '../support/project.ts';
import { armed } from '../support/sweep.ts';

/** A person selects what runs again. Everything else stays as it is, and no recorded report or result is made twice. */

const done = 'tidegate handoff done -m did';
const role = (word: string) => ({ command: ['/bin/sh', '-c', `tidegate verdict ${word}`] });
const good = scripted(`echo good > good.txt; ${done}`, { owns: ['good.txt'] });
/** Fails as long as no attempt before it has left its file. */
const flaky = scripted(`echo bad >> bad.txt; test $(wc -l < bad.txt) -gt 1 || exit 1; ${done}`, { owns: ['bad.txt'] });
const bad = scripted('exit 1', { owns: ['bad.txt'] });
const plan = (tasks: object, more: object = {}) => ({ land: 'auto', limits: { attempts: 1 }, tasks, ...more });

type Status = {
  readonly relaunch: readonly { readonly task: string; readonly rule: string; readonly reason: string }[];
};

async function ran(p: Project): Promise<{ readonly run: string; readonly exit: number }> {
  const { stdout, stderr } = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const last = stdout.trim().split('\n').at(-1) ?? stderr;
  return JSON.parse(last) as { run: string; exit: number };
}
const eventsOf = async <T extends LedgerEvent['type']>(p: Project, type: T) =>
  (await p.events()).flatMap(({ event }) => (event.type === type ? [event as LedgerEvent & { readonly type: T }] : []));
const launches = async (p: Project): Promise<readonly string[]> =>
  (await eventsOf(p, 'attempt-intended')).map(({ task }) => task);
const statusOf = async (p: Project, run: string): Promise<Status> =>
  JSON.parse((await p.cli('status', run, '--json')).stdout) as Status;
const mainHas = (p: Project, file: string): boolean =>
  p.git('ls-tree', '--name-only', 'main').split('\n').includes(file);

async function expectSound(p: Project): Promise<void> {
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
  expect((await p.cli('verify')).code).toBe(0);
}

test('a result is not reused when a person has written to its task since', async () => {
  const writes = (name: string) => scripted(`date +%N > ${name}.txt; ${done}`, { owns: [`${name}.txt`] });
  await using p = await project({
    plan: { land: 'ask', closure: { qa: role('concerns') }, tasks: { a: writes('a'), b: writes('b') } },
  });
  const { run } = await ran(p);
  expect((await p.cli('post', run, '--to', 'a', '-m', 'in green')).code).toBe(0);
  expect((await p.cli('retry', run, '--from', 'implementation')).code).toBe(0);
  await p.cli('resume', run, '--json');
  expect(await eventsOf(p, 'wave-relaunched')).toMatchObject([{ starts: [{ task: 'a' }], reuses: [{ task: 'b' }] }]);
  const prints = (await eventsOf(p, 'attempt-intended')).flatMap(({ fingerprint = [] }) => fingerprint);
  expect(prints.filter((print) => /^1:[0-9a-f]{64}$/.test(print))).toHaveLength(3);
  await expectSound(p);
}, 180_000);

describe('tasks that need one that starts again', { timeout: 180_000 }, () => {
  const shell = (script: string, more: object) => scripted(`${script}; ${done}`, more);
  const copies = shell('cp b.txt a.txt', { owns: ['a.txt'], needs: ['b'] });
  const shown = (p: Project, file: string): string => p.git('show', `main:${file}`);

  test('for a request start again from its new work', async () => {
    const asked =
      'if tidegate inbox | grep -q open; then echo b2 > b.txt; tidegate resolve 1 -m did; else echo b1 > b.txt; fi';
    const asks = 'test "$(cat a.txt)" = b2 || tidegate post request --to b -m "please b2"; echo c > c.txt';
    await using p = await project({
      plan: {
        land: 'auto',
        tasks: { b: shell(asked, { owns: ['b.txt'] }), a: copies, c: shell(asks, { owns: ['c.txt'], needs: ['a'] }) },
      },
    });
    expect((await ran(p)).exit).toBe(0);
    expect([shown(p, 'a.txt'), shown(p, 'b.txt')]).toEqual(['b2', 'b2']);
    expect(await launches(p)).toEqual(['b', 'a', 'c', 'b', 'a', 'c']);
    await expectSound(p);
  });

  test('for a person start again, and stay when its work is the same as before', async () => {
    const counts = 'test -e tries && cp tries b.txt || echo b1 > b.txt; echo b2 > tries';
    await using p = await project({
      plan: {
        ...{ land: 'ask', closure: { qa: role('concerns') } },
        tasks: { b: shell(counts, { owns: ['b.txt', 'tries'] }), a: copies },
      },
    });
    const { run } = await ran(p);
    expect((await p.cli('rework', `${run}/b`, '-m', 'another one')).code).toBe(0);
    await p.cli('resume', run, '--json');
    expect((await launches(p)).filter((task) => task !== 'wave-1-qa')).toEqual(['b', 'a', 'b', 'a']);
    // the third attempt of b changes nothing
    expect((await p.cli('rework', `${run}/b`, '-m', 'once more')).code).toBe(0);
    await p.cli('resume', run, '--json');
    expect((await launches(p)).filter((task) => task !== 'wave-1-qa')).toEqual(['b', 'a', 'b', 'a', 'b']);
    expect((await p.cli('resolve', `${run}/wave-1-qa`, '-m', 'good enough')).code).toBe(0);
    expect(await p.cli('land', run)).toMatchObject({ code: 0 });
    expect([shown(p, 'a.txt'), shown(p, 'b.txt')]).toEqual(['b2', 'b2']);
    await expectSound(p);
  });
});

describe('tasks that a person selects', { timeout: 180_000 }, () => {
  test('start again alone with --only; one command selects several, and its effect is one event', async () => {
    await using p = await project({
      plan: plan({ good, bad, worse: scripted('exit 1', { owns: ['w.txt'] }) }, { partial: 'hold' }),
    });
    const { run, exit } = await ran(p);
    expect([exit, await launches(p)]).toEqual([43, ['good', 'bad', 'worse']]);
    expect((await statusOf(p, run)).relaunch).toEqual([]);
    for (const list of ['bad,,worse', '', 'bad, '])
      expect((await p.cli('retry', run, '--only', list)).stderr).toContain('a name is empty');
    expect((await p.cli('land', run, '--except', 'bad,')).stderr).toContain('a name is empty');
    expect((await p.cli('retry', run, '--only', 'bad', '--only', 'worse')).code).toBe(0);
    await p.cli('resume', run, '--json');
    expect((await launches(p)).slice(3).toSorted()).toEqual(['bad', 'worse']);
    const relaunched = await eventsOf(p, 'wave-relaunched');
    expect(relaunched).toMatchObject([
      { only: ['bad', 'worse'], starts: [{ task: 'bad' }, { task: 'worse' }], reuses: [], roles: [] },
    ]);
    await expectSound(p);
  });

  test('from implementation on, an unchanged result is reused by its fingerprint, judged again and landed', async () => {
    const bare = plan({ good, bad }, { partial: 'hold', land: 'auto' });
    await using p = await project({ plan: bare });
    const { run } = await ran(p);
    expect((await p.cli('retry', run, '--from', 'implementation')).code).toBe(0);
    await p.cli('resume', run, '--json');
    expect(await launches(p)).toEqual(['good', 'bad', 'bad']);
    const [relaunched] = await eventsOf(p, 'wave-relaunched');
    const [first] = await eventsOf(p, 'attempt-intended');
    const [reuse] = relaunched?.reuses ?? [];
    expect([reuse?.task, reuse?.was, reuse?.is]).toEqual(['good', first?.fingerprint, first?.fingerprint]);
    const judged = (await eventsOf(p, 'phase-judged')).filter((one) => one.phase === 'monitor' && one.task === 'good');
    expect(judged.length).toBe(2);
    expect((await p.cli('drop', `${run}/bad`)).code).toBe(0);
    await p.cli('resume', run, '--json');
    expect(mainHas(p, 'good.txt')).toBe(true);
    await expectSound(p);
  });

  test('--clear makes a result again', async () => {
    await using p = await project({ plan: plan({ good, bad }, { partial: 'hold' }) });
    const { run } = await ran(p);
    expect((await p.cli('retry', run, '--from', 'implementation', '--clear', 'good')).code).toBe(0);
    await p.cli('resume', run, '--json');
    expect((await launches(p)).slice(2).toSorted()).toEqual(['bad', 'good']);
    expect(await eventsOf(p, 'wave-relaunched')).toMatchObject([{ clear: ['good'], reuses: [] }]);
    await expectSound(p);
  });
});

test('what starts next is shown with its reason while a task runs', { timeout: 120_000 }, async () => {
  const wait = scripted('until test -e go; do sleep 0.02; done', { owns: ['first.txt'] });
  await using p = await project({
    plan: plan({ first: wait, second: good }, { limits: { attempts: 1, parallel: 1 } }),
  });
  const following = p.start(['run', 'plan.yaml', '--yes', '--json']);
  while (globSync(join(p.root, 'state/*')).length === 0) await nextLook(20);
  while ((await eventsOf(p, 'attempt-started')).length === 0) await nextLook(20);
  const [{ stream: run } = { stream: '' }] = (await p.events()).filter(({ event }) => event.type === 'run-created');
  const next = [{ task: 'second', rule: 'next-first', reason: 'it has not started yet' }];
  expect((await statusOf(p, run)).relaunch).toEqual(next);
  expect(JSON.parse((await p.cli('why', '--all', run, '--json')).stdout)).toMatchObject({ relaunch: next });
  expect((await p.cli('why', '--all', run)).stdout).toContain('next to start:\n     second: it has not started yet');
  await p.cli('stop', run);
  await ended(following);
});

describe('closure roles that a person selects', { timeout: 180_000 }, () => {
  const closure = { eval: role('satisfied'), security: role('clear'), qa: role('concerns') };

  test('run again with those after them; reports before them are kept', async () => {
    await using p = await project({ plan: plan({ good }, { closure }) });
    const { run, exit } = await ran(p);
    const before = ['good', 'wave-1-eval', 'wave-1-security', 'wave-1-qa'];
    expect([exit, await launches(p)]).toEqual([42, before]);
    expect((await p.cli('retry', run, '--from', 'security')).code).toBe(0);
    expect((await p.cli('resume', run, '--json')).code).toBe(42);
    expect(await launches(p)).toEqual([...before, 'wave-1-security', 'wave-1-qa']);
    expect((await p.cli('retry', run, '--only', 'wave-1-qa')).code).toBe(0);
    expect((await p.cli('resume', run, '--json')).code).toBe(42);
    expect((await launches(p)).slice(6)).toEqual(['wave-1-qa']);
    expect((await p.cli('resolve', `${run}/wave-1-qa`, '-m', 'seen it')).code).toBe(0);
    expect((await p.cli('resume', run, '--json')).code).toBe(0);
    expect(mainHas(p, 'good.txt')).toBe(true);
    await expectSound(p);
  });

  test('a name that the run or the wave does not have is refused with one message, and nothing changes', async () => {
    await using p = await project({ plan: plan({ good }, { closure }) });
    const { run } = await ran(p);
    const before = (await p.events()).length;
    const unknown = await p.cli('retry', run, '--only', 'good,nobody');
    expect([unknown.code, unknown.stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(unknown.stderr).toContain(`${run} has no task "nobody"; its tasks are good, wave-1-eval`);
    const phase = await p.cli('retry', run, '--from', 'lunch');
    expect([phase.code, phase.stderr]).toEqual([2, expect.stringContaining('implementation, eval, security')]);
    expect((await p.events()).length).toBe(before);
    const lacking = await p.cli('retry', run, '--from', 'docs');
    expect([lacking.code, lacking.stderr]).toEqual([1, expect.stringContaining('no closure role docs; it has eval')]);
    expect((await eventsOf(p, 'wave-relaunched')).length).toBe(0);
    expect(await launches(p)).toEqual(['good', 'wave-1-eval', 'wave-1-security', 'wave-1-qa']);
    const agent = await ended(p.start(['retry', run, '--from', 'qa'], { CLAUDECODE: '1' }));
    expect([agent.code, (await eventsOf(p, 'wave-relaunched')).length]).toEqual([43, 0]);
  });
});

describe('a component that waits for a sibling', { timeout: 180_000 }, () => {
  const matrix = '{ "components": { "api": { "currentLevel": "contract-frozen" } } }\n';
  const promotes = { promotes: { api: 'repo-landed' } };

  test('lets the failed owner continue at no cost once nothing else is open', async () => {
    // one at a time: the owner fails before its sibling begins
    const tasks = { late: { ...flaky, ...promotes }, good: { ...good, ...promotes } };
    await using p = await project({
      files: { 'matrix.json': matrix },
      plan: plan(tasks, { matrix: 'matrix.json', limits: { attempts: 1, parallel: 1 } }),
    });
    const { exit } = await ran(p);
    expect([exit, await launches(p)]).toEqual([0, ['late', 'good', 'late']]);
    expect(await eventsOf(p, 'task-continued')).toMatchObject([
      { task: 'late', settled: 'good', components: ['api'], charged: 0 },
    ]);
    expect(p.git('show', 'main:matrix.json')).toContain('repo-landed');
    await expectSound(p);
  });

  test('needs a person when the continued owner fails again', async () => {
    const tasks = { late: { ...bad, ...promotes }, good: { ...good, ...promotes } };
    await using p = await project({
      files: { 'matrix.json': matrix },
      plan: plan(tasks, { matrix: 'matrix.json', limits: { attempts: 1, parallel: 1 } }),
    });
    const { run, exit } = await ran(p);
    expect([exit, await launches(p)]).toEqual([43, ['late', 'good', 'late']]);
    expect((await statusOf(p, run)).relaunch).toEqual([]);
    expect((await p.cli('resume', run, '--json')).code).toBe(43);
    expect((await launches(p)).length).toBe(3);
  });
});

describe.concurrent('killed while a selection is applied,', () => {
  const closure = { security: role('clear'), qa: role('concerns') };
  const points = ['ledger-before-commit', 'ledger-after-commit', 'ledger-after-head', 'coordinator-epoch-taken'];
  test.each(points)(
    'at %s, it is neither lost nor repeated, and no report is made twice',
    {
      timeout: 300_000,
    },
    async (point) => {
      const reached: number[] = [];
      for (const hit of [1, 2, 3]) {
        await using p = await project({ plan: plan({ good }, { closure }) });
        const { run } = await ran(p);
        const fire = armed(p.root, point, hit);
        const said = await ended(p.start(['retry', run, '--from', 'qa', '--json'], fire.env));
        await allEnded(p, ['cli', 'merger']);
        if (!fire.wasReached()) break;
        reached.push(hit);
        const asked = (await eventsOf(p, 'requested-relaunch')).length;
        if (said.code === 0) expect((await eventsOf(p, 'wave-relaunched')).length).toBe(1);
        expect((await p.cli('resume', run, '--json')).code).toBe(42);
        expect((await eventsOf(p, 'wave-relaunched')).length).toBe(asked);
        const again = asked === 0 ? [] : ['wave-1-qa'];
        expect(await launches(p)).toEqual(['good', 'wave-1-security', 'wave-1-qa', ...again]);
        expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
      }
      expect(reached.length).toBeGreaterThan(0);
    },
  );
});
