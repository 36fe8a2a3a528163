import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'tidegate-install-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

/** npm without a network and without settings of the person, in an empty directory. */
function run(program: string, ...args: string[]): string {
  const home = join(root, 'home');
  mkdirSync(home, { recursive: true });
  return execFileSync(program, args, {
    cwd: home,
    encoding: 'utf8',
    env: {
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: home,
      npm_config_cache: join(root, 'cache'),
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    },
  });
}

execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', root]);
const file = join(root, readdirSync(root).find((name) => name.endsWith('.tgz')) ?? '');

test('`npm install -g` of the packed file gives a command that runs', () => {
  const prefix = join(root, 'prefix');
  run('npm', 'install', '--global', '--prefix', prefix, file);
  expect(run(join(prefix, 'bin/tidegate'), '--version').trim()).toBe(version);
  expect(run(join(prefix, 'bin/tidegate'), '--help')).toMatch(/^ {2}run /m);
});

test('`npx` runs the packed file without installing it', () => {
  expect(run('npx', '--yes', '--package', file, 'tidegate', '--version').trim()).toBe(version);
});

test('the packed file holds what a person needs and nothing more', () => {
  const files = run('tar', '-tzf', file).trim().split('\n');
  const expected =
    /^package\/(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/|schemas\/|demo\/|dist\/(?:main\/|client\.|third-party))/;
  expect(files.filter((name) => !expected.test(name) || name.endsWith('.map'))).toEqual([]);
});
