import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkHistory } from '../support/checker.ts';
import { gitFacts } from '../support/kill.ts';
import { type Ended, ended, handoff, type Project, project, scripted } from '../support/project.ts';

type Document = {
  readonly exit: number;
  readonly reason: string;
  readonly run: string;
  readonly planFiles?: { readonly differences: readonly string[]; readonly command?: string; readonly hash: string };
};
const documentOf = ({ stdout }: Ended) => JSON.parse(stdout) as Document;

const good = (id: string) => scripted(`echo ${id} > ${id}.txt; ${handoff}`, { owns: [`${id}.txt`] });
const bad = scripted('echo half > half.txt; exit 1', { owns: ['half.txt', 'b.txt'] });
const base = { land: 'auto', limits: { attempts: 1 } };
const rewrite = (p: Project, plan: object): void => p.write('plan.yaml', stringify(plan));

/** Task a is merged, task b failed. */
async function halfDone(more: object = {}): Promise<{ p: Project; run: string } & AsyncDisposable> {
  const p = await project({ plan: { ...base, ...more, tasks: { a: good('a'), b: bad } } });
  const seen = documentOf(await p.cli('run', 'plan.yaml', '--yes', '--json'));
  expect(seen).toMatchObject({ exit: 43, reason: 'failed' });
  return { p, run: seen.run, [Symbol.asyncDispose]: () => p[Symbol.asyncDispose]() };
}

const typesOf = async (p: Project) => (await p.events()).map(({ event }) => event.type);
const attempts = async (p: Project) =>
  (await p.events()).flatMap(({ event }) =>
    event.type === 'attempt-intended' ? [event.attempt.split('.').slice(1).join()] : [],
  );

describe('resume', () => {
  test('says what differs in the files, and goes on with the plan that was approved', async () => {
    await using scene = await halfDone();
    const { p, run } = scene;
    const before = await p.cli('resume', run, '--json');
    expect([documentOf(before).planFiles, before.stderr]).toEqual([undefined, '']);

    rewrite(p, { ...base, tasks: { a: good('a'), b: good('b'), c: good('c') } });
    const after = await p.cli('resume', run, '--json');
    expect(documentOf(after)).toMatchObject({
      exit: 43,
      planFiles: { differences: ['b: command, owns', 'c is new'], command: `tidegate resume ${run} --replan` },
    });
    expect(after.stderr).toContain(
      `plan.yaml or the configuration has changed (b: command, owns; c is new); the run keeps its plan`,
    );

    p.write('plan.yaml', 'tasks: {}\nnonsense: 1\n');
    expect((await p.cli('resume', run)).stderr).toContain('plan.yaml has a mistake now');
    unlinkSync(join(p.checkout, 'plan.yaml'));
    expect((await p.cli('resume', run)).stderr).toContain('plan.yaml does not exist');
    expect(await typesOf(p)).not.toContain('plan-replaced');
  }, 60_000);

  test('takes neither another branch checked out, nor flags, nor another directory for a difference', async () => {
    await using p = await project({ plan: { tasks: { a: good('a') } }, files: { 'sub/x': '' } });
    const ordered = await p.cli('run', 'plan.yaml', '-d', '--land', '--json');
    const { run } = documentOf(ordered);
    p.git('checkout', '-q', '-b', 'elsewhere');
    const seen = await p.cli('-C', join(p.checkout, 'sub'), 'resume', run, '--json');
    expect([documentOf(seen).planFiles, documentOf(seen).reason]).toEqual([undefined, 'approve']);
  }, 60_000);
});

