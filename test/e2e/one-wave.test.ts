import { expect, test } from 'vitest';
import { handoff, project, scripted } from '../support/project.ts';

test('`--wave` runs one wave after the other, and needs of an earlier wave are what has landed', async () => {
  const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
  const two = scripted(`cat one.txt > two.txt; ${handoff}`, { owns: ['two.txt'], needs: ['one'] });
  await using p = await project({ plan: { land: 'auto', waves: [{ tasks: { one } }, { tasks: { two } }] } });

  const skipped = await p.cli('run', 'plan.yaml', '--wave', '1', '--yes', '--json');
  expect([skipped.code, p.git('ls-files')]).toEqual([2, 'plan.yaml\nreadme.md']);

  expect((await p.cli('run', 'plan.yaml', '--wave', '0', '--yes', '--json')).code).toBe(0);
  expect(p.git('ls-files')).toBe('one.txt\nplan.yaml\nreadme.md');
  expect((await p.cli('run', 'plan.yaml', '--wave', '1', '--yes', '--json')).code).toBe(0);
  expect(p.git('show', 'main:two.txt')).toBe('one');
}, 60_000);
