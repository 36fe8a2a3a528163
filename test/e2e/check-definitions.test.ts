import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { definitionsOn, loadPlan } from '../../src/adapters/plan-files/index.ts';
import { takeSnapshot } from '../../src/adapters/snapshot/index.ts';
import { makeWorkspace } from '../../src/adapters/workspace/index.ts';
import { taskId } from '../../src/domain/base/ids.ts';
import { explain } from '../../src/domain/explain/explain.ts';
import type { Finding } from '../../src/domain/findings/finding.ts';
import type { FrozenPlan, PlannedTask } from '../../src/domain/plan/plan.ts';
import { outOfScope, scopeOf } from '../../src/domain/scope/scope.ts';
import { tempRepo } from '../support/temp-repo.ts';

/** Files of a project, and the check that it is kept by. */
type Kind = {
  readonly check: string;
  readonly files: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly setup?: string;
};

const manifest = {
  name: 'shop',
  version: '1.0.0',
  scripts: { test: 'npm run unit', unit: 'jest --ci', build: 'tsc' },
  jest: { testTimeout: 100 },
  dependencies: { left: '1.0.0' },
  devDependencies: { jest: '30.0.0' },
};
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const pyproject = '[project]\nname = "shop"\ndependencies = ["left==1"]\n\n[tool.pytest.ini_options]\naddopts = "-q"\n';
const setupCfg = '[metadata]\nname = shop\n\n[options]\ninstall_requires =\n  left\n\n[tool:pytest]\naddopts = -q\n';
const makefile =
  'PYTHON ?= python3\n\ntest: lint\n\t$(PYTHON) -m unittest -q\n\nlint:\n\t./tools/lint.sh\n\nrelease:\n\t./release.sh\n';

const kinds = {
  npm: {
    check: 'npm test',
    files: { 'package.json': json(manifest), 'package-lock.json': '{}\n', 'src/a.js': 'a\n', 'test/a.test.js': 't\n' },
  },
  make: {
    check: 'make test',
    files: {
      Makefile: makefile,
      'tools/lint.sh': '#!/bin/sh\nflake8 src\n',
      'src/a.py': 'a\n',
      'tests/test_a.py': 't\n',
    },
  },
  pytest: {
    check: 'python -m pytest',
    files: {
      'pyproject.toml': pyproject,
      'setup.cfg': setupCfg,
      'uv.lock': 'l\n',
      'src/a.py': 'a\n',
      'tests/test_a.py': 't\n',
    },
  },
  shell: {
    check: 'sh ci/test.sh',
    files: {
      'ci/test.sh': '#!/bin/sh\nset -e\n. ci/common.sh\nbats tests\n',
      'ci/common.sh': 'x=1\n',
      'bin/tool': '#!/bin/sh\n',
      'tests/a.bats': 't\n',
    },
  },
  runner: {
    check: 'npm test',
    files: {
      'package.json': json({ ...manifest, scripts: { test: 'node scripts/test.mjs' } }),
      'scripts/test.mjs': "import './steps.mjs';\n",
      'test/a.test.js': 't\n',
    },
  },
  linked: {
    check: 'sh ci/run.sh',
    files: {
      'ci/run.sh': 'set -e\nhere=$(cd "$(dirname "$0")" && pwd)\n. "$here/lib.sh"\nsh scripts/unit.sh\ncargo test\n',
      'ci/lib.sh': 'x=1\n',
      'tools/unit.sh': 'mypy src\n',
      'setup.cfg': setupCfg,
      'src/a.py': 'a\n',
    },
    links: { scripts: 'other', other: 'tools' },
  },
  chained: {
    check: 'sh t.sh && sh sub/test.sh',
    files: { 'v1.sh': 'pytest\n', 'real/test.sh': 'pytest\n', 'src/a.py': 'a\n', 'scripts/readme': 'x\n' },
    links: { 't.sh': 'scripts/current', 'scripts/current': '../v1.sh', sub: 'real' },
  },
  built: {
    check: 'sh ci/test.sh',
    setup: 'node build.js && npm install',
    files: {
      'ci/test.sh': 'bats tests\n',
      'build.js': 'b\n',
      'package.json': json(manifest),
      'package-lock.json': '{}\n',
    },
  },
} as const satisfies Readonly<Record<string, Kind>>;

