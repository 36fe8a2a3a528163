import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { answerEverything } from '../support/person.ts';
import { handoff, project, scripted } from '../support/project.ts';

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
