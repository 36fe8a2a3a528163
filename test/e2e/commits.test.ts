import { expect, test } from 'vitest';
import { handoff, project, scripted } from '../support/project.ts';

const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'], do: 'Write the first file.' });

test('`commit` words the subject of every commit, and the trailers stay', async () => {
  await using p = await project({
    plan: {
      land: 'auto',
      commit: 'feat({task}): {title} [{wave}]',
      generated: { 'list.txt': 'ls > list.txt' },
      tasks: { one },
    },
  });
  expect((await p.cli('run', 'plan.yaml', '--yes', '--json')).code).toBe(0);
  expect(p.git('log', '--format=%s', '--reverse', '-2').split('\n')).toEqual([
    'feat(one): Write the first file. [1]',
    'feat(generated): Rebuild generated files [1]',
  ]);
  expect(p.git('log', '--format=%(trailers:key=Tidegate-Task,valueonly)', '-1', '--skip=1').trim()).toBe('one');
  const origin = JSON.parse((await p.cli('config', '--plan', 'plan.yaml', '--origin', '--json')).stdout);
  expect(JSON.stringify(origin)).toContain('feat({task}): {title} [{wave}]');
}, 60_000);

test('a placeholder that nobody knows is a mistake with line and column', async () => {
  await using p = await project({ plan: { commit: '{type}({task}): {title}', tasks: { one } } });
  const linted = await p.cli('lint', 'plan.yaml');
  expect(linted.code).toBe(2);
  expect(linted.stdout + linted.stderr).toContain(
    'plan.yaml:1:9: error: the commit template has the unknown placeholder `{type}`',
  );
});

test('F28: hooks of the person that do not run are named before the start, and in lint', async () => {
  await using p = await project({ plan: { land: 'auto', tasks: { one } } });
  for (const hook of ['pre-commit', 'commit-msg', 'pre-push'])
    p.write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch '${p.root}/hooked'\nexit 1\n`, 0o755);
  const told = 'your git hooks do not run on the commits of a run: pre-commit, commit-msg (';
  const linted = await p.cli('lint', 'plan.yaml');
  expect(linted.stdout + linted.stderr).toContain(told);
  const ran = await p.cli('run', 'plan.yaml', '--yes');
  expect((ran.stdout + ran.stderr).split(told)).toHaveLength(2);

  p.git('config', 'core.hooksPath', 'githooks');
  expect((await p.cli('lint', 'plan.yaml')).stdout).not.toContain(told);
  p.write('githooks/pre-commit', '#!/bin/sh\nexit 1\n', 0o755);
  expect((await p.cli('lint', 'plan.yaml')).stdout).toContain('pre-commit (');
}, 60_000);

test('F22: a task that may change nothing and changes nothing leaves no commit, and what needs it goes on', async () => {
  const nothing = scripted(handoff, { owns: ['two.txt'], allowEmpty: true });
  const three = scripted(`echo three > three.txt; ${handoff}`, { owns: ['three.txt'], needs: ['two'] });
  await using p = await project({ plan: { land: 'auto', tasks: { one, two: nothing, three } } });
  const ended = await p.cli('run', 'plan.yaml', '--yes', '--json');
  expect({ code: ended.code, reason: JSON.parse(ended.stdout).reason }).toEqual({ code: 0, reason: 'landed' });
  expect(
    p.git('log', '--format=%(trailers:key=Tidegate-Task,valueonly)', '--reverse').split(/\n+/).filter(Boolean),
  ).toEqual(['one', 'three']);
  const status = JSON.parse((await p.cli('status', '--json')).stdout);
  expect(status.waves[0].tasks.map(({ status: is }: { status: string }) => is)).toEqual(['merged', 'done', 'merged']);
}, 60_000);
