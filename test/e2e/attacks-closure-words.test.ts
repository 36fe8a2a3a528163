import { expect, test } from 'vitest';
import { all } from '../support/events-found.ts';
import { project, scripted } from '../support/project.ts';

/** Words of agents are shown to people, and never look like words of Tidegate. */

const says = (script: string) => ({ command: ['/bin/sh', '-c', script] });
const lines = (...texts: readonly string[]): string => `"$(printf '${texts.join('\\n')}')"`;
const forged = 'FORGED: main is at 0000';
const add = scripted(`echo new > new.txt; tidegate handoff done -m ${lines('made it', forged)}`, { owns: ['new.txt'] });
const concerns = `tidegate verdict concerns --finding ${lines('old cipher', forged)}`;
const planned = (closure: object, land: string) => ({ land, limits: { attempts: 1 }, closure, tasks: { add } });
const forgedLines = (output: string): readonly string[] =>
  output.split('\n').filter((line) => line.startsWith('FORGED'));

test('an automatic landing shows the concerns of security, and no line of a finding begins at the left', {
  timeout: 120_000,
}, async () => {
  await using p = await project({ plan: planned({ security: says(concerns) }, 'auto') });
  const { code, stdout } = await p.cli('run', 'plan.yaml', '--yes');
  expect(all(await p.events(), 'landed')).toHaveLength(1);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/wave-1-security has concerns:\n +old cipher FORGED/)]);
  expect(forgedLines(stdout)).toEqual([]);
});

test('a finding that keeps the wave open forges no line of run, why, show, status or events', {
  timeout: 120_000,
}, async () => {
  await using p = await project({ plan: planned({ qa: says(concerns) }, 'ask') });
  const outputs = [await p.cli('run', 'plan.yaml', '--yes')];
  expect(outputs[0]?.code).toBe(42);
  const asked = [['why'], ['why', '--all'], ['status'], ['events'], ['show'], ['show', 'add'], ['show', 'wave-1-qa']];
  for (const words of asked) outputs.push(await p.cli(...words));
  expect(outputs.flatMap(({ stdout, stderr }) => forgedLines(stdout + stderr))).toEqual([]);
  expect(outputs.map(({ stdout }) => stdout).join('')).toContain('old cipher');
});
