import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atTerminal } from '../support/terminal.ts';

const bin = resolve('bin/tidegate.cjs');

/** The compiled program in a process of its own, with an environment of its own. */
function tidegate(
  args: readonly string[],
  { cwd = '/', env = {} }: { cwd?: string; env?: Record<string, string> } = {},
) {
  const { PATH = '' } = process.env;
  const done = spawnSync(process.execPath, [bin, ...args], {
    cwd,
    env: { PATH, HOME: '/nonexistent', ...env },
    encoding: 'utf8',
  });
  return { exit: done.status, out: done.stdout, err: done.stderr };
}

function temporaryRepository() {
  const directory = mkdtempDisposableSync('/tmp/tidegate-cli-');
  execFileSync('git', ['init', '-q', directory.path]);
  return { path: directory.path, [Symbol.dispose]: () => directory.remove() };
}

describe('a call', () => {
  test('for the version prints it, for help every command on a line of at most 80 columns', () => {
    expect(tidegate(['--version'])).toEqual({ exit: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' });
    const help = tidegate(['--help']);
    expect(help).toMatchObject({ exit: 0, err: '' });
    expect(help.out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(tidegate([]).out).toBe(help.out);
    expect(tidegate(['help']).out).toBe(help.out);
  });

  test.each([
    [['docter'], 'tidegate: unknown command docter; did you mean doctor?\n'],
    [['zzzzzz'], 'tidegate: unknown command zzzzzz; see tidegate --help\n'],
    [['--jsn', 'doctor'], 'tidegate: unknown option --jsn; did you mean --json?\n'],
    [['init', '--forse'], 'tidegate: init: unknown option --forse; did you mean --force?\n'],
    [['doctor', '--jsno'], 'tidegate: doctor: unknown option --jsno; did you mean --json?\n'],
    [['doctor', 'x'], expect.stringMatching(/^tidegate: doctor: too many arguments.*\n$/)],
    [['completion'], expect.stringMatching(/^tidegate: completion: missing required argument shell.*\n$/)],
    [['-C'], 'tidegate: -C needs a directory\n'],
    [['init', '-C', '/nonexistent'], 'tidegate: /nonexistent does not exist\n'],
    [['init'], 'tidegate: / is not in a git repository. Change to one, or use -C <dir>\n'],
    [['\x1b[31mx\x07'], 'tidegate: unknown command x; see tidegate --help\n'],
  ])('%j is answered by one line on standard error and exit 2', (args, err) => {
    expect(tidegate(args)).toEqual({ exit: 2, out: '', err });
  });

  test('with --json ends in one document, also when it was wrong', () => {
    const { exit, out } = tidegate(['init', '--json']);
    expect(exit).toBe(2);
    expect(JSON.parse(out)).toEqual({
      schema: 'tidegate.init/1',
      exit: 2,
      reason: 'no-repository',
      needs: [],
      message: expect.stringContaining('not in a git repository'),
    });
  });

  test('takes global options before and after the command', () => {
    using repository = temporaryRepository();
    const before = tidegate(['-C', repository.path, '--json', 'doctor']);
    const after = tidegate(['doctor', '-C', repository.path, '--json']);
    expect(JSON.parse(before.out)).toMatchObject({ schema: 'tidegate.doctor/1' });
    expect(JSON.parse(after.out).examined).toEqual(JSON.parse(before.out).examined);
  });

  test('writes no colour into a pipe, and obeys NO_COLOR over FORCE_COLOR', () => {
    expect(tidegate(['--help']).out).not.toContain('\x1b');
    expect(tidegate(['--help'], { env: { FORCE_COLOR: '1' } }).out).toContain('\x1b');
    expect(tidegate(['--help'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }).out).not.toContain('\x1b');
    expect(tidegate(['--help', '--no-color'], { env: { FORCE_COLOR: '1' } }).out).not.toContain('\x1b');
  });

  test('whose reader has gone ends quietly', async () => {
    const child = spawn(process.execPath, [bin, 'completion', 'fish'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (data) => {
      err += data;
    });
    const [code] = await once(child, 'close');
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  test('that the system refuses is told so in one line', () => {
    using repository = temporaryRepository();
    writeFileSync(join(repository.path, 'tidegate.yaml'), 'mine');
    mkdirSync(join(repository.path, 'tidegate.yaml.old/full'), { recursive: true });
    const { exit, out, err } = tidegate(['init', '--no-rehearse', '--force'], { cwd: repository.path });
    expect({ exit, out, err }).toEqual({
      exit: 1,
      out: '',
      err: expect.stringMatching(/^tidegate: init: EISDIR.*\n$/),
    });
    expect(readFileSync(join(repository.path, 'tidegate.yaml'), 'utf8')).toBe('mine');
  });

  test('on an old Node is told what to do', () => {
    const source = readFileSync(bin, 'utf8').replace('var needed = 24', 'var needed = 999');
    using directory = mkdtempDisposableSync('/tmp/tidegate-cli-');
    writeFileSync(join(directory.path, 'old.cjs'), source);
    const done = spawnSync(process.execPath, [join(directory.path, 'old.cjs'), 'doctor'], { encoding: 'utf8' });
    expect(done).toMatchObject({
      status: 78,
      stdout: '',
      stderr: `tidegate: needs Node 999 or newer, this is ${process.version}; install it (\`nvm install 999\`), or in a checkout of Tidegate use \`npx tidegate\`\n`,
    });
  });
});

describe('init', () => {
  test('writes what it detected, and then never overwrites', () => {
    using repository = temporaryRepository();
    writeFileSync(join(repository.path, 'package.json'), '{"scripts":{"test":"node --test"}}');
    writeFileSync(join(repository.path, 'package-lock.json'), '{}');
    mkdirSync(join(repository.path, 'deep'));
    const dry = tidegate(['init', '--dry-run'], { cwd: repository.path });
    expect(dry).toMatchObject({ exit: 0, out: expect.stringContaining('would write tidegate.yaml') });
    expect(existsSync(join(repository.path, 'tidegate.yaml'))).toBe(false);
    const { exit, err } = tidegate(['init', '--no-rehearse'], { cwd: join(repository.path, 'deep') });
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    const config = readFileSync(join(repository.path, 'tidegate.yaml'), 'utf8');
    expect(config).toContain('setup: npm ci\n');
    expect(config).toContain('  - { name: test, run: npm test }\n');
    writeFileSync(join(repository.path, 'tidegate.yaml'), 'mine');
    expect(tidegate(['init', '--no-rehearse', '--merge'], { cwd: repository.path })).toMatchObject({
      exit: 0,
      out: expect.stringContaining('kept     tidegate.yaml unchanged'),
    });
    expect(readFileSync(join(repository.path, 'tidegate.yaml'), 'utf8')).toBe('mine');
  });

  test('with --force says what it replaced and keeps the old file', () => {
    using repository = temporaryRepository();
    writeFileSync(join(repository.path, 'tidegate.yaml'), 'mine');
    const { exit, out } = tidegate(['init', '--no-rehearse', '--force'], { cwd: repository.path });
    expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringContaining('replaced tidegate.yaml') });
    expect(readFileSync(join(repository.path, 'tidegate.yaml.old'), 'utf8')).toBe('mine');
  });

  test('outside a repository leaves nothing behind', () => {
    using directory = mkdtempDisposableSync('/tmp/tidegate-cli-');
    expect(tidegate(['init'], { cwd: directory.path })).toMatchObject({ exit: 2, out: '' });
    expect(readdirSync(directory.path)).toEqual([]);
  });
});

describe('doctor', () => {
  test('names the state directory without making it', () => {
    using repository = temporaryRepository();
    using state = mkdtempDisposableSync('/tmp/tidegate-cli-');
    const { out } = tidegate(['doctor', '--json', '--state-dir', join(state.path, 'x')], { cwd: repository.path });
    const { examined } = JSON.parse(out) as { examined: { name: string; state: string; found: string }[] };
    expect(examined.find(({ name }) => name === 'state')).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('temporary directory'),
    });
    expect(existsSync(join(state.path, 'x'))).toBe(false);
  });

  test('without an agent is not simply ready: it says what to install', () => {
    const { exit, out } = tidegate(['doctor'], { env: { PATH: '/usr/bin:/bin' } });
    expect(exit).toBe(0);
    expect(out).not.toContain('Ready.');
    expect(out).toMatch(
      /^No agent is ready yet\. Everything else is\.\nfirst: npm install -g .*\nthen: {2}tidegate doctor\n$/m,
    );
  });

  test('without bubblewrap says so, how to mend it, and ends in 1', () => {
    using empty = mkdtempDisposableSync('/tmp/tidegate-cli-');
    const { exit, out } = tidegate(['doctor', '--json'], { env: { TIDEGATE_FENCE_PATH: empty.path } });
    const document = JSON.parse(out) as { needs: { message: string; command: string }[] };
    expect(exit).toBe(1);
    expect(document.needs.map(({ command }) => command).filter((command) => command === '')).toEqual([]);
  });
});

describe('lint', () => {
  const commit = ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first'];

  test('finds nothing wrong with what init wrote, but that a place without tests has no checks', () => {
    using repository = temporaryRepository();
    execFileSync('git', ['-C', repository.path, ...commit]);
    tidegate(['init', '--no-rehearse', '--sample'], { cwd: repository.path });
    expect(tidegate(['lint'], { cwd: repository.path })).toEqual({
      exit: 0,
      out: expect.stringMatching(
        /^warning: the plan has no checks: .*\ntidegate\.plan\.yaml: 1 wave, 2 tasks, plan hash [0-9a-f]{12}\n$/,
      ),
      err: '',
    });
  });

  test('reports every mistake with place and hint, and ends in 2', () => {
    using repository = temporaryRepository();
    execFileSync('git', ['-C', repository.path, ...commit]);
    const text =
      'agent: command\ncommand: [x]\ntasks:\n  a: { do: Write a.txt, own: [a] }\n  b: { do: Write b.txt, needs: [c] }\n';
    writeFileSync(join(repository.path, 'bad.yaml'), text);
    const { exit, out } = tidegate(['lint', 'bad.yaml'], { cwd: repository.path });
    expect(exit).toBe(2);
    expect(out).toContain('bad.yaml:4:25: error: unknown key `own`\n  did you mean `owns`?\n');
    expect(out).toMatch(/bad\.yaml:5:\d+: error: `b` needs `c`/);
  });

  test('without a plan says how to make one', () => {
    using repository = temporaryRepository();
    expect(tidegate(['lint'], { cwd: repository.path })).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/^tidegate: lint: there is no .*tidegate init --sample\n$/),
    });
  });
});

