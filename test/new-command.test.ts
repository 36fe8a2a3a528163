import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A command is one file and one line. This does it, in a copy of the sources, and looks at everything that follows. */

const root = mkdtempSync(join(tmpdir(), 'tidegate-command-'));
const copied = ['src', 'scripts', 'package.json'];
const list = 'src/cli/commands/list.ts';
const greet = `import { command, done } from '../../frame/command.ts';

export const greetCommand = command({
  name: 'greet',
  group: 'look',
  summary: 'say hello',
  arguments: { who: { about: 'whom to greet', required: true }, others: { about: 'and whom else', variadic: true } },
  options: {
    loudly: { short: 'l', about: 'in capitals' },
    atNight: { about: 'with another word' },
    times: { value: 'number', default: '1', about: 'how often' },
  },
  run: ({ who, others, loudly, atNight, times }) => {
    const said = \`\${atNight ? 'good night' : 'hello'} \${[who, ...others].join(' and ')}\`.repeat(Number(times));
    return done([loudly ? said.toUpperCase() : said], { others: others.length });
  },
});
`;

beforeAll(() => {
  for (const name of copied) cpSync(name, join(root, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, 'src/cli/commands/look/greet.ts'), greet);
  const line = "  greet: async () => (await import('./look/greet.ts')).greetCommand,\n";
  writeFileSync(join(root, list), readFileSync(list, 'utf8').replace(/^ {2}approve:/m, `${line}$&`));
});
afterAll(() => rmSync(root, { recursive: true }));

const tidegate = (...argv: readonly string[]): string => node('src/main/cli.ts', ...argv);
const node = (...argv: readonly string[]): string =>
  execFileSync(process.execPath, argv, { cwd: root, env: {}, encoding: 'utf8', stdio: 'pipe' });

test('adding a command adds one file and one line', () => {
  const there = (folder: string): readonly string[] =>
    globSync('{src,scripts}/**/*', { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile());
  const before = there('.');
  expect(there(root).filter((name) => !before.includes(name))).toEqual(['src/cli/commands/look/greet.ts']);
  const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');
  expect(before.filter((name) => read('.', name) !== read(root, name))).toEqual([list]);
  expect(read(root, list).split('\n').length).toBe(read('.', list).split('\n').length + 1);
});

test('help has it, in the order of the list', () => {
  const lines = tidegate('--help').split('\n');
  expect(lines[lines.findIndex((line) => line.startsWith('  inbox ')) + 1]).toBe('  greet       say hello');
});

test('its own help has usage, arguments and options', () => {
  expect(`\n${tidegate('greet', '--help')}`).toMatchInlineSnapshot(`
    "
    Usage: tidegate greet <who> [others…] [-l, --loudly] [--at-night] [--times <number>]

    Say hello.

    Arguments:
      who               whom to greet
      others            and whom else

    Options:
      -l, --loudly      in capitals
      --at-night        with another word
      --times <number>  how often (default: "1")
      -h, --help        show this help

    Global options: -C <dir>, --state-dir <dir>, --json, --no-color
    "
  `);
});

test('it runs, with what was typed by its names, and refuses what it does not take', () => {
  expect(tidegate('greet', 'ann')).toBe('hello ann\n');
  expect(tidegate('greet', 'ann', 'bob', '-l', '--at-night')).toBe('GOOD NIGHT ANN AND BOB\n');
  expect(JSON.parse(tidegate('greet', 'ann', 'bob', '--json'))).toMatchObject({
    schema: 'tidegate.greet/1',
    exit: 0,
    others: 1,
  });
  expect(() => tidegate('greet')).toThrow('greet: missing required argument who; see tidegate greet --help');
  expect(() => tidegate('greet', 'ann', '--loud')).toThrow('did you mean --loudly?');
  expect(() => tidegate('gret')).toThrow('did you mean greet?');
});

test.each(['bash', 'zsh', 'fish'])('%s completes it and its options', (shell) => {
  const script = tidegate('completion', shell);
  expect(script).toMatch(/\bgreet\b/);
  expect(script).toMatch(shell === 'fish' ? /greet' -l at-night/ : /greet\).*--loudly --at-night --times/);
});

test('the reference has it', () => {
  node('--input-type=module', '--eval', writeReference);
  expect(readdirSync(root)).toContain('commands.md');
  const page = readFileSync(join(root, 'commands.md'), 'utf8');
  expect(page).toContain('### greet\n\n```\nUsage: tidegate greet <who> [others…] [-l, --loudly] [--at-night]');
});
const writeReference = `
import { writeFileSync } from 'node:fs';
import { references } from './scripts/reference/references.ts';
writeFileSync('commands.md', (await references())['commands.md']);`;
