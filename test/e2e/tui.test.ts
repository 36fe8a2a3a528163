import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { handoff, type Project, program, project, scripted } from '../support/project.ts';
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
    await pane.shows(/modified readme\.md +out of scope/);
    pane.resize({ columns: 60, rows: 18 });
    await pane.shows(/^─{60}$/m);
    pane.press('Escape');
    pane.press('g');
    await pane.shows('Let docs change readme.md? [y/N]');
    pane.press('y');
    await pane.shows('Land 2 tasks on main? [y/N/d]');
    pane.press('d');
    await pane.shows('+limit');
    pane.press('q');
    await pane.shows('Land 2 tasks on main? [y/N/d]');
    pane.press('y');
    const ended = await pane.ended();
    expect(ended.code).toBe(0);
    expect(ended.screen).toContain('Landed on main as');
    expect(pane.isOnAlternateScreen()).toBe(false);
    expect(here.git('show', 'main:API.md')).toBe('limit');
  },
);

test.runIf(there)('a terminal that is hung up costs no agent; watching it again ends with Ctrl-C', async () => {
  const long = scripted('echo counting; exec sleep 600', { owns: ['LIMIT.md'] });
  await using here = await project({ plan: { tasks: { long } } });
  {
    using hosting = opened(here, 'run', 'plan.yaml', '--yes');
    await hosting.shows(/● long +running/);
    hosting.press('C-c');
    await hosting.shows('d detach, agents go on');
    hosting.press('Escape');
    await hosting.shows(/^⏎ transcript/m);
  }
  using watching = opened(here, 'watch');
  // told only when a coordinator is there again
  await watching.shows(/long is at work/);
  watching.press('C-c');
  expect(await watching.ended()).toMatchObject({ code: 130 });
  expect(watching.isOnAlternateScreen()).toBe(false);
  expect(await here.cli('stop')).toMatchObject({ code: 0 });
  await untilEvent(here, (event) => event.type === 'attempt-ended');
  const events = (await here.events()).map(({ event }) => event.type);
  expect(events.filter((type) => type === 'attempt-started')).toHaveLength(1);
  expect(events.filter((type) => type === 'coordinator-started')).toHaveLength(2);
});
