import { spawnSync } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { handoff, type Project, program, project, scripted } from '../support/project.ts';
import { runOnly } from '../support/run-only.ts';
import { openPane } from '../support/tmux.ts';
import { untilEvent } from '../support/until-event.ts';

const docs = scripted(`printf 'writing\\033[2Jdocs\\n'; echo limit > API.md; echo more >> readme.md; ${handoff}`, {
  owns: ['API.md'],
});

const opened = (here: Project, ...args: string[]) =>
  openPane([process.execPath, program, ...args], { cwd: here.checkout, env: here.environment });

const there = spawnSync('tmux', ['-V']).status === 0;

test.runIf(there)(
  'a run on a terminal: seen, read, granted, landed by keys; the screen is left as it was',
  async () => {
    const quick = scripted(`echo counting; echo limit > LIMIT.md; ${handoff}`, { owns: ['LIMIT.md'] });
    await using here = await project({ plan: { tasks: { limiter: quick, docs } } });
    using pane = opened(here, 'run', 'plan.yaml');
    await pane.shows('Start 2 tasks? [y/N/e/d]');
    expect(pane.isOnAlternateScreen()).toBe(false);
    pane.press('y', 'Enter');
    const list = await pane.shows(/needs you \(1\)\n.*! docs +held/);
    expect(pane.isOnAlternateScreen()).toBe(true);
    expect(list.split('\n')[0]).toMatch(/^plan-\w{4} ! 1 needs you {2}onto main · \d+s · fence: bubblewrap$/);
    await pane.shows(/✓ limiter +merged/);
    pane.press('Home');
    await pane.shows(/▸ ! docs/);
    pane.press('Enter');
    // what an agent prints cannot clear the screen
    await pane.shows('writingdocs');
    pane.press('d');
    await pane.shows(/modified readme\.md +\+\d+ −\d+ +out of scope/);
    pane.resize({ columns: 60, rows: 18 });
    await pane.shows(/^─{60}$/m);
    pane.press('Escape');
    pane.press('g');
    await pane.shows('Let docs change readme.md? [y/N]');
    pane.press('y');
    await pane.shows('Land 2 tasks on main? [y/n/d');
    pane.press('d');
    await pane.shows('+limit');
    pane.press('q');
    await pane.shows('Land 2 tasks on main? [y/n/d');
    pane.press('y');
    const ended = await pane.ended();
    expect(ended.code).toBe(0);
    expect(ended.screen).toContain('Landed on main as');
    expect(pane.isOnAlternateScreen()).toBe(false);
    expect(here.git('show', 'main:API.md')).toBe('limit');
  },
);

test.runIf(there)(
  'F28: the screen says what an agent does; keys typed before it is there, or after it has gone, mean nothing',
  async () => {
    const task = scripted(
      `mkdir -p .tidegate; echo 'reading \\033[31mthe docs'; until test -e .tidegate/go; do sleep 0.05; done; echo x > LIMIT.md; ${handoff}`,
      { owns: ['LIMIT.md'] },
    );
    await using here = await project({ plan: { tasks: { limiter: task } } });
    const run = `'${process.execPath}' '${program}' run plan.yaml --yes`;
    const shell = `echo waiting; sleep 1; ${run}; sleep 1; cat`;
    using pane = openPane(['/bin/sh', '-c', shell], { cwd: here.checkout, env: here.environment });
    await pane.shows('waiting');
    // would drop the task and leave
    pane.type('xyq');
    await pane.shows(/● limiter +running .*reading the docs/);
    expect(pane.isOnAlternateScreen()).toBe(true);
    const go = globSync(join(here.root, 'state/*/jobs/*/workspace/.tidegate'))[0] ?? '';
    writeFileSync(join(go, 'go'), '');
    await pane.shows('Land 1 task on main? [y/n/d');
    expect(pane.screen()).toMatch(/✓ limiter +merged .*1 file, \+1 −0/);
    pane.type('yyy');
    await pane.shows('Landed on main as');
    expect(here.git('show', 'main:LIMIT.md')).toBe('x');
    pane.press('Enter');
    await pane.shows(/Landed on main as[\s\S]*\n\n/);
    expect(pane.screen()).not.toMatch(/^y/m);
  },
);