describe('config', () => {
  /** Somebody at a terminal, who answers the question. */
  const confirm = (place: readonly string[], typed: string, env: Record<string, string> = {}) =>
    atTerminal(
      [process.execPath, bin, 'config', 'confirm', ...place],
      { env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...env } },
      { '[y/N]': typed },
    );

  test('shows where a value comes from', () => {
    using repository = temporaryRepository();
    writeFileSync(join(repository.path, 'tidegate.yaml'), 'limits: { parallel: 2 }\n');
    const { exit, out } = tidegate(['config', '--origin'], { cwd: repository.path });
    expect(exit).toBe(0);
    expect(out).toMatch(/^limits\.parallel: 2 +# tidegate\.yaml:1:21$/m);
    expect(out).toMatch(/^limits\.minutes: 60 +# default$/m);
    writeFileSync(join(repository.path, 'p.yaml'), 'fence: none\nlimits: { minutes: 5 }\ntasks: { a: x }\n');
    const planned = tidegate(['config', '--origin', '--plan', 'p.yaml'], { cwd: repository.path });
    expect(planned.out).toMatch(/^limits\.minutes: 5 +# p\.yaml:2:20$/m);
    expect(planned.out).toMatch(/^fence\.mode: "auto" +# default$/m);
    expect(planned).toMatchObject({ exit: 2, out: expect.stringContaining('fence.mode: "none"') });
    expect(tidegate(['config', 'confirm', '--json', '--plan', 'p.yaml'], { cwd: repository.path })).toMatchObject({
      exit: 43,
      out: expect.stringContaining('fence.mode'),
    });
  });

  test('lets a repository run unfenced only after a person said so at a terminal', async () => {
    using repository = temporaryRepository();
    using state = mkdtempDisposableSync('/tmp/tidegate-cli-');
    const place = ['-C', repository.path, '--state-dir', state.path];
    writeFileSync(join(repository.path, 'tidegate.yaml'), 'fence: { mode: none }\n');
    expect(tidegate(['config', ...place])).toMatchObject({
      exit: 2,
      out: expect.stringContaining('fence.mode: "auto"'),
    });
    expect(tidegate(['config', 'confirm', ...place])).toMatchObject({ exit: 43 });
    expect(await confirm(place, 'n\r')).toMatchObject({ code: 1 });
    expect(await confirm(place, 'y\r', { CLAUDECODE: '1' })).toMatchObject({ code: 43 });
    expect(tidegate(['config', ...place])).toMatchObject({ exit: 2 });
    expect(await confirm(place, 'y\r')).toMatchObject({ code: 0 });
    expect(tidegate(['config', ...place])).toMatchObject({
      exit: 0,
      out: expect.stringContaining('fence.mode: "none"'),
    });
    writeFileSync(join(repository.path, 'tidegate.yaml'), 'fence: { mode: none, read: [/etc] }\n');
    expect(tidegate(['config', ...place])).toMatchObject({ exit: 2, out: expect.stringContaining('fence.read') });
  });
});

test.each(['bash', 'zsh', 'fish'])('completion for %s knows every command of the help', (shell) => {
  const names = [...tidegate(['--help']).out.matchAll(/^ {2}([a-z]+) {2,}/gm)].map((match) => match[1] ?? '');
  const { exit, out } = tidegate(['completion', shell]);
  expect(exit).toBe(0);
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !out.includes(name))).toEqual([]);
});

test('the bash completion is valid and completes', () => {
  const script = `${tidegate(['completion', 'bash']).out}
COMP_WORDS=(tidegate doc); COMP_CWORD=1; _tidegate; echo "\${COMPREPLY[@]}"`;
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('doctor\n');
});

test('handoff outside a fence explains itself and records nothing', () => {
  expect(tidegate(['handoff', 'done', '-m', 'x', '--proof', 'y'])).toEqual({
    exit: 2,
    out: '',
    err: expect.stringContaining('nothing was recorded'),
  });
});

describe('bad input is answered by what to do, exit 2, and nothing is made:', () => {
  test.each<[string, (place: string) => void, RegExp]>([
    ['a plan that is a directory', (at) => mkdirSync(join(at, 'p')), /p is a directory, not a file\n/],
    ['a plan that is no text', (at) => writeFileSync(join(at, 'p'), Buffer.alloc(3000, 0xff)), /not valid UTF-8\n/],
    ['a plan of 10 MB', (at) => writeFileSync(join(at, 'p'), '#'.repeat(10_000_000)), /the limit is 1 MB\n/],
    ['an empty plan', (at) => writeFileSync(join(at, 'p'), ''), /the plan is empty\n.*add `tasks:`/],
    ['no plan', () => {}, /p does not exist\n/],
    [
      'a plan for an empty repository',
      (at) => writeFileSync(join(at, 'p'), 'tasks: { a: b }'),
      /no commit yet\n.*git commit/,
    ],
  ])('%s', (_, make, said) => {
    using repository = temporaryRepository();
    make(repository.path);
    const { exit, out, err } = tidegate(['run', 'p', '--yes', '--state-dir', join(repository.path, 's')], {
      cwd: repository.path,
    });
    expect({ exit, said: `${out}${err}`, made: existsSync(join(repository.path, 's')) }).toEqual({
      exit: 2,
      said: expect.stringMatching(said),
      made: false,
    });
  });

  test.each([
    ['a file', '/etc/hostname', '/etc/hostname is not a directory'],
    ['a place where none can be made', '/proc/tidegate', '/proc/tidegate (ENOENT)'],
  ])('a state directory that is %s', (_, path, said) => {
    using repository = temporaryRepository();
    const person = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b' };
    const git = ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first'];
    execFileSync('git', git, { cwd: repository.path });
    writeFileSync(join(repository.path, 'p'), 'tasks: { a: { do: b, agent: command, command: [/bin/true] } }');
    const called = tidegate(['run', 'p', '--yes', '--state-dir', path], {
      cwd: repository.path,
      env: person,
    });
    expect(called).toMatchObject({
      exit: 2,
      err: expect.stringContaining(`the state directory cannot be made: ${said}; choose another with --state-dir`),
    });
  });
});
