import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ended, handoff, project } from '../support/project.ts';

const goal = 'Rate-limit POST /login to 5/min in src/login.ts, then document it in docs/api.md';
const draft = `name: drafted
tasks:
  one: Say hello in readme.md
`;
const byCommand = `agent: command
command: [sh, -c, 'cp draft.txt drafted.plan.yaml; ${handoff}']
`;

test('a goal becomes a plan file that says nothing to lint, and passes every check before a run', {
  timeout: 120_000,
}, async () => {
  await using here = await project({ plan: {}, files: { 'tidegate.yaml': byCommand } });
  const shown = await here.cli('plan', goal, '--dry-run');
  expect(existsSync(join(here.checkout, 'tidegate.plan.yaml'))).toBe(false);
  const made = await here.cli('plan', goal);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain('Wrote tidegate.plan.yaml');
  const text = readFileSync(join(here.checkout, 'tidegate.plan.yaml'), 'utf8');
  expect(shown.stdout).toBe(text);
  expect(parse(text)).toMatchObject({
    waves: [
      { name: 'explore', tasks: { explore: { role: 'discovery', owns: [] } } },
      {
        name: 'implement',
        tasks: {
          'rate-limit-post-login-5-min': {
            owns: expect.arrayContaining(['src/login.ts', 'src/login?test.*', 'test/**/*login*']),
            exit: { completion: 'repo-landed' },
          },
          'document-docs-api-md': { role: 'docs', owns: ['docs/api.md'], needs: ['rate-limit-post-login-5-min'] },
        },
        closure: { qa: { do: `Review and validate changes from: ${goal}` } },
      },
    ],
  });
  const linted = await here.cli('lint');
  expect(linted.stdout).toMatch(
    /^warning: the plan has no checks: .*\nwave 2 \(implement\)\n {2}before it closes:\n {6}wave-2-qa .*\ntidegate\.plan\.yaml: 2 waves, 3 tasks, plan hash \w+\n$/,
  );
  expect(await here.cli('run', '--dry-run')).toMatchObject({ code: 0 });

  for (const template of ['qa', 'infra', 'release']) {
    const file = `${template}.yaml`;
    expect(await here.cli('plan', goal, '--template', template, '-o', file)).toMatchObject({ code: 0 });
    expect((await here.cli('lint', file)).stdout).toMatch(
      /^warning: the plan has no checks: [\s\S]*\n {6}wave-2-qa [\s\S]*\n\S+: [23] waves, \d tasks, plan hash \w+\n$/,
    );
  }
  expect(existsSync(join(here.root, 'state'))).toBe(false);
});

test('what cannot be planned is told in a line, and nothing is written', { timeout: 120_000 }, async () => {
  await using here = await project({ plan: {}, files: { 'tidegate.yaml': byCommand } });
  here.write('there.yaml', 'mine\n');
  mkdirSync(join(here.root, 'outside'));
  const told = async (reason: string, ...args: string[]) => {
    const { code, stdout } = await here.cli('plan', ...args, '--json');
    expect([args, code, (JSON.parse(stdout) as { reason: string }).reason]).toEqual([args, 2, reason]);
  };
  await told('usage');
  await told('bad-goal', ' ');
  await told('bad-goal', '…');
  await told('bad-goal', 'x'.repeat(4_001));
  await told('vague-goal', 'Improve the code');
  await told('exists', goal, '-o', 'there.yaml');
  await told('exists', goal, '-o', 'there.yaml', '--agent', 'command');
  await told('no-folder', goal, '-o', 'no/such/plan.yaml');
  await told('unknown-template', goal, '--template', 'waterfall');
  await told('usage', goal, '--from-go', 'x');
  await told('usage', goal, '--yes');
  await told('outside', goal, '--agent', 'command', '-o', '../x.yaml');
  await told('plan-invalid', goal, '--agent', 'nobody');
  expect(readFileSync(join(here.checkout, 'there.yaml'), 'utf8')).toBe('mine\n');
  expect(existsSync(join(here.checkout, 'tidegate.plan.yaml'))).toBe(false);
  const elsewhere = here.start(['-C', join(here.root, 'outside'), 'plan', goal]);
  expect(await ended(elsewhere)).toMatchObject({ code: 2, stderr: expect.stringContaining('not in a git repository') });
  expect(existsSync(join(here.root, 'state'))).toBe(false);
});

test('a draft of an agent is one file, that lands and is read like any plan', { timeout: 120_000 }, async () => {
  await using here = await project({ plan: {}, files: { 'tidegate.yaml': byCommand, 'draft.txt': draft } });
  const shown = await here.cli('plan', goal, '--agent', 'command', '-o', 'drafted.plan.yaml', '--dry-run');
  expect(shown.stdout).toContain('drafted.plan.yaml');
  const ran = await here.cli(
    'plan',
    goal,
    '--agent',
    'command',
    '-o',
    'drafted.plan.yaml',
    '--yes',
    '--land',
    '--json',
  );
  expect(JSON.parse(ran.stdout)).toMatchObject({ exit: 0 });
  expect(here.git('show', '--name-only', '--format=', 'main')).toBe('drafted.plan.yaml');
  expect((await here.cli('lint', 'drafted.plan.yaml')).stdout).toContain('drafted.plan.yaml: 1 wave, 1 task');
  const brief = (await here.events()).flatMap(({ event }) => (event.type === 'run-created' ? [event.plan] : []));
  expect(brief[0]?.waves[0]?.tasks[0]?.directive.text).toContain(`> ${goal}\n`);
});

test('F16: a file that is to be divided comes with its siblings and tests, in a plan that passes every check', {
  timeout: 60_000,
}, async () => {
  await using here = await project({ plan: {}, files: { 'tidegate.yaml': byCommand, 'lib/utils.js': '1\n' } });
  const made = await here.cli('plan', 'Refactor lib/utils.js into three modules', '-o', 'split.yaml');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const { waves } = parse(readFileSync(join(here.checkout, 'split.yaml'), 'utf8')) as {
    readonly waves: readonly { readonly tasks: Readonly<Record<string, { readonly owns: readonly string[] }>> }[];
  };
  const owned = Object.values(waves[1]?.tasks ?? {}).map(({ owns }) => owns);
  expect(owned).toEqual([['lib/*.js', 'lib/utils/**', 'lib/__tests__/**', 'test/**', 'tests/**']]);
  expect((await here.cli('lint', 'split.yaml')).stdout.match(/warning: .{22}/g)).toEqual([
    'warning: the plan has no checks',
  ]);
  expect(await here.cli('run', 'split.yaml', '--dry-run')).toMatchObject({ code: 0 });
});