test.runIf(there)('a terminal that is hung up costs no agent; watching it again ends with Ctrl-C', async () => {
  const long = scripted('echo counting; exec sleep 600', { owns: ['LIMIT.md'] });
  await using here = await project({ plan: { tasks: { long } } });
  {
    using hosting = opened(here, 'run', 'plan.yaml', '--yes');
    await hosting.shows(/● long +running/);
    hosting.press('C-c');
    await hosting.shows('d detach, agents continue');
    hosting.press('Escape');
    await hosting.shows(/^⏎ transcript/m);
  }
  using watching = opened(here, 'watch');
  // told only when a coordinator is there again
  await watching.shows(/long (is|has been) running/);
  watching.press('C-c');
  expect(await watching.ended()).toMatchObject({ code: 130 });
  expect(watching.isOnAlternateScreen()).toBe(false);
  expect(await here.cli('stop')).toMatchObject({ code: 0 });
  await untilEvent(here, (event) => event.type === 'attempt-ended');
  const events = (await here.events()).map(({ event }) => event.type);
  expect(events.filter((type) => type === 'attempt-started')).toHaveLength(1);
  expect(events.filter((type) => type === 'coordinator-started')).toHaveLength(2);
});

test.runIf(there)(
  'the start of a later wave: the plan is edited from the screen, and what is wrong with it is read',
  async () => {
    const write = (name: string) => scripted(`echo ${name} > ${name}.txt; ${handoff}`, { owns: [`${name}.txt`] });
    const waves = (second: string) => [{ tasks: { one: write('one') } }, { tasks: { two: write(second) } }];
    const plan = (second: string) => ({ land: 'branch', taps: { start: 'wave' }, waves: waves(second) });
    await using here = await project({ plan: plan('two') });
    // the first edit breaks the plan, the second gives it another task
    writeFileSync(join(here.root, 'good.yaml'), stringify(plan('other')));
    const editor = join(here.root, 'editor');
    const script = `if test -f ${here.root}/edited; then cp ${here.root}/good.yaml "$1"; else touch ${here.root}/edited; echo 'tasks: [' > "$1"; fi`;
    writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    using pane = openPane([process.execPath, program, 'run', 'plan.yaml'], {
      cwd: here.checkout,
      env: { ...here.environment, VISUAL: editor },
    });
    await pane.shows('Start 1 task? [y/N/e/d]');
    pane.press('y', 'Enter');
    const asked = /✓ one +merged[\s\S]*^Start 1 task\? \[y\/n\/e\/d/m;
    await pane.shows(asked);
    expect(pane.isOnAlternateScreen()).toBe(true);
    pane.press('e');
    const wrong = await pane.shows('Press Enter to return to the run.');
    expect(wrong).toMatch(/plan\.yaml:\d+:\d+: error/);
    expect(pane.isOnAlternateScreen()).toBe(false);
    pane.press('Enter');
    await pane.shows(asked);
    expect(pane.isOnAlternateScreen()).toBe(true);
    pane.press('e');
    await pane.shows(/has a new plan[\s\S]*Press Enter to return/);
    pane.press('Enter');
    await pane.shows(asked);
    pane.press('y');
    expect(await pane.ended()).toMatchObject({ code: 0 });
    const branch = here.state().repository;
    const [ref = ''] = runOnly(
      'git',
      ['--git-dir', branch, 'for-each-ref', '--format=%(refname)', 'refs/tidegate/runs'],
      here.root,
    ).split('\n');
    expect(runOnly('git', ['--git-dir', branch, 'ls-tree', '--name-only', ref], here.root)).toContain('other.txt');
  },
);