type Work = {
  readonly write: (path: string, text: string) => void;
  readonly remove: (path: string) => void;
  readonly move: (from: string, to: string) => void;
  readonly link: (path: string, target: string) => void;
};
type Row = readonly [kind: keyof typeof kinds, what: string, work: (work: Work) => void];

const changed = (change: object): string => json({ ...manifest, ...change });
const scripts = (change: object): string => changed({ scripts: { ...manifest.scripts, ...change } });

/** Changes after which the check proves less, or may. */
const weakening: readonly Row[] = [
  ['npm', 'the script is replaced', ({ write }) => write('package.json', scripts({ test: 'true' }))],
  [
    'npm',
    'a script that it calls is replaced',
    ({ write }) => write('package.json', scripts({ unit: 'jest --passWithNoTests x' })),
  ],
  ['npm', 'a script runs before it', ({ write }) => write('package.json', scripts({ pretest: 'rm -r test' }))],
  ['npm', 'a script runs after what it calls', ({ write }) => write('package.json', scripts({ postunit: 'true' }))],
  ['npm', 'the scripts are gone', ({ write }) => write('package.json', changed({ scripts: undefined }))],
  [
    'npm',
    'the section of the runner leaves tests out',
    ({ write }) => write('package.json', changed({ jest: { testPathIgnorePatterns: ['.*'] } })),
  ],
  [
    'npm',
    'a section of the runner is new',
    ({ write }) => write('package.json', changed({ babel: { plugins: ['./skip.js'] } })),
  ],
  [
    'npm',
    'a configuration file is new',
    ({ write }) => write('jest.config.mjs', 'export default { testMatch: [] };\n'),
  ],
  ['npm', 'the shell of scripts is another', ({ write }) => write('.npmrc', 'script-shell=/bin/true\n')],
  ['npm', 'the manifest cannot be read', ({ write }) => write('package.json', '{')],
  [
    'npm',
    'the manifest is a link',
    ({ write, remove, link }) => {
      write('other.json', json(manifest));
      remove('package.json');
      link('package.json', 'other.json');
    },
  ],
  ['npm', 'the manifest is deleted', ({ remove }) => remove('package.json')],
  ['npm', 'the checks in tidegate.yaml', ({ write }) => write('tidegate.yaml', 'checks: []\n')],
  ['make', 'the recipe', ({ write }) => write('Makefile', makefile.replace('-m unittest -q', '-c pass'))],
  ['make', 'a prerequisite is left out', ({ write }) => write('Makefile', makefile.replace('test: lint', 'test:'))],
  ['make', 'a file that is taken before it', ({ write }) => write('GNUmakefile', 'test:\n\ttrue\n')],
  ['make', 'a script that a recipe starts', ({ write }) => write('tools/lint.sh', '#!/bin/sh\n')],
  ['make', 'configuration of what that script runs', ({ write }) => write('.flake8', '[flake8]\nexclude = src\n')],
  ['make', 'a module in place of the runner', ({ write }) => write('unittest.py', '')],
  [
    'pytest',
    'options in pyproject.toml',
    ({ write }) => write('pyproject.toml', pyproject.replace('"-q"', '"-q --ignore=tests"')),
  ],
  [
    'pytest',
    'a section of setup.cfg',
    ({ write }) => write('setup.cfg', setupCfg.replace('addopts = -q', 'addopts = --collect-only')),
  ],
  [
    'pytest',
    'a file that is taken before both',
    ({ write }) => write('pytest.ini', '[pytest]\naddopts = --collect-only\n'),
  ],
  [
    'pytest',
    'a conftest that leaves tests out',
    ({ write }) => write('tests/conftest.py', 'collect_ignore_glob = ["*"]\n'),
  ],
  ['pytest', 'a section of tox.ini', ({ write }) => write('tox.ini', '[pytest]\naddopts = --collect-only\n')],
  ['pytest', 'a module in place of the runner', ({ write }) => write('pytest.py', '')],
  ['shell', 'the script', ({ write }) => write('ci/test.sh', '#!/bin/sh\nexit 0\n')],
  ['shell', 'a script that it reads', ({ write }) => write('ci/common.sh', 'exit 0\n')],
  ['shell', 'the script is gone', ({ remove }) => remove('ci/test.sh')],
  [
    'shell',
    'its directory is a link',
    ({ write, remove, link }) => {
      write('other/test.sh', 'exit 0\n');
      remove('ci');
      link('ci', 'other');
    },
  ],
  ['npm', 'a program in place of the runner', ({ write }) => write('node_modules/.bin/jest', '#!/bin/sh\n')],
  [
    'npm',
    'a directory of such programs by a link',
    ({ write, link }) => {
      write('programs/.bin/jest', '#!/bin/sh\n');
      link('node_modules', 'programs');
    },
  ],
  ['runner', 'the runner that the script starts', ({ write }) => write('scripts/test.mjs', '')],
  ['runner', 'a program in place of node', ({ write }) => write('node_modules/.bin/node', '#!/bin/sh\n')],
  ['pytest', 'a file nearer to the tests', ({ write }) => write('tests/pytest.ini', '[pytest]\naddopts = --co\n')],
  ['pytest', 'a section nearer to the tests', ({ write }) => write('tests/tox.ini', '[pytest]\naddopts = --co\n')],
  ['linked', 'a script that its directory is worked out of', ({ write }) => write('ci/lib.sh', 'exit 0\n')],
  ['linked', 'a script below a linked directory', ({ write }) => write('tools/unit.sh', 'true\n')],
  [
    'linked',
    'a link on the way to a script',
    ({ write, remove, link }) => {
      write('mine/unit.sh', 'true\n');
      remove('other');
      link('other', 'mine');
    },
  ],
  [
    'linked',
    'a section that only some programs see',
    ({ write }) => write('setup.cfg', `${setupCfg}[mypy] x\nignore_errors = True\n`),
  ],
  [
    'linked',
    'configuration in a new directory, by a link',
    ({ write, link }) => {
      write('settings/config.toml', '[build]\n');
      link('.cargo', 'settings');
    },
  ],
  [
    'chained',
    'a linked directory leads elsewhere',
    ({ write, remove, link }) => {
      write('mine/test.sh', 'true\n');
      remove('sub');
      link('sub', 'mine');
    },
  ],
  [
    'chained',
    'the second link of a chain leads elsewhere',
    ({ write, remove, link }) => {
      write('v2.sh', 'true\n');
      remove('scripts/current');
      link('scripts/current', '../v2.sh');
    },
  ],
  ['chained', 'the end of a chain', ({ write }) => write('v1.sh', 'true\n')],
  ['built', 'the script of setup', ({ write }) => write('build.js', "require('fs').writeFileSync('ci/test.sh', '')\n")],
  ['built', 'a script that setup runs', ({ write }) => write('package.json', scripts({ postinstall: 'node x.js' }))],
  ['built', 'one of a new member', ({ write }) => write('a/package.json', json({ scripts: { prepare: 'node x.js' } }))],
  ['built', 'a build that npm starts', ({ write }) => write('binding.gyp', '{}\n')],
];

