import { expect, test } from 'vitest';
import { handoff, type Project, project, scripted } from '../support/project.ts';

const writes = (id: string) => scripted(`echo ${id} > ${id}.txt; ${handoff}`, { owns: [`${id}.txt`] });
const missing = { do: 'Write b.txt.', agent: 'command', command: ['no-such-program'], owns: ['b.txt'] };
const plan = { land: 'auto', limits: { parallel: 1 }, tasks: { a: writes('a'), b: missing, c: writes('c') } };

const launches = async (p: Project): Promise<readonly string[]> =>
  (await p.events()).flatMap(({ event }) => (event.type === 'attempt-intended' ? [event.task] : []));

test('F7: a failed launch halts its wave until a person decides, and each way out is a way out', async () => {
  await using p = await project({ plan });
  const ran = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const { run, needs, reason } = JSON.parse(ran.stdout);
  expect([ran.code, reason]).toEqual([43, 'launch']);
  expect(await launches(p)).toEqual(['a', 'b']);
  expect(needs).toEqual([
    expect.objectContaining({
      kind: 'launch',
      task: 'b',
      message: 'could not be started: the program no-such-program does not exist inside the fence',
      first: [
        'install no-such-program, or correct `command:` in the plan and resume with --replan',
        `or use another agent: tidegate retry ${run}/b --agent <agent>`,
        `or drop the task: tidegate drop ${run}/b`,
      ].join('\n'),
      command: `tidegate resume ${run}`,
    }),
  ]);

  const why = await p.cli('why', `${run}/c`);
  expect(why.stdout).toContain(`${run}/c is waiting`);
  expect(why.stdout).toContain('wave 1 is halted: b could not be started');
  expect(why.stdout).toContain(`tidegate resume ${run}`);

  // nothing was installed meanwhile: the launch is tried once more, and the wave is halted again
  expect((await p.cli('resume', run, '--yes', '--json')).code).toBe(43);
  expect(await launches(p)).toEqual(['a', 'b', 'b']);

  expect((await p.cli('drop', `${run}/b`, '--json')).code).toBe(0);
  expect((await p.cli('resume', run, '--yes', '--json')).code).toBe(3);
  expect(await launches(p)).toEqual(['a', 'b', 'b', 'c']);
  expect(p.git('ls-files')).toBe('a.txt\nc.txt\nplan.yaml\nreadme.md');
}, 120_000);
