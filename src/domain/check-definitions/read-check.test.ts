import { describe, expect, test } from 'vitest';
import { projectFiles } from '../../../test/support/project-files.ts';
import { changedKeys, withKeysOf } from './definition.ts';
import { definitionsOf } from './read-check.ts';

const manifest = (scripts: Record<string, string>, more: object = {}) =>
  JSON.stringify({ name: 'x', scripts, ...more });

/** Each path as `path` or `path: key key`, without what every check has. */
const defined = (command: string, files: Readonly<Record<string, string>> = {}): readonly string[] =>
  definitionsOf(command, projectFiles(files)).definitions.flatMap(({ path, keys }) =>
    path === 'tidegate.yaml' ? [] : keys === undefined ? path : `${path}: ${keys.join(' ')}`,
  );
const unread = (command: string, files: Readonly<Record<string, string>> = {}): readonly string[] =>
  definitionsOf(command, projectFiles(files)).unread;

test('tidegate.yaml defines every check', () => {
  expect(definitionsOf('test -f x', projectFiles({})).definitions).toEqual([{ path: 'tidegate.yaml' }]);
});

describe('package scripts', () => {
  test('those that a command reaches count, with what runs before and after them, and no others', () => {
    const files = {
      'package.json': manifest({
        test: 'npm run unit && node t.js',
        unit: 'vitest run',
        build: 'tsc',
        pretest: 'true',
      }),
    };
    expect(defined('npm test', files)).toEqual([
      '**/vitest.config.*',
      '.npmrc',
      'node_modules/.bin/**',
      'package.json: scripts.posttest scripts.postunit scripts.pretest scripts.preunit scripts.test scripts.unit',
      't.js',
      'vite.config.*',
      'vitest.config.*',
      'vitest.workspace.*',
    ]);
  });
  test('a runner has its section in package.json', () => {
    const found = defined('npm t', {
      'package.json': manifest({ test: 'NODE_ENV=test jest --ci --config conf/jest.js' }),
    });
    expect(found).toContain('package.json: babel jest scripts.posttest scripts.pretest scripts.test');
    expect(found).toContain('conf/jest.js');
  });
  test('every way to call a script is one', () => {
    const files = {
      'package.json': manifest({ test: 'make check', 'a:b': 'x' }),
      Makefile: 'check:\n\tsh ci/run.sh\n',
    };
    for (const command of [
      ...['npm test', 'npm run test', 'npm run-script test -- --x', 'npm --silent test', 'pnpm test', 'pnpm run test'],
      ...['yarn test', 'yarn run test', 'bun run test', 'CI=1 npm test', 'env CI=1 npm test', 'sh -c "npm test"'],
      ...['node --run test', 'time npm test', 'npx run-s test', 'npx concurrently "npm:test"', 'true && npm test'],
      ...[
        'npx npm-run-all te*',
        'npx -y cross-env CI=1 npm test',
        'npm exec -- npm test',
        'if npm test; then true; fi',
      ],
    ])
      expect([command, defined(command, files)]).toEqual([command, expect.arrayContaining(['Makefile', 'ci/run.sh'])]);
  });
  test('a directory is followed, and settings above it count', () => {
    const files = { 'web/package.json': manifest({ test: 'mocha' }) };
    for (const command of ['cd web && npm test', 'npm --prefix web test', 'npm test --prefix=web', 'pnpm -C web test'])
      expect([command, defined(command, files)]).toEqual([
        command,
        expect.arrayContaining(['.npmrc', 'web/.npmrc', 'web/.mocharc.*']),
      ]);
  });
  test('workspaces: the scripts of the members', () => {
    const files = {
      'package.json': manifest({}, { workspaces: ['pkg/*'] }),
      'pkg/a/package.json': manifest({ test: 'ava' }),
      'pkg/b/package.json': manifest({ test: 'tap' }),
    };
    const found = defined('npm test --workspaces --if-present', files);
    expect(found).toContain('pkg/a/ava.config.*');
    expect(found).toContain('package.json: ava scripts.posttest scripts.pretest scripts.test tap workspaces');
    expect(defined('npm test -w pkg/b', files)).not.toContain('pkg/a/ava.config.*');
    expect(defined('npx turbo run test', files)).toEqual(expect.arrayContaining(['turbo.json', 'pkg/b/.taprc']));
  });
  test('scripts that call themselves end', () => {
    expect(defined('npm test', { 'package.json': manifest({ test: 'npm run a', a: 'npm test' }) })).toContain('.npmrc');
  });
});

describe('make, just and task', () => {
  test('the file counts, names that would be taken instead, and what the goal runs', () => {
    const makefile =
      'PY ?= python3\nRUN = $(PY) -m\ninclude ci/*.mk\nall: test\ntest: lint\n\t@$(RUN) pytest -q\nlint:\n\t-flake8\nrelease:\n\t./publish.sh\n';
    const found = defined('make -j 4 test', { Makefile: makefile });
    expect(found).toEqual(
      expect.arrayContaining(['GNUmakefile', 'Makefile', 'makefile', 'ci/*.mk', '**/pytest.ini', '.flake8']),
    );
    expect(found).not.toContain('publish.sh');
    expect(defined('make', { Makefile: makefile })).toContain('**/pytest.ini');
    expect(defined('make -C sub check', { 'sub/Makefile': 'check:\n\t./t.sh\n' })).toContain('sub/t.sh');
  });
  test('recipes of just and task are followed', () => {
    expect(defined('just test', { justfile: 'test arg="x": build\n    @pytest\nbuild:\n    ./b.sh\n' })).toEqual(
      expect.arrayContaining(['justfile', 'b.sh', '**/pytest.ini']),
    );
    const taskfile =
      'version: "3"\ntasks:\n  test:\n    deps: [build]\n    cmds: [pytest, {task: more}]\n  build: ./b.sh\n  more: {cmd: ruff check}\n';
    expect(defined('task test', { 'Taskfile.yml': taskfile })).toEqual(
      expect.arrayContaining(['Taskfile.yml', 'b.sh', '**/pytest.ini', '**/ruff.toml']),
    );
  });
});

