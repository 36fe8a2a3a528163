import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { installAgent } from '../../src/domain/explain/text.ts';
import { processesWith } from '../support/processes.ts';
import { ended, project } from '../support/project.ts';
import { atTerminal } from '../support/terminal.ts';

const plan = { agent: 'command', tasks: { a: 'x' } };
type Row = { name: string; state: string; fix: string | null; lines: string[] };

/** What is in the state root by now: a rehearsal leaves nothing there. */
const left = (root: string): readonly string[] =>
  existsSync(join(root, 'state')) ? readdirSync(join(root, 'state')) : [];

describe('init', () => {
  test('writes what it found, and every part that fails in the rehearsal is told with its fix; nothing is left', async () => {
    const checks = [
      { name: 'green', run: 'test -f made-by-setup && test "$(id -u)" != 0' },
      { name: 'red', run: 'echo 3 failing; exit 1' },
      { name: 'lost', run: 'no-such-tool --version' },
      { name: 'online', run: 'getent hosts example.org || { echo Could not resolve host; exit 1; }' },
    ];
    const files = { 'tidegate.yaml': stringify({ setup: 'touch made-by-setup', checks }), '.gitignore': '.env\n' };
    await using at = await project({ plan, files });
    at.write('.env', 'TOKEN=x\n');
    const { code, stdout, stderr } = await at.cli('init', '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const { rehearsal, needs } = JSON.parse(stdout) as { rehearsal: Row[]; needs: { command: string }[] };
    const rows = rehearsal.filter(({ name }) => /^(fence|setup|check)/.test(name));
    expect(rows.map(({ name, state }) => `${state} ${name}`)).toEqual([
      'good fence',
      'good setup',
      'good check green',
      'bad check red',
      'bad check lost',
      'bad check online',
    ]);
    expect(rows[3]).toMatchObject({ fix: expect.stringContaining('fails on main as it is'), lines: ['3 failing'] });
    expect(rows[4]?.fix).toContain('no-such-tool is not there inside the fence');
    expect(rows[5]?.fix).toContain('checks have no network');
    expect(needs.filter(({ command }) => command === '')).toEqual([]);
    expect(readFileSync(join(at.checkout, '.worktreeinclude'), 'utf8')).toContain('\n/.env\n');
    expect(readFileSync(join(at.checkout, 'tidegate.yaml'), 'utf8')).toBe(files['tidegate.yaml']);
    expect(at.git('status', '--porcelain')).toBe('?? .worktreeinclude');
    expect(left(at.root)).toEqual([]);
    await expect.poll(() => processesWith(at.root)).toEqual([]);
  });

  test('stops at a setup that fails, and says so before an agent could', async () => {
    await using at = await project({
      plan,
      files: { 'tidegate.yaml': 'setup: "false"\nchecks: [{ name: a, run: b }]\n' },
    });
    const { code, stdout } = await at.cli('init');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^bad {2}setup +false: exit 1$/m);
    expect(stdout).not.toContain('check a');
  });

  test.each(['SIGINT', 'SIGKILL'] as const)(
    'ended by %s half way leaves nothing, at the latest for the next one',
    async (signal) => {
      const checks = [
        { name: 'quick', run: 'true' },
        { name: 'slow', run: 'sleep 1000' },
      ];
      await using at = await project({ plan, files: { 'tidegate.yaml': stringify({ checks }) } });
      const child = at.start(['init']);
      let out = '';
      let isSent = false;
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        out += chunk;
        if (!out.includes('check quick') || isSent) return;
        isSent = true;
        child.kill(signal);
      });
      const [code] = await once(child, 'close');
      expect(code).toBe(signal === 'SIGINT' ? 130 : null);
      if (signal === 'SIGKILL') {
        at.write('tidegate.yaml', 'checks: []\n');
        expect(await at.cli('init')).toMatchObject({ code: 0 });
      } else expect(out).toContain('The rehearsal left nothing behind.');
      expect(left(at.root)).toEqual([]);
      await expect.poll(() => processesWith(at.root)).toEqual([]);
    },
  );

  test('is not ready without an agent that could begin, and says what to type; a command is one', async () => {
    const ends = async (config: string, path: string) => {
      await using at = await project({
        plan,
        files: {
          'tidegate.yaml': config,
          'bin/claude': '#!/bin/sh\necho 1.2.3\n',
          'bad/claude': '#!/bin/sh\necho no; exit 3',
        },
        env: { PATH: '/usr/bin:/bin' },
      });
      for (const name of ['bin', 'bad']) {
        cpSync(join(at.checkout, name), join(at.root, 'home', name), { recursive: true });
        chmodSync(join(at.root, 'home', name, 'claude'), 0o755);
      }
      const child = at.start(['init'], path === '' ? {} : { PATH: `${at.root}/home/${path}:/usr/bin:/bin` });
      const { code, stdout } = await ended(child);
      return { code, last: stdout.trimEnd().split('\n').slice(-3).join('\n').replaceAll(join(at.root, 'home'), '~') };
    };
    const go = 'then:  tidegate go "what you want done"';
    expect(await ends('checks: []\n', '')).toEqual({
      code: 0,
      last: `No agent is ready yet. Everything else is.\nfirst: ${installAgent}\n${go}`,
    });
    expect(await ends('checks: []\n', 'bin')).toMatchObject({
      code: 0,
      last: expect.stringContaining('first: tidegate auth claude'),
    });
    expect(await ends('checks: []\n', 'bad')).toMatchObject({
      code: 0,
      last: expect.stringContaining('first: ~/bad/claude --version'),
    });
    expect((await ends('agent: command\ncommand: ["true"]\n', '')).last).toMatch(/^Ready\.$/m);
  });

  test('adds what is missing only when a person says so, and is then at an end', async () => {
    const files = { 'package.json': '{"scripts":{"test":"true"}}', 'tidegate.yaml': 'land: branch # ours' };
    await using at = await project({ plan, files });
    const config = () => readFileSync(join(at.checkout, 'tidegate.yaml'), 'utf8');
    const piped = await at.cli('init', '--no-rehearse');
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringContaining('tidegate init --merge would add') });
    expect(config()).toBe(files['tidegate.yaml']);
    const command = [process.execPath, join(import.meta.dirname, '../../dist/main/cli.js'), 'init', '--no-rehearse'];
    const ask = (answer: string) =>
      atTerminal(command, { cwd: at.checkout, env: at.environment }, { 'Add this at the end? [y/N]': answer });
    expect(await ask('n\r')).toMatchObject({ code: 0 });
    expect(config()).toBe(files['tidegate.yaml']);
    expect(await ask('y\r')).toMatchObject({ code: 0 });
    const merged = `${files['tidegate.yaml']}\nchecks:\n  - { name: test, run: npm test }\n`;
    expect(config()).toBe(merged);
    const again = await at.cli('init', '--no-rehearse', '--merge');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('kept     tidegate.yaml unchanged\n') });
    expect(config()).toBe(merged);
  });
});
