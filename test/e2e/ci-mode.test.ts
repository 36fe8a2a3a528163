import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ended, handoff, project, scripted } from '../support/project.ts';

const plan = {
  checks: [{ name: 'test', run: "test ! -e bad.txt || { echo ' ::set-env name=PATH::/tmp/evil'; exit 1; }" }],
  tasks: {
    good: scripted(`echo a > a.txt; ${handoff}`, { owns: ['a.txt'] }),
    breaks: scripted(`echo b > bad.txt; ${handoff}`, { owns: ['bad.txt'] }),
    strays: scripted(`echo c > c.txt; echo d > 'd <x>|&.txt'; ${handoff}`, { owns: ['c.txt'] }),
  },
};

test('on GitHub a run tells itself by JUnit, summary and annotations, and no text of an agent is a command', async () => {
  await using here = await project({ plan });
  const summary = join(here.root, 'summary.md');
  const ran = await ended(
    here.start(['run', 'plan.yaml', '--ci', '--yes', '--junit', '../report.xml'], {
      GITHUB_ACTIONS: 'true',
      GITHUB_STEP_SUMMARY: summary,
    }),
  );
  expect(ran.code).toBe(43);
  const lines = ran.stdout.trimEnd().split('\n');
  const token = /^::stop-commands::([0-9a-f-]{36})$/.exec(lines[0] ?? '')?.[1];
  const from = lines.indexOf(`::${token}::`);
  const before = lines.slice(1, from).filter((line) => line.includes(token ?? ''));
  expect(before).toEqual([]);
  expect(lines.slice(from + 1).map((line) => line.split('::')[1])).toEqual([
    expect.stringMatching(/^error title=plan-\w{4}\/breaks$/),
    expect.stringMatching(/^error title=plan-\w{4}\/strays,file=d <x>\|&.txt$/),
  ]);
  const report = readFileSync(join(here.root, 'report.xml'), 'utf8');
  expect(report).toContain('tests="4" failures="2" skipped="0"');
  expect(report).toMatch(/<testcase classname="wave 1" name="good" time="\d+\.\d{3}"\/>/);
  expect(report).toContain('name=PATH::/tmp/evil</failure>');
  expect(report).toContain('d &lt;x&gt;|&amp;.txt');
  const page = readFileSync(summary, 'utf8');
  expect(page).toContain('| ❌ | wave 1 | breaks | held: breaks the check test |');
  expect(here.git('log', '--format=%s', 'main')).toBe('the plan\nfirst');
});

test('without --land nothing lands, whatever the plan says; with it the run ends landed', async () => {
  await using here = await project({ plan: { land: 'auto', tasks: { good: plan.tasks.good } } });
  expect(await here.cli('run', 'plan.yaml', '--ci', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining('::'),
  });
  expect(here.git('log', '--format=%s', 'main')).toBe('the plan\nfirst');
  expect(await here.cli('run', 'plan.yaml', '--ci', '--yes', '--land')).toMatchObject({ code: 0 });
  expect(here.git('show', 'main:a.txt')).toBe('a');
});

test('a plan with a mistake is annotated where the mistake is; nothing was started', async () => {
  await using here = await project({ plan });
  writeFileSync(join(here.checkout, 'wrong.yaml'), 'tasks:\n  one:\n    dow: it\n');
  const ran = await ended(here.start(['run', 'wrong.yaml', '--ci'], { GITHUB_ACTIONS: 'true' }));
  expect(ran.code).toBe(2);
  expect(ran.stdout).toMatch(/^::error title=plan,file=wrong\.yaml,line=3,col=5::/m);
  expect(readFileSync(join(here.checkout, 'tidegate-junit.xml'), 'utf8')).toContain('name="wrong.yaml:3:5"');
});

test.each([
  [['--junit', 'x.xml'], '--junit needs --ci'],
  [['--ci', '--junit', 'none/x.xml'], 'does not exist'],
  [['--ci', '-d'], 'cannot be used with --detach'],
])('%j is refused', async (flags, why) => {
  await using here = await project({ plan });
  expect(await here.cli('run', 'plan.yaml', ...flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
});