describe('python', () => {
  test('pytest has many homes, and none of them is a test', () => {
    for (const command of [
      'pytest',
      'python -m pytest -q',
      'uv run --no-sync pytest',
      'poetry run pytest tests',
      '.venv/bin/pytest',
      'coverage run -m pytest',
      'tox',
      'nox -s x',
      'PYTHONPATH=. pytest',
    ])
      expect([command, defined(command)]).toEqual([
        command,
        expect.arrayContaining(['**/conftest.py', '**/pytest.ini']),
      ]);
    expect(defined('pytest tests/test_a.py')).toEqual([
      '**/.pytest.ini',
      '**/.pytest.toml',
      '**/conftest.py',
      '**/pyproject.toml: tool.pytest',
      '**/pytest.ini',
      '**/pytest.toml',
      '**/setup.cfg: DEFAULT tool:pytest',
      '**/tox.ini: DEFAULT pytest',
    ]);
  });
  test('a module of the repository is a script', () => {
    expect(defined('python3 -m tools.check', { 'tools/check.py': '' })).toContain('tools/check.py');
    expect(unread('python3 -m nobody')).toEqual(['nobody']);
  });
});

describe('scripts of the repository', () => {
  test('count as a whole, with what they lead to', () => {
    const files = {
      'ci/test.sh':
        '#!/bin/sh\nset -e\ncd "$(dirname "$0")/.."\nrun() { "$@"; }\nrun pytest\nvitest run\n. ci/env.sh\n',
    };
    for (const command of [
      'ci/test.sh',
      './ci/test.sh',
      'bash ci/test.sh x',
      'bash -eu ci/test.sh',
      'cd ci && ./test.sh',
    ])
      expect([command, defined(command, files)]).toEqual([
        command,
        expect.arrayContaining(['ci/test.sh', command.includes('cd') ? 'ci/vitest.config.*' : 'vitest.config.*']),
      ]);
    expect(unread('ci/test.sh', files)).toEqual([]);
  });
  test('started by name are definitions, whatever they are called; files for a runner of tests are none', () => {
    expect(defined('node test.js')).toEqual(['test.js']);
    expect(defined('python3 test_a.py')).toEqual(['test_a.py']);
    expect(defined('node scripts/check.js')).toEqual(['scripts/check.js']);
    expect(defined('sh test.sh')).toEqual(['test.sh']);
    expect(defined('node --test')).toEqual([]);
    expect(defined('node --import ./hook.js --test a.test.js')).toEqual(['hook.js']);
    expect(defined('node -e "process.exit(0)"')).toEqual([]);
  });
});

test('other runners are rows of the table', () => {
  expect(defined('cargo test --workspace')).toContain('.cargo/config.toml');
  expect(defined('cargo clippy')).toContain('clippy.toml');
  expect(defined('golangci-lint run')).toEqual(['**/.golangci.*']);
  expect(defined('npx tsc -p tsconfig.ci.json')).toEqual(['node_modules/.bin/**', 'tsconfig.ci.json', 'tsconfig.json']);
  expect(defined('bundle exec rspec')).toContain('.rspec');
});

test('what cannot be read is named', () => {
  expect(unread('our-tool check')).toEqual(['our-tool']);
  expect(unread('$RUNNER x')).toEqual(['$RUNNER']);
  expect(unread('cd $D && npm test')).toEqual(['npm']);
  expect(unread('test -f a && grep -q x a || exit 1; for i in 1 2; do echo $i; done')).toEqual([]);
  expect(unread('docker compose run x')).toEqual(['docker compose']);
});

describe('keys', () => {
  test('that differ are the innermost that tell it', () => {
    const before = { scripts: { test: 'a', 'x.y': 1 }, jest: { a: [1] }, same: { b: {} } };
    const after = { scripts: { test: 'b', 'x.y': 2, new: 'c' }, jest: { a: [1, 2] }, same: {} };
    expect(changedKeys(before, after)).toEqual(['jest.a', 'scripts."x.y"', 'scripts.new', 'scripts.test']);
    expect(changedKeys(undefined, { scripts: { test: 'x' } })).toEqual(['scripts.test']);
    expect(changedKeys({ a: 1 }, { a: '1' })).toEqual(['a']);
    expect(changedKeys({}, {})).toEqual([]);
  });
  test('that are too many are named by their tables', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`d${at}`, '1']));
    expect(changedKeys({ scripts: { test: 'a' } }, { scripts: { test: 'b' }, dependencies: many })).toEqual([
      'dependencies',
      'scripts',
    ]);
  });
  test('can be put back', () => {
    const before = { scripts: { test: 'a', old: 'o' }, jest: { x: 1 } };
    const after = { name: 'n', scripts: { test: 'b', pretest: 'p', build: 'c' } };
    expect(withKeysOf(before, after, ['scripts.test', 'scripts.pretest', 'jest'])).toEqual({
      name: 'n',
      scripts: { test: 'a', build: 'c' },
      jest: { x: 1 },
    });
  });
});
