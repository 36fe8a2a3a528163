import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkHistory } from '../support/checker.ts';
import { gitFacts } from '../support/kill.ts';
import { answerEverything } from '../support/person.ts';
import { ended, handoff, project, scripted } from '../support/project.ts';

test('a second run on the same branch waits in line, and begins on what the first one landed', async () => {
  const first = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
  const second = scripted(`cat one.txt > two.txt; ${handoff}`, { owns: ['two.txt'] });
  await using p = await project({
    plan: { land: 'auto', tasks: { first } },
    files: { 'second.yaml': stringify({ land: 'auto', tasks: { second } }) },
  });
  expect((await p.cli('run', 'plan.yaml', '--json')).code).toBe(43);
  const queued = await p.cli('run', 'second.yaml', '-d', '--json');
  const runs = [...new Set((await p.events()).map(({ stream }) => stream))].filter((stream) => stream !== 'repo');
  expect([queued.code, runs.length]).toEqual([0, 2]);

  for (const run of runs) expect((await answerEverything(p, run)).code).toBe(0);

  expect(p.git('show', 'main:two.txt')).toBe('one');
}, 60_000);

test('in a pipe a run says what it waits in line for', async () => {
  const task = scripted(handoff, { owns: [] });
  await using p = await project({ plan: { tasks: { task } } });
  expect((await p.cli('run', 'plan.yaml', '--json')).code).toBe(43);
  const second = p.start(['run', 'plan.yaml', '--yes']);
  const said = await new Promise<string>((resolve) => {
    let text = '';
    second.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('waits in line')) resolve(text);
    });
  });
  expect(said).toMatch(/^waits in line behind plan-\w{4}: tidegate why plan-\w{4}$/m);
  second.kill('SIGTERM');
  await ended(second);
});

test('a run in line is approved early, given up or refused, each at once', async () => {
  const task = (name: string) => scripted(`echo ${name} > ${name}.txt; ${handoff}`, { owns: [`${name}.txt`] });
  const plan = (name: string) => stringify({ name, land: 'auto', tasks: { [name]: task(name) } });
  await using p = await project({
    plan: { name: 'first', land: 'auto', tasks: { first: task('first') } },
    files: { 'b.yaml': plan('b'), 'c.yaml': plan('c'), 'd.yaml': plan('d') },
  });
  expect((await p.cli('run', 'plan.yaml', '--json')).code).toBe(43);
  const runs: string[] = [];
  for (const file of ['b', 'c', 'd']) {
    const flags = file === 'b' ? ['--yes'] : [];
    const seen = await p.cli('run', `${file}.yaml`, '-d', '--json', ...flags);
    runs.push((JSON.parse(seen.stdout) as { run: string }).run);
  }
  const [b = '', c = '', d = ''] = runs;
  const dropped = await p.cli('drop', `${b}/b`);
  expect([dropped.code, dropped.stderr]).toEqual([
    1,
    expect.stringMatching(/refused: b-.* waits for first-.* on main/),
  ]);
  expect(await p.cli('stop', c)).toMatchObject({ code: 0, stdout: expect.stringContaining('Given up') });
  expect(await p.cli('approve', d)).toMatchObject({ code: 0, stdout: expect.stringContaining('waits in line behind') });
  expect((await p.cli('approve', d)).code).toBe(1);
  expect((await p.cli('resume', 'first', '--yes', '--json')).code).toBe(0);
  for (const run of [b, d]) expect((await p.cli('resume', run, '--json')).code).toBe(0);

  expect(p.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(expect.arrayContaining(['b.txt', 'd.txt']));
  expect(p.git('ls-tree', '--name-only', 'main')).not.toContain('c.txt');
  expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
}, 120_000);
