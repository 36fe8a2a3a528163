import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkHistory } from '../support/checker.ts';
import { listenTo } from '../support/gate.ts';
import { gitFacts } from '../support/kill.ts';
import { handoff, project, scripted } from '../support/project.ts';

type Item = { readonly kind: string; readonly record: string; readonly safe: string; readonly command: string };

test('F11: a question outlives its run: it stays in the inbox, and can still be answered', async () => {
  const asks = scripted(`tidegate ask -m 'which table?'; echo a > a.txt; ${handoff}`, { owns: ['a.txt'] });
  await using here = await project({ plan: { tasks: { one: asks } } });
  const ran = await here.cli('run', 'plan.yaml', '--yes', '--land');
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain('which table?');
  const { items } = JSON.parse((await here.cli('inbox', '--json')).stdout) as { items: readonly Item[] };
  expect(items).toMatchObject([{ kind: 'question', record: '1', safe: expect.stringContaining('the run has ended') }]);
  expect((await here.cli('status')).stdout).toContain('which table?');
  expect((await here.cli('why')).stdout).toContain('ended');
  const answered = await here.cli('answer', '1', '-m', 'the second');
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('The run has ended') });
  expect((await here.cli('inbox')).stdout).toContain('Nothing is waiting for you.');
  expect((await here.cli('board')).stdout).toContain('answers: the second');
  expect(checkHistory(await here.events(), { git: gitFacts(here) })).toEqual([]);
});

test('F11: a critical question holds the landing until a person answers it', async () => {
  const asks = scripted(
    `tidegate ask -m 'drop the column?' --severity critical; tidegate ask -m x --severity dire && exit 9; echo a > a.txt; ${handoff}`,
    { owns: ['a.txt'] },
  );
  await using here = await project({ plan: { tasks: { one: asks } } });
  const ran = await here.cli('run', 'plan.yaml', '--yes', '--land', '--json');
  expect(ran.code).toBe(43);
  const document = JSON.parse(ran.stdout) as { run: string; reason: string; needs: readonly Item[] };
  const command = `tidegate answer ${document.run}/1 -m "your answer"`;
  expect(document).toMatchObject({ reason: 'question', needs: [{ kind: 'question', record: '1', command }] });
  const held = 'question 1 is open: nothing lands on main until it is answered';
  for (const look of ['status', 'why', 'inbox'])
    expect((await here.cli(look)).stdout.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`${held}.*${command}`));
  const landed = await here.cli('land');
  expect(landed).toMatchObject({ code: 1, stderr: expect.stringContaining(held) });
  expect(here.git('log', '--format=%s', 'main')).not.toContain('one');
  expect(await here.cli('answer', '1', '-m', 'no')).toMatchObject({ code: 0 });
  // what --land approved lands by itself, once nothing holds it
  expect((await here.cli('watch', document.run, '--json')).code).toBe(0);
  expect(here.git('show', 'main:a.txt')).toBe('a');
  expect(checkHistory(await here.events(), { git: gitFacts(here) })).toEqual([]);
});

test('a critical question that comes when a wave is about to land keeps no other run from landing', async () => {
  const one = scripted(`sleep 3; echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
  const two = scripted(`tidegate ask -m 'sure?' --severity critical; echo two > two.txt; ${handoff}`, {
    owns: ['two.txt'],
  });
  const other = scripted(`echo b > b.txt; ${handoff}`, { owns: ['b.txt'] });
  // long enough for the agent of the second wave to ask while the first is checked for its landing
  const checks = [{ name: 'slow', run: 'test ! -f theirs.txt || sleep 5' }];
  await using here = await project({
    plan: { name: 'first', land: 'wave', checks, waves: [{ tasks: { one } }, { tasks: { two } }] },
    files: { 'b.yaml': stringify({ name: 'second', land: 'auto', tasks: { other } }) },
  });
  const { run } = JSON.parse((await here.cli('run', 'plan.yaml', '--json')).stdout) as { run: string };
  const asked = Promise.withResolvers<void>();
  await using heard = await listenTo(here, (event) => {
    if (event.type === 'attempt-settled' && event.task === 'two') asked.resolve();
  });
  const begun = heard.next('attempt-intended');
  expect((await here.cli('approve', run)).code).toBe(0);
  await begun;
  here.write('theirs.txt', 'theirs\n');
  here.git('add', '-A');
  here.git('commit', '-q', '-m', 'meanwhile');
  await asked.promise;

  expect((await here.cli('run', 'b.yaml', '--yes', '--json')).code).toBe(0);
  expect(here.git('ls-files')).toContain('b.txt');
  expect(here.git('ls-files')).not.toContain('one.txt');
  expect(await here.cli('answer', '1', '-m', 'yes')).toMatchObject({ code: 0 });
  expect((await here.cli('watch', run, '--json')).code).toBe(0);
  expect(here.git('ls-files')).toContain('two.txt');
  expect(checkHistory(await here.events(), { git: gitFacts(here) })).toEqual([]);
}, 60_000);

test('F11: questions of a handoff are shown to people', async () => {
  const one = scripted(`echo a > a.txt; tidegate handoff done -m ok --question 'keep b.txt?' --remaining 'the docs'`, {
    owns: ['a.txt'],
  });
  await using here = await project({ plan: { tasks: { one } } });
  expect((await here.cli('run', 'plan.yaml', '--yes', '--land')).code).toBe(0);
  const [run] = (await here.events()).flatMap(({ stream }) => (stream === 'repo' ? [] : [stream]));
  const { stdout } = await here.cli('show', `${run}/one`);
  expect(stdout).toContain('question  keep b.txt?');
  expect(stdout).toContain('remains   the docs');
});