describe('resume --replan', () => {
  test('runs what is new under a new approval, keeps what is merged, and lands both', async () => {
    await using scene = await halfDone({ checks: [{ name: 'test', run: 'true' }] });
    const { p, run } = scene;
    const next = { a: { ...good('a'), do: 'Say something else.' }, b: good('b'), c: good('c') };
    rewrite(p, { ...base, checks: [{ name: 'test', run: 'test -f a.txt' }], tasks: next });

    const asked = await p.cli('resume', run, '--replan', '--json');
    expect([asked.code, documentOf(asked).reason]).toEqual([43, 'approve']);
    expect(asked.stderr).toContain('a: merged already, so the change has no effect');
    expect(await attempts(p)).toEqual(['a,1', 'b,1']);

    const landed = await p.cli('resume', run, '--replan', '--yes', '--json');
    expect(landed.stderr).toContain('nothing changed in plan.yaml');
    expect([landed.code, documentOf(landed).reason]).toEqual([0, 'landed']);
    expect(await attempts(p)).toEqual(['a,1', 'b,1', 'b,2', 'c,1']);
    expect(['a', 'b', 'c'].map((id) => p.git('show', `main:${id}.txt`))).toEqual(['a', 'b', 'c']);
    expect(p.git('log', '--format=%s', 'main').split('\n').length).toBe(5);

    expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
    expect((await p.cli('verify', '--json')).code).toBe(0);
    expect((await p.cli('replay', run, '--json')).code).toBe(0);
  }, 120_000);

  test('F24: does not run a ready task again that did not change, and judges its work under the new plan', async () => {
    const held = { ...base, partial: 'hold' };
    const tasks = { a: good('a'), b: bad, c: good('c') };
    await using p = await project({ plan: { ...held, tasks } });
    const { run, exit } = documentOf(await p.cli('run', 'plan.yaml', '--yes', '--json'));
    expect([exit, await attempts(p)]).toEqual([43, ['a,1', 'b,1', 'c,1']]);
    // what c made belongs to b now
    const next = {
      ...tasks,
      b: { ...good('b'), owns: ['b.txt', 'd.txt'] },
      c: { ...good('c'), owns: ['c.txt', 'e.txt'] },
    };
    rewrite(p, { ...held, checks: [{ name: 'test', run: 'test -f readme.md' }], tasks: next });
    const landed = await p.cli('resume', run, '--replan', '--yes', '--json');
    expect(landed.stderr).toContain('unchanged tasks keep their work: a');
    expect([landed.code, documentOf(landed).reason]).toEqual([0, 'landed']);
    expect((await attempts(p)).toSorted()).toEqual(['a,1', 'b,1', 'b,2', 'c,1', 'c,2']);
    expect(['a', 'b', 'c'].map((id) => p.git('show', `main:${id}.txt`))).toEqual(['a', 'b', 'c']);
    const judged = (await p.events()).filter(
      ({ event }) => event.type === 'phase-judged' && event.phase === 'monitor' && event.task === 'a',
    );
    expect(judged).toHaveLength(2);
    expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
    expect((await p.cli('verify', '--json')).code).toBe(0);
    expect((await p.cli('replay', run, '--json')).code).toBe(0);
  }, 120_000);

  test('gives up by name what the new plan leaves out, and its work stays reachable', async () => {
    await using scene = await halfDone();
    const { p, run } = scene;
    rewrite(p, { ...base, tasks: { a: good('a') } });
    const landed = await p.cli('resume', run, '--replan', '--yes', '--json');
    expect([landed.code, documentOf(landed).reason]).toEqual([0, 'landed']);
    const dropped = (await p.events()).flatMap(({ event }) => (event.type === 'task-dropped' ? [event.task] : []));
    expect(dropped).toEqual(['b']);
    expect((await p.cli('rescue', `${run}/b`)).stdout).toContain(`${run}.b.1`);
    expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
  }, 120_000);

  test('changes nothing for a plan with mistakes, one that takes back what is merged, or a run that has ended', async () => {
    await using scene = await halfDone();
    const { p, run } = scene;
    const ofRun = async () => (await p.events()).filter(({ stream }) => stream === run).length;
    const length = await ofRun();
    p.write('plan.yaml', 'tasks:\n  b: {do: x, owns: [/abs], needs: [nobody]}\n');
    const mistaken = await p.cli('resume', run, '--replan', '--json');
    expect([mistaken.code, documentOf(mistaken).reason]).toEqual([2, 'plan-invalid']);
    rewrite(p, { ...base, tasks: { b: good('b') } });
    const taken = await p.cli('resume', run, '--replan');
    expect([taken.code, taken.stderr]).toEqual([
      2,
      'tidegate: a is merged, so the plan must keep it in wave 1\nnothing was started\n',
    ]);
    rewrite(p, { ...base, tasks: { a: good('a'), b: { ...good('b'), owns: ['a.txt'] } } });
    expect((await p.cli('resume', run, '--replan')).code).toBe(2);
    const byAgent = await ended(p.start(['resume', run, '--replan', '--json'], { CLAUDECODE: '1' }));
    expect([byAgent.code, documentOf(byAgent).reason]).toEqual([43, 'caller-is-agent']);
    expect(await ofRun()).toBe(length);

    expect((await p.cli('drop', `${run}/b`)).code).toBe(0);
    await p.cli('resume', run, '--json');
    const late = await p.cli('resume', run, '--replan', '--json');
    expect([late.code, documentOf(late).reason]).toEqual([1, 'ended']);
  }, 120_000);

  test('waits for agents that are being stopped, and is refused while others work', async () => {
    const slow = scripted('sleep 600', { owns: ['a.txt'] });
    await using p = await project({ plan: { ...base, tasks: { a: slow } } });
    const { run } = documentOf(await p.cli('run', 'plan.yaml', '-d', '--yes', '--json'));
    while (!(await typesOf(p)).includes('attempt-started')) await p.cli('status', '--json');
    rewrite(p, { ...base, tasks: { a: good('a') } });
    const refused = await p.cli('resume', run, '--replan');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `tidegate: refused: a is running; first: tidegate stop ${run}\n`,
    ]);
    expect((await p.cli('stop', run)).code).toBe(0);
    expect((await p.cli('resume', run, '--replan', '--yes', '--json')).code).toBe(0);
    expect(p.git('show', 'main:a.txt')).toBe('a');
    expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
  }, 120_000);
});
