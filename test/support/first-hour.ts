import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Project } from './project.ts';
import { openPane, type Pane } from './tmux.ts';

/** A small npm project with a passing test, a lock file and a file that is ignored. */
export const npmProject = {
  'package.json': JSON.stringify({
    name: 'harbour',
    version: '1.0.0',
    type: 'module',
    scripts: { test: 'node --test' },
  }),
  'package-lock.json': JSON.stringify({
    name: 'harbour',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 'harbour', version: '1.0.0' } },
  }),
  'src/math.js': 'export const double = (n) => n * 2;\n',
  'test/math.test.js':
    "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { double } from '../src/math.js';\ntest('double', () => assert.equal(double(2), 4));\n",
  '.gitignore': 'node_modules\n.env.test\n',
} as const;

/** What the two tasks of the walk leave behind; the first one strays into what is protected. */
export const walkOf = (mark: (task: 'triple' | 'words') => string) =>
  ({
    triple: `${mark('triple')}Add triple to src/math.js`,
    words: `${mark('words')}Describe double in words.md`,
  }) as const;

/**
 * The first hour of a person, key by key in a real terminal: init, go, a task that strays and is granted, diff, land, and one
 * task taken back. `beforeGrant` and `afterGrant` are called when the task is held and when it is merged.
 */
export async function walkFirstHour(
  here: Project,
  command: readonly string[],
  texts: ReturnType<typeof walkOf>,
  on: { beforeGrant?: () => void; afterGrant?: () => void } = {},
): Promise<void> {
  writeFileSync(join(here.checkout, '.env.test'), 'PORT=1\n');
  const at = (args: readonly string[]): Pane =>
    openPane([...command, ...args], { cwd: here.checkout, env: here.environment }, { columns: 110, rows: 30 });
  {
    using pane = at(['init']);
    const { code, screen } = await pane.ended();
    expect({ code, screen }).toMatchObject({ code: 0, screen: expect.stringContaining('Ready.') });
    for (const line of ['setup: npm ci', 'run: npm test', 'ok   check test']) expect(screen).toContain(line);
    expect(readFileSync(join(here.checkout, '.worktreeinclude'), 'utf8')).toContain('/.env.test');
  }
  {
    using pane = at(['go', texts.triple, texts.words]);
    await pane.shows('needs you (1)');
    await pane.shows('.github/workflows/ci.yml');
    await pane.shows(/✓ .*merged/);
    on.beforeGrant?.();
    await select(pane, 'g grant');
    pane.press('g');
    await pane.shows('[y/N]');
    pane.press('y');
    await pane.shows('ready to land on main');
    on.afterGrant?.();
    pane.press('d');
    await pane.shows(/^Changes of /m);
    pane.press('Escape');
    await pane.shows('a land');
    pane.press('a');
    await pane.shows('Land 2 tasks on main?');
    pane.press('y');
    const { code, screen } = await pane.ended();
    expect({ code, screen }).toMatchObject({ code: 0, screen: expect.stringContaining('Landed on main') });
    expect(pane.isOnAlternateScreen()).toBe(false);
  }
  expect(here.git('show', 'main:src/math.js')).toContain('triple');
  expect(here.git('show', 'main:words.md')).toContain('twice');
  const words = (await here.events()).flatMap(({ event }) =>
    event.type === 'attempt-intended' && event.task.includes('words') ? [event.task] : [],
  )[0];
  {
    using pane = at(['undo', String(words)]);
    await pane.shows(/Undo .*\? \[y\/N\]/);
    pane.type('y');
    pane.press('Enter');
    expect(await pane.ended()).toMatchObject({ code: 0 });
  }
  expect(here.git('ls-tree', '-r', '--name-only', 'main').split('\n')).not.toContain('words.md');
  expect(here.git('show', 'main:src/math.js')).toContain('triple');
}

/** Moves to the task that the key is offered for. */
async function select(pane: Pane, offered: string): Promise<void> {
  for (const key of ['k', 'k', 'k']) {
    if (pane.screen().includes(offered)) return;
    pane.press(key);
  }
  await pane.shows(offered);
}
