import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** An executor is one folder and one line. This adds one to a copy of the sources, and looks at everything that follows. */

const root = mkdtempSync(join(tmpdir(), 'tidegate-executor-'));
const list = 'src/agents/list.ts';
const folder: Readonly<Record<string, string>> = {
  'src/agents/toy/facts.ts': `import { registerAgent } from '../facts.ts';

registerAgent({
  name: 'toy',
  kind: {
    executor: 'toy',
    load: async () => (await import('./executor.ts')).toyExecutor,
    judged: 'judged by nobody',
    program: 'toy',
    arguments: ['--work'],
    install: 'npm install -g toy-agent',
    provider: 'toys',
    credentials: ['TOY_KEY'],
    variables: [],
  },
  caller: { name: 'toy', variable: /^TOY_AGENT$/ },
  configuration: { atStart: ['.toy'], later: ['TOY.md'] },
  ownLogin: { command: 'toy login', file: '~/.toy' },
});
`,
  'src/agents/toy/executor.ts': `import type { Executor } from '../../ports/executor.ts';

export const toyExecutor: Executor = {
  name: 'toy',
  resolve: null,
  prepare: ({ program, job }) => ({
    argv: [program, ...(job.agent?.arguments ?? [])],
    environment: {},
    files: {},
    opening: null,
  }),
  follow: ({ emit }) => ({
    line: (text) =>
      text === 'bye' ? emit({ type: 'ended', outcome: 'completed', trouble: null }) : emit({ type: 'turn', text }),
    errorLine: (text) => emit({ type: 'output', text }),
    send: () => false,
    cancel: () => false,
  }),
  hook: null,
};
`,
};
/** The agent itself: it writes its task's file, hands off and says goodbye. */
const program = `#!/bin/sh
if [ "$1" = --version ]; then echo 'toy 1.2.3'; exit 0; fi
echo hello
echo "made by toy" > made.txt
tidegate handoff done -m "made a file"
echo bye
`;
const plan = `tasks:
  make:
    do: Make made.txt.
    agent: toy
    owns: [made.txt]
`;

beforeAll(() => {
  for (const name of ['src', 'scripts', 'package.json', 'tsconfig.json'])
    cpSync(name, join(root, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  for (const [name, text] of Object.entries(folder)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  appendFileSync(join(root, list), "import './toy/facts.ts';\n");
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/toy'), program, { mode: 0o755 });
  writeFileSync(
    join(root, 'tsconfig.programs.json'),
    JSON.stringify({ extends: './tsconfig.json', compilerOptions: { noEmit: true }, include: ['src/main/*.ts'] }),
  );
  execFileSync(resolve('node_modules/.bin/tsc'), ['-p', 'tsconfig.programs.json'], { cwd: root });
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root });
  mkdirSync(checkout);
  writeFileSync(join(checkout, 'plan.yaml'), plan);
  const git = (...argv: readonly string[]) => execFileSync('git', argv, { cwd: checkout, env, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'ann');
  git('config', 'user.email', 'ann@example.com');
  git('add', '.');
  git('commit', '--quiet', '-m', 'plan');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const checkout = join(root, 'checkout');
const env = {
  PATH: [join(root, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
  HOME: root,
  TIDEGATE_STATE_DIR: join(root, 'state'),
  TOY_KEY: 'secret-of-toys',
};
const tidegate = (argv: readonly string[], more: Readonly<Record<string, string>> = {}) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, 'dist/main/cli.js'), ...argv], {
    cwd: checkout,
    env: { ...env, ...more },
    encoding: 'utf8',
  });
  return { text: `${stdout}${stderr}`, status };
};

test('adding an executor adds one folder and one line', () => {
  const there = (directory: string): readonly string[] =>
    globSync('{src,scripts}/**/*', { cwd: directory }).filter((name) => statSync(join(directory, name)).isFile());
  const before = there('.');
  expect(
    there(root)
      .filter((name) => !before.includes(name))
      .sort(),
  ).toEqual(Object.keys(folder).sort());
  const read = (directory: string, name: string): string => readFileSync(join(directory, name), 'utf8');
  expect(before.filter((name) => read('.', name) !== read(root, name))).toEqual([list]);
  expect(read(root, list).split('\n').length).toBe(read('.', list).split('\n').length + 1);
});

test('plans may name it, and a misspelt name is compared with it', () => {
  expect(tidegate(['lint', 'plan.yaml'])).toMatchObject({ status: 0 });
  writeFileSync(join(checkout, 'wrong.yaml'), plan.replace('agent: toy', 'agent: toyy'));
  const { status, text } = tidegate(['lint', 'wrong.yaml']);
  expect(status).not.toBe(0);
  expect(text).toContain('toy');
});

test('completion, auth and doctor know it', () => {
  expect(tidegate(['completion', 'bash']).text).toMatch(/\btoy\b/);
  expect(tidegate(['auth', 'toy']).text).toContain('tidegate auth toy TOY_KEY');
  expect(tidegate(['auth', 'toy', '--check']).text).toContain('logged in by TOY_KEY');
  expect(tidegate(['doctor']).text).toMatch(/toy .*toy 1\.2\.3.*logged in by TOY_KEY; judged by nobody/);
});

test('a run starts it, reads its output and lands its work', () => {
  const { status, text } = tidegate(['run', 'plan.yaml', '--yes', '--land']);
  expect({ status, text }).toMatchObject({ status: 0 });
  expect(readFileSync(join(checkout, 'made.txt'), 'utf8')).toBe('made by toy\n');
  const [run = ''] = /plan-\w{4}/.exec(text) ?? [];
  expect(tidegate(['attach', `${run}/make`, '--tail']).text).toContain('hello');
});

test('a process that it starts is an agent, and may not decide', () => {
  const { status, text } = tidegate(['undo'], { TOY_AGENT: '1' });
  expect(status).not.toBe(0);
  expect(text).toContain('(toy)');
});
