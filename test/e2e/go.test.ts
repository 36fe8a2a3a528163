import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handoff, program, project } from '../support/project.ts';
import { atTerminal } from '../support/terminal.ts';

const byCommand = `agent: command
command: [sh, -c, 'echo "$TIDEGATE_TASK" > "$TIDEGATE_TASK.txt"; ${handoff}']
`;
const settings = { plan: {}, files: { 'tidegate.yaml': byCommand } };

test('typed at a terminal, go shows its plan and starts at once; the plan can be kept', {
  timeout: 60_000,
}, async () => {
  await using here = await project(settings);
  const argv = [process.execPath, program, 'go', "'Fix the login'", "'Mend the list'", '--then', "'Say so'", '--land'];
  const { code, screen } = await atTerminal(argv, { cwd: here.checkout, env: here.environment }, {});
  expect(screen).not.toContain('[y/N');
  expect(screen).toContain('mend-list  owns whatever no other task claims');
  expect(screen).toContain('Fix the login');
  expect(code).toBe(0);
  expect(here.git('show', 'main:fix-login.txt')).toBe('fix-login');
  const events = (await here.events()).map(({ event }) => event);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tap-decided', tap: 'start', by: expect.objectContaining({ via: 'terminal' }) }),
  );
  expect(here.git('status', '--porcelain')).toBe('');

  const [created] = events.filter((event) => event.type === 'run-created');
  const run = created?.run ?? '';
  expect(await here.cli('plan', '--from-go', run, '-o', 'kept.plan.yaml')).toMatchObject({ code: 0 });
  expect(await here.cli('plan', '--from-go', run, '-o', 'kept.plan.yaml')).toMatchObject({ code: 2 });
  const kept = readFileSync(join(here.checkout, 'kept.plan.yaml'), 'utf8');
  expect(kept).toContain('  - tasks:\n      fix-login: Fix the login\n      mend-list: Mend the list\n');
  expect((await here.cli('plan', '--from-go', run)).stdout).toBe(kept);
  const linted = JSON.parse((await here.cli('lint', 'kept.plan.yaml', '--json')).stdout) as { hash: string };
  expect(linted.hash).toBe(created?.hash);
});

test('without a terminal go waits for approval, and an agent cannot give it', { timeout: 60_000 }, async () => {
  await using here = await project({ ...settings, env: { CLAUDECODE: '1' } });
  const asked = await here.cli('go', 'Fix the login', '--yes', '--json');
  expect(JSON.parse(asked.stdout)).toMatchObject({ exit: 43, reason: 'caller-is-agent' });
});

test('what cannot begin is told in a line and leaves nothing behind', { timeout: 60_000 }, async () => {
  await using here = await project({ plan: {}, env: { PATH: '/usr/bin:/bin' } });
  expect(await here.cli('go', 'Fix the login')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no agent can start'),
  });
  here.git('checkout', '-q', '--detach');
  expect(await here.cli('go', 'Fix the login')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('no branch is checked out'),
  });
  expect(existsSync(join(here.root, 'state'))).toBe(false);
});

test('without a name for commits nothing begins: that is not found after agents were paid', async () => {
  await using here = await project(settings);
  here.git('config', '--unset', 'user.name');
  expect(await here.cli('go', 'Fix the login', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('git config --global user.name "Your Name"'),
  });
  expect(existsSync(join(here.root, 'state'))).toBe(false);
});

test('markdown files are a wave of tasks, and mistakes in them have a place', { timeout: 60_000 }, async () => {
  const files = {
    'tidegate.yaml': byCommand,
    'tasks/b.md': '---\nowns: [b.txt]\n---\n# Second\nWrite `b.txt`.\n\n## Acceptance\nit is there\n',
    'tasks/a.md': '# First\nWrite `a.txt`.\n\n## Acceptance\nit is there\n',
    'bad.md': '---\nowns: [x]\nneeds: [nobody]\n---\nDo `x`.\n\n## Acceptance\n',
  };
  await using here = await project({ plan: { tasks: { x: 'y' } }, files });
  const bad = await here.cli('lint', 'tasks/a.md', 'bad.md');
  expect(bad).toMatchObject({ code: 2, stdout: expect.stringContaining('bad.md:3:9: error') });
  expect(await here.cli('run', 'plan.yaml', 'tasks/a.md')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('do not mix'),
  });
  const ran = await here.cli('run', 'tasks/b.md', 'tasks/a.md', '--yes', '--land');
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('merged b, a') });
  expect(here.git('show', 'main:a.txt')).toBe('a');
});

test('F18: go takes a model, and for each task what it owns', { timeout: 60_000 }, async () => {
  await using here = await project(settings);
  const words = ['Fix the login', '--owns', 'src/login/**', '--owns=test/**', 'Mend the list', '--then', 'Say so'];
  const asked = await here.cli('go', ...words, '--owns', 'docs/', '--model', 'large', '--dry-run', '--json');
  const { plan } = JSON.parse(asked.stdout) as {
    readonly plan: { readonly waves: readonly { readonly tasks: readonly Readonly<Record<string, unknown>>[] }[] };
  };
  expect(plan.waves.map(({ tasks }) => tasks.map(({ id, owns, model }) => [id, owns, model]))).toEqual([
    [
      ['fix-login', ['src/login/**', 'test/**'], 'large'],
      ['mend-list', null, 'large'],
    ],
    [['say', ['docs/'], 'large']],
  ]);
  const wrong = await here.cli('go', 'Fix the login', 'Mend the list', '--owns', '../x', '--dry-run');
  expect(wrong).toMatchObject({ code: 2, stdout: expect.stringContaining('error: `../x`') });
});
