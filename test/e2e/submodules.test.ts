import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handoff, type Project, project, scripted } from '../support/project.ts';
import { runOnly } from '../support/run-only.ts';

const local = ['-c', 'protocol.file.allow=always', '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];

/** A repository with these files, and other repositories as its submodules. */
function repositoryAt(
  path: string,
  files: Readonly<Record<string, string>>,
  modules: Readonly<Record<string, string>>,
) {
  mkdirSync(path);
  const git = (...args: string[]) => runOnly('git', [...local, ...args], path);
  git('init', '-q', '-b', 'main');
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  for (const [at, from] of Object.entries(modules)) git('submodule', '--quiet', 'add', '--name', `the ${at}`, from, at);
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
}

/** A project whose submodule has a submodule: `vendor/lib` and `vendor/lib/inner`. */
async function nested(plan: object): Promise<Project> {
  const p = await project({ plan });
  const at = (name: string): string => join(p.root, name);
  repositoryAt(at('inner'), { 'deep.txt': 'deep\r\n' }, {});
  repositoryAt(at('lib'), { 'lib.txt': 'lib\n', '.gitignore': '*.o\n' }, { inner: at('inner') });
  p.git(...local, 'submodule', '--quiet', 'add', at('lib'), 'vendor/lib');
  p.git(...local, 'submodule', '--quiet', 'update', '--init', '--recursive');
  p.git('commit', '-q', '-m', 'a submodule');
  return p;
}

const gitlink = (p: Project, branch: string): string => p.git('ls-tree', branch, 'vendor/lib');
const seen = 'test "$(cat vendor/lib/lib.txt)" = lib; test -f vendor/lib/inner/deep.txt';

test('submodules of two levels are readable in workspaces and checks, and their gitlinks stay as they are', async () => {
  const reads = `${seen}; cat vendor/lib/lib.txt vendor/lib/inner/deep.txt > out.txt; touch vendor/lib/built.o; test -z "$(git status --porcelain vendor)"; ${handoff}`;
  await using p = await nested({
    land: 'auto',
    checks: [{ name: 'see', run: seen }],
    tasks: { one: scripted(reads, { owns: ['out.txt'] }) },
  });
  const before = gitlink(p, 'main');
  // what the person has changed in theirs is not our business
  writeFileSync(join(p.checkout, 'vendor/lib/lib.txt'), 'mine\n');
  writeFileSync(join(p.checkout, 'vendor/lib/new.txt'), 'new\n');
  const linted = await p.cli('lint', 'plan.yaml');
  expect({ code: linted.code, said: /submodule/.test(linted.stdout + linted.stderr) }).toEqual({
    code: 0,
    said: false,
  });

  const ended = await p.cli('run', 'plan.yaml', '--yes', '--json');
  expect({ code: ended.code, reason: JSON.parse(ended.stdout).reason }).toEqual({ code: 0, reason: 'landed' });
  expect(readFileSync(join(p.checkout, 'out.txt'), 'utf8')).toBe('lib\ndeep\r\n');
  expect(gitlink(p, 'main')).toBe(before);
  expect(p.git('status', '--porcelain', '--ignore-submodules=none')).toBe('M vendor/lib');
  expect(readFileSync(join(p.checkout, 'vendor/lib/lib.txt'), 'utf8')).toBe('mine\n');
}, 60_000);

test.each([
  ['a changed file', 'echo x > vendor/lib/lib.txt', 'vendor/lib/lib.txt'],
  ['a changed file of the inner one', 'echo x >> vendor/lib/inner/deep.txt', 'vendor/lib/inner/deep.txt'],
  ['a new file', 'echo x > vendor/lib/new.txt', 'vendor/lib/new.txt'],
  ['a file in its place', 'rm -r vendor/lib; echo x > vendor/lib', 'vendor/lib'],
])(
  '%s in a submodule holds the task, and dropping the submodule lets it go on',
  async (_, attack, named) => {
    const rogue = scripted(`echo one > one.txt; ${attack}; ${handoff}`);
    await using p = await nested({ land: 'auto', tasks: { rogue } });
    const before = gitlink(p, 'main');
    const held = await p.cli('run', 'plan.yaml', '--yes', '--json');
    const { run, waits } = JSON.parse(held.stdout) as { run: string; waits: { message: string }[] };
    expect(held.code).toBe(43);
    expect(waits.map(({ message }) => message).join()).toContain('tasks cannot change files in a submodule');
    expect(waits.map(({ message }) => message).join()).toContain(named);

    expect((await p.cli('drop', `${run}/rogue`, 'vendor/lib')).code).toBe(0);
    const ended = await p.cli('resume', run, '--json');
    expect({ code: ended.code, ended: JSON.parse(ended.stdout).ended }).toEqual({ code: 0, ended: 'landed' });
    expect(gitlink(p, 'main')).toBe(before);
    expect(existsSync(join(p.checkout, 'one.txt'))).toBe(true);
    expect(p.git('status', '--porcelain')).toBe('');
  },
  60_000,
);

test('a change of .gitmodules holds the task', async () => {
  const rogue = scripted(`sed -i s,lib,other, .gitmodules; echo one > one.txt; ${handoff}`);
  await using p = await nested({ land: 'auto', tasks: { rogue } });
  const held = await p.cli('run', 'plan.yaml', '--yes', '--json');
  expect(held.code).toBe(43);
  expect(held.stdout).toContain('tasks cannot add, remove or move submodules');
}, 60_000);

test.each([
  [
    'one in a directory',
    'mkdir sub; printf "[submodule \\"-x\\"]\\n\\turl = --upload-pack=x\\n\\tpath = -y\\n" > sub/.gitmodules',
    'sub/.gitmodules',
  ],
  ['one in capitals', 'cp .gitmodules .GITMODULES', '.GITMODULES'],
  ['a link', 'mkdir sub; ln -s ../one.txt sub/.gitmodules', 'sub/.gitmodules'],
])(
  '.gitmodules, %s, holds the task and not the run',
  async (_, attack, named) => {
    const rogue = scripted(`echo one > one.txt; ${attack}; ${handoff}`);
    const honest = scripted(`echo two > two.txt; ${handoff}`, { owns: ['two.txt'] });
    await using p = await nested({ land: 'branch', tasks: { rogue, honest } });
    const held = await p.cli('run', 'plan.yaml', '--yes', '--json');
    const { waits } = JSON.parse(held.stdout) as { waits: { task: string; message: string }[] };
    expect(held.code).toBe(43);
    expect(waits.map(({ task, message }) => ({ task, named: message.includes(named) }))).toEqual([
      { task: 'rogue', named: true },
    ]);
    expect(held.stdout).toContain('tasks cannot add, remove or move submodules');
    expect((await p.events()).map(({ event }) => event.type)).toContain('merged');
  },
  60_000,
);

test('S9: a directory that differs from a submodule only by case holds the task', async () => {
  const rogue = scripted(`mkdir -p vendor/LIB; echo x > vendor/LIB/x; ${handoff}`);
  await using p = await nested({ land: 'branch', tasks: { rogue } });
  const held = await p.cli('run', 'plan.yaml', '--yes', '--json');
  expect(held.code).toBe(43);
  const found = (await p.events()).flatMap(({ event }) =>
    event.type === 'attempt-ended' ? event.snapshot?.refused : [],
  );
  expect(found).toEqual([{ rule: 'two-spellings', where: 'vendor/LIB/x', spelled: 'vendor/LIB', first: 'vendor/lib' }]);
}, 60_000);

test('a gitlink that an agent would replace, initialised or not, holds the task', async () => {
  const rogue = scripted(`rm -r vendor; ln -s . vendor; echo one > one.txt; ${handoff}`);
  await using p = await nested({ land: 'auto', tasks: { rogue } });
  p.git('submodule', '--quiet', 'deinit', '--force', 'vendor/lib');
  runOnly('rm', ['-r', join(p.checkout, '.git/modules')], p.root);
  const held = await p.cli('run', 'plan.yaml', '--yes', '--json');
  expect(held.code).toBe(43);
  expect(held.stdout).toContain('tasks cannot change files in a submodule: vendor/lib');
}, 60_000);

test('a submodule that is not initialised is an empty directory, and one warning before the start', async () => {
  const looks = `test -d vendor/lib; test -z "$(ls -A vendor/lib)"; echo one > one.txt; ${handoff}`;
  await using p = await nested({ land: 'auto', tasks: { one: scripted(looks, { owns: ['one.txt'] }) } });
  p.git('submodule', '--quiet', 'deinit', '--force', 'vendor/lib');
  runOnly('rm', ['-r', join(p.checkout, '.git/modules')], p.root);
  const warning = 'submodules are not checked out, so agents see empty directories: vendor/lib';
  const linted = await p.cli('lint', 'plan.yaml');
  expect(linted.code).toBe(0);
  expect(linted.stdout.split(warning)).toHaveLength(2);
  const ended = await p.cli('run', 'plan.yaml', '--yes');
  expect(ended.code).toBe(0);
  expect(ended.stdout.split(warning)).toHaveLength(2);
}, 60_000);