/** Ordinary work. */
const ordinary: readonly Row[] = [
  ['npm', 'a dependency', ({ write }) => write('package.json', changed({ dependencies: { left: '2.0.0' } }))],
  [
    'npm',
    'many dependencies',
    ({ write }) =>
      write(
        'package.json',
        changed({ dependencies: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d${at}`, '1'])) }),
      ),
  ],
  ['npm', 'a dependency for development', ({ write }) => write('package.json', changed({ devDependencies: {} }))],
  ['npm', 'a new script', ({ write }) => write('package.json', scripts({ docs: 'typedoc' }))],
  ['npm', 'another script', ({ write }) => write('package.json', scripts({ build: 'esbuild' }))],
  [
    'npm',
    'the version, and how it is written',
    ({ write }) => write('package.json', JSON.stringify({ ...manifest, version: '1.1.0' })),
  ],
  ['npm', 'the lockfile', ({ write }) => write('package-lock.json', '{ "lockfileVersion": 3 }\n')],
  ['npm', 'sources', ({ write }) => write('src/b.js', 'b\n')],
  ['npm', 'a test is added', ({ write }) => write('test/b.test.js', 't\n')],
  ['npm', 'a test is renamed', ({ move }) => move('test/a.test.js', 'test/z.test.js')],
  ['npm', 'a test is deleted', ({ remove }) => remove('test/a.test.js')],
  ['npm', 'configuration of a tool that no check runs', ({ write }) => write('vite.config.ts', 'export default {};\n')],
  ['make', 'a script that only another goal starts', ({ write }) => write('release.sh', '#!/bin/sh\n')],
  ['make', 'sources', ({ write }) => write('src/a.py', 'b\n')],
  ['make', 'tests', ({ write }) => write('tests/test_a.py', 'u\n')],
  ['make', 'a package of tools', ({ write }) => write('tools/format.sh', '#!/bin/sh\n')],
  ['pytest', 'a dependency', ({ write }) => write('pyproject.toml', pyproject.replace('left==1', 'left==2'))],
  [
    'pytest',
    'a table of another tool',
    ({ write }) => write('pyproject.toml', `${pyproject}\n[tool.black]\nline-length = 120\n`),
  ],
  [
    'pytest',
    'a dependency in setup.cfg',
    ({ write }) => write('setup.cfg', setupCfg.replace('  left', '  left\n  right')),
  ],
  ['pytest', 'the lockfile', ({ write }) => write('uv.lock', 'm\n')],
  ['pytest', 'a test is added', ({ write }) => write('tests/test_b.py', 't\n')],
  ['pytest', 'a test is renamed', ({ move }) => move('tests/test_a.py', 'tests/test_z.py')],
  ['pytest', 'a test is deleted', ({ remove }) => remove('tests/test_a.py')],
  ['pytest', 'sources', ({ write }) => write('src/b.py', 'b\n')],
  ['shell', 'the tool itself', ({ write }) => write('bin/tool', '#!/bin/sh\necho hi\n')],
  ['shell', 'a test is added', ({ write }) => write('tests/b.bats', 't\n')],
  ['shell', 'a script that nothing starts', ({ write }) => write('ci/deploy.sh', 'x\n')],
  ['runner', 'a test is added', ({ write }) => write('test/b.test.js', 't\n')],
  ['pytest', 'a table of another tool below', ({ write }) => write('tests/pyproject.toml', '[tool.black]\na = 1\n')],
  ['linked', 'another file beside a script', ({ write }) => write('tools/deploy.sh', 'x\n')],
  ['linked', 'another section', ({ write }) => write('setup.cfg', setupCfg.replace('  left', '  left\n  right'))],
  ['built', 'a dependency', ({ write }) => write('package.json', changed({ dependencies: { left: '2.0.0' } }))],
  ['built', 'a new script', ({ write }) => write('package.json', scripts({ docs: 'typedoc' }))],
  ['built', 'the lockfile', ({ write }) => write('package-lock.json', '{ "lockfileVersion": 3 }\n')],
  ['built', 'a new member', ({ write }) => write('a/package.json', json({ scripts: { test: 'jest' } }))],
  ['chained', 'another link', ({ link }) => link('other.sh', 'v1.sh')],
  ['shell', 'documents', ({ write }) => write('docs/a.md', '# a\n')],
];

/** What the gate says of a change that a task without `owns` made, as a run would judge it. */
async function judged(kind: Kind, work: (work: Work) => void, owns: PlannedTask['owns'] = null) {
  await using repo = await tempRepo();
  for (const [path, target] of Object.entries(kind.links ?? {})) {
    mkdirSync(dirname(join(repo.path, path)), { recursive: true });
    symlinkSync(target, join(repo.path, path));
  }
  const commit = repo.commit('first', kind.files);
  const plan = await planOf(repo.path, kind, owns);
  const repository = await repo.bare(commit);
  const { directory, record } = await makeWorkspace({
    repository,
    directory: join(repo.home, 'job/workspace'),
    commit,
  });
  const at = (path: string) => join(directory, path);
  work({
    write: (path, text) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    },
    remove: (path) => rmSync(at(path), { recursive: true }),
    move: (from, to) => renameSync(at(from), at(to)),
    link: (path, target) => symlinkSync(target, at(path)),
  });
  const ref = 'refs/tidegate/attempts/x';
  const taken = await takeSnapshot({
    repository,
    workspace: directory,
    base: commit,
    from: commit,
    statCache: record,
    ref,
    message: 'x',
  });
  const task = plan.waves[0]?.tasks[0] as PlannedTask;
  const findings = (granted: readonly string[] = []): readonly Finding[] =>
    outOfScope(scopeOf(plan, task, [{ task: taskId('work'), paths: granted }]), taken.diff);
  return { taken, findings };
}

type Checked = Pick<Kind, 'check' | 'setup'>;

async function planOf(root: string, { check, setup }: Checked, owns: PlannedTask['owns']): Promise<FrozenPlan> {
  const task = { do: 'Work on src/a. Acceptance is that it works.', ...(owns === null ? {} : { owns }) };
  const checks = [{ name: 'test', run: check }];
  const text = stringify({ agent: 'claude', ...(setup ? { setup } : {}), checks, tasks: { work: task } });
  const loaded = await loadPlan({
    root,
    planFile: { text },
    currentBranch: 'main',
    definitions: (base, commands) => definitionsOn(root, base, commands),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
  return loaded.plan;
}

const rules = (findings: readonly Finding[]): readonly string[] => [...new Set(findings.map(({ rule }) => rule))];

describe('S3: a change that weakens a check is held', () => {
  test.each(weakening)('%s: %s', async (kind, _what, work) => {
    const { findings, taken } = await judged(kinds[kind], work);
    const held = findings();
    expect(held.length).toBeGreaterThan(0);
    expect(['check-definition', 'agent-config']).toEqual(expect.arrayContaining([...rules(held)]));
    expect(findings(taken.diff.map(({ path }) => path))).toEqual([]);
  });
});

describe('S3: ordinary work is not', () => {
  test.each(ordinary)('%s: %s', async (kind, _what, work) => {
    const { findings, taken } = await judged(kinds[kind], work);
    expect(taken.diff.length).toBeGreaterThan(0);
    expect(findings()).toEqual([]);
  });
});

test('S3: what is shown is just that change', async () => {
  const both = { scripts: { ...manifest.scripts, test: 'true', docs: 'x' }, dependencies: {} };
  const { findings } = await judged(kinds.npm, ({ write }) => write('package.json', changed(both)));
  expect(findings()).toMatchObject([
    { rule: 'check-definition', where: 'package.json', checks: ['test'], keys: ['scripts.test'], grantable: true },
  ]);
  expect(findings().map(explain)).toMatchObject([
    {
      detail:
        'modified package.json: `scripts.test` defines the check test; a task may change that only if `owns` or `shares` names the file, or a person grants it',
      fix: 'tidegate grant work package.json, or tidegate drop work package.json',
    },
  ]);
});

test.each([
  [['package.json'], []],
  [['**'], ['check-definition']],
  [['package.*'], ['check-definition']],
  [['src/**'], ['check-definition']],
])('S3: only a name without a wildcard opens a definition: owns %j', async (owns, expected) => {
  const { findings } = await judged(kinds.npm, ({ write }) => write('package.json', scripts({ test: 'true' })), owns);
  expect(rules(findings())).toEqual(expected);
});

describe('S10: what steers agents, editors, hooks and CI is held unless it is named', () => {
  test.each([
    ...['opencode.json', 'GEMINI.md', '.agents/skills/x/SKILL.md', 'CLAUDE.local.md', '.cursorrules', '.windsurfrules'],
    ...['.devcontainer/devcontainer.json', '.envrc', '.pre-commit-config.yaml', '.gitmodules', 'tidegate.yaml'],
    ...[
      '.claude/settings.json',
      'docs/AGENTS.md',
      '.vscode/tasks.json',
      '.idea/x.xml',
      '.husky/pre-commit',
      'lefthook.yml',
    ],
    ...['.github/workflows/ci.yml', '.gitlab-ci.yml', '.circleci/config.yml', 'Jenkinsfile', 'azure-pipelines.yml'],
    ...['sub/.Cursorrules', '.worktreeinclude'],
  ])('%s', async (path) => {
    await using repo = await tempRepo();
    repo.commit('first', kinds.shell.files);
    const diff = [{ path, change: 'added', oldMode: '000000', newMode: '100644' } as const];
    const rulesOf = async (owns: PlannedTask['owns']) => {
      const plan = await planOf(repo.path, { check: 'true' }, owns);
      return rules(outOfScope(scopeOf(plan, plan.waves[0]?.tasks[0] as PlannedTask, []), diff));
    };
    expect(await rulesOf(null)).toHaveLength(1);
    expect(await rulesOf(['**'])).toEqual(['agent-config']);
    expect(await rulesOf([path])).toEqual([]);
  });
});
