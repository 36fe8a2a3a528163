import { expect, test } from 'vitest';
import { answerEverything } from '../support/person.ts';
import { handoff, project, scripted } from '../support/project.ts';

test('with `land: wave` a branch that moved once gets every later wave rebuilt on top of it', async () => {
  const writes = (name: string) => scripted(`echo ${name} > ${name}.txt; ${handoff}`, { owns: [`${name}.txt`] });
  const plan = {
    land: 'wave',
    taps: { start: 'wave' },
    waves: [{ tasks: { one: writes('one') } }, { tasks: { two: writes('two') } }],
  };
  await using p = await project({ plan });
  expect((await p.cli('run', 'plan.yaml', '--json')).code).toBe(43);
  const [run] = (await p.events()).map(({ stream }) => stream).filter((stream) => stream !== 'repo');
  p.write('theirs.txt', 'theirs\n');
  p.git('add', '-A');
  p.git('commit', '-q', '-m', 'meanwhile');

  const ended = await answerEverything(p, run ?? '');

  expect(ended.code).toBe(0);
  expect(p.git('log', '--format=%s', '--reverse').split('\n').slice(2)).toEqual([
    'meanwhile',
    'Do what the script does.',
    'Do what the script does.',
  ]);
  expect(p.git('ls-files').split('\n')).toEqual(['one.txt', 'plan.yaml', 'readme.md', 'theirs.txt', 'two.txt']);
  expect(p.git('status', '--porcelain')).toBe('');
}, 60_000);
