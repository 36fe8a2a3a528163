import { expect, test } from 'vitest';
import { checkHistory } from '../support/checker.ts';
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
  expect((await here.cli('inbox')).stdout).toContain('Nothing waits for you.');
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
  const held = 'question 1 is critical: nothing lands on main until it is answered';
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
