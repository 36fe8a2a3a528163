import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeClaude } from '../support/fake-claude.ts';
import { openPane, type Pane } from '../support/tmux.ts';

/** What the agent of the tutorial does, as its text tells it. */
const script = `
case "$prompt" in
*'function triple'*) echo 'export const triple = (n) => n * 3;' >> math.js; mkdir -p .github/workflows; echo 'on: push' > .github/workflows/ci.yml ;;
*'Describe double'*) echo 'double(n) is twice n.' > words.md ;;
esac
tidegate handoff done -m 'did it' > /dev/null
through 0.02`;

/** Keys that a person presses, by the beginning of the command; every other command is not asked anything. */
const keys: Readonly<Record<string, (pane: Pane) => Promise<void>>> = {
  'tidegate go': async (pane) => {
    await pane.shows('.github/workflows/ci.yml');
    await pane.shows(/✓ .*merged/);
    for (let moved = 0; moved < 2 && !pane.screen().includes('g grant'); moved += 1) pane.press('k');
    await pane.shows('g grant');
    pane.press('g');
    await pane.shows('[y/N]');
    pane.press('y');
    await pane.shows('Land 2 tasks on main?');
    pane.press('y');
  },
  'tidegate undo': async (pane) => {
    await pane.shows(/Undo .*\? \[y\/N\]/);
    pane.type('y');
    pane.press('Enter');
  },
};

const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => (block ?? '').trim().split('\n'));

test('every command of the tutorial does what the tutorial says', async () => {
  const stack = new DisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'tg-tutorial-'));
  stack.defer(() => rmSync(root, { recursive: true, force: true }));
  // not where temporary files are: that is a place that no fence shows
  const beside = mkdtempSync('/var/tmp/tg-claude-');
  stack.defer(() => rmSync(beside, { recursive: true, force: true }));
  using _all = stack;
  chmodSync(beside, 0o755);
  mkdirSync(join(root, 'home'));
  const prefix = join(root, 'global');
  const env = {
    PATH: `${join(prefix, 'bin')}:${dirname(process.execPath)}:${fakeClaude(beside, script)}`,
    HOME: join(root, 'home'),
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    ANTHROPIC_API_KEY: 'test-key',
    TIDEGATE_STATE_DIR: join(root, 'state'),
    TIDEGATE_DISK_FREE: '0MB',
  };
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', root], { env });
  const tarball = join(root, readdirSync(root).find((name) => name.endsWith('.tgz')) ?? '');
  let cwd = root;
  const said: Record<string, string> = {};
  for (const command of commandsIn(readFileSync('docs/tutorial.md', 'utf8'))) {
    const pressed = Object.entries(keys).find(([name]) => command.startsWith(name))?.[1];
    if (command.startsWith('cd ')) cwd = join(cwd, command.slice(3));
    else if (pressed !== undefined) {
      using pane = openPane(['/bin/sh', '-ec', command], { cwd, env }, { columns: 110, rows: 30 });
      await pressed(pane);
      const { code, screen } = await pane.ended();
      expect({ command, code, screen }).toMatchObject({ code: 0 });
      said[command] = screen;
    } else {
      const real = command.replace('--global tidegate', `--global --offline --prefix '${prefix}' '${tarball}'`);
      said[command] = execFileSync('/bin/sh', ['-ec', real], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
    }
  }
  const git = (...args: string[]): string => execFileSync('git', args, { cwd, env, encoding: 'utf8' });
  expect(said['tidegate init']).toContain('Ready.');
  expect(said['tidegate costs']).toContain('$0.04');
  expect(said['tidegate diff --stat']).toContain('words.md');
  expect(said['tidegate verify']).toContain('Sound');
  expect(said['git log --oneline']?.trim().split('\n')).toHaveLength(3);
  expect(git('show', 'main:math.js')).toContain('triple');
  expect(git('ls-tree', '--name-only', 'main')).not.toContain('words.md');
  expect(said['tidegate lint']).toContain('2 tasks');
}, 150_000);
