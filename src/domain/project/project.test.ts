import { describe, expect, test } from 'vitest';
import { detectProject, type RepositoryFiles } from './project.ts';

/** A repository by its files; those whose content does not matter are empty. */
function tree(texts: Record<string, string>, rest: Partial<RepositoryFiles> = {}): RepositoryFiles {
  return {
    files: Object.keys(texts),
    ignored: [],
    wouldIgnore: ['node_modules', '.venv', 'target'],
    texts,
    ...rest,
  };
}
const json = JSON.stringify;
const detect = (texts: Record<string, string>, rest: Partial<RepositoryFiles> = {}) => {
  const { setup, checks, generated, notes } = detectProject(tree(texts, rest));
  return { setup, checks: checks.map(({ name, run }) => `${name}: ${run}`), generated, notes };
};

describe('a project', () => {
  test('of npm, as `npm init` leaves it, has nothing to set up and no test', () => {
    const scripts = { test: 'echo "Error: no test specified" && exit 1' };
    expect(detect({ 'package.json': json({ name: 'a', scripts }), 'index.js': '' })).toEqual({
      setup: null,
      checks: [],
      generated: {},
      notes: [],
    });
  });

  test('of npm with TypeScript is set up from its lock file, tested, linted and type-checked', () => {
    const scripts = { build: 'tsc -b', test: 'vitest', lint: 'eslint .', 'type-check': 'tsc --noEmit', dev: 'vite' };
    expect(
      detect({ 'package.json': json({ scripts, devDependencies: { vitest: '5' } }), 'package-lock.json': '{}' }),
    ).toEqual({
      setup: 'npm ci',
      checks: ['test: npm test', 'lint: npm run lint', 'typecheck: npm run type-check'],
      generated: { 'package-lock.json': 'npm install --package-lock-only' },
      notes: [],
    });
  });

  test.each([
    [{ 'pnpm-lock.yaml': '' }, {}, 'pnpm install --frozen-lockfile', 'pnpm test', 'pnpm install --lockfile-only'],
    [{ 'yarn.lock': '' }, {}, 'yarn install --frozen-lockfile', 'yarn test', 'yarn install --ignore-scripts'],
    [
      { 'yarn.lock': '', '.yarnrc.yml': '' },
      {},
      'yarn install --immutable',
      'yarn test',
      'yarn install --mode=update-lockfile',
    ],
    [
      { 'yarn.lock': '' },
      { packageManager: 'yarn@4.5.0+sha512.abc' },
      'yarn install --immutable',
      'yarn test',
      'yarn install --mode=update-lockfile',
    ],
    [{ 'bun.lock': '' }, {}, 'bun install --frozen-lockfile', 'bun run test', 'bun install --lockfile-only'],
  ])('is managed by what its lock file says: %j %j', (files, more, setup, run, relock) => {
    const found = detect({ 'package.json': json({ scripts: { test: 'x' }, ...more }), ...files });
    expect(found).toEqual({
      setup,
      checks: [`test: ${run}`],
      generated: { [Object.keys(files)[0] ?? '']: relock },
      notes: [],
    });
  });

  test('without a lock file is managed by what its manifest says, and needs setup only for dependencies', () => {
    const manifest = { packageManager: 'pnpm@10.1.0', scripts: { test: 'x' } };
    expect(detect({ 'package.json': json(manifest) }).setup).toBe(null);
    expect(detect({ 'package.json': json({ ...manifest, dependencies: { a: '1' } }) }).setup).toBe('pnpm install');
  });

  test('whose manifest is broken is as good as without one', () => {
    expect(detect({ 'package.json': '{ "scripts": ', 'test.sh': '' }).checks).toEqual(['test: sh test.sh']);
    expect(detect({ 'package.json': '[]' }).checks).toEqual([]);
  });

  test.each([
    [{ 'package-lock.json': '' }, { workspaces: ['packages/*'] }, 'npm run test --workspaces --if-present'],
    [{ 'pnpm-lock.yaml': '', 'pnpm-workspace.yaml': '' }, {}, 'pnpm -r --if-present run test'],
    [{ 'yarn.lock': '', '.yarnrc.yml': '' }, { workspaces: ['*'] }, 'yarn workspaces foreach --all run test'],
    [{ 'pnpm-lock.yaml': '', 'pnpm-workspace.yaml': '', 'turbo.json': '' }, {}, 'pnpm exec turbo run test'],
    [{ 'package-lock.json': '', 'nx.json': '' }, { workspaces: ['*'] }, 'npx nx run-many -t test'],
  ])('with workspaces is tested in all of them unless the top has a test: %j', (files, more, run) => {
    const members = {
      'packages/a/package.json': json({ scripts: { test: 'vitest' } }),
      'packages/b/package.json': json({}),
    };
    const found = detect({ 'package.json': json(more), ...files, ...members });
    expect(found.checks).toEqual([`test: ${run}`]);
    expect(found.notes).toEqual([
      "2 packages (packages/a, packages/b): let tasks own one each, as in owns: ['packages/a/**']",
    ]);
    const one = { 'packages/a/package.json': members['packages/a/package.json'] };
    expect(detect({ 'package.json': json(more), ...files, ...one }).notes[0]).toMatch(/^1 package \(packages\/a\): /);
    const own = detect({ 'package.json': json({ ...more, scripts: { test: 'all' } }), ...files, ...members });
    expect(own.checks).toEqual([expect.stringMatching(/^test: p?npm test$|^test: yarn test$/)]);
  });

  test('of uv runs its checks without looking for packages', () => {
    const project = '[project]\nname = "a"\n[dependency-groups]\ndev = ["pytest>=8", "ruff", "mypy==1.2"]\n';
    expect(detect({ 'pyproject.toml': project, 'uv.lock': '' })).toEqual({
      setup: 'uv sync --frozen',
      checks: [
        'test: uv run --no-sync pytest',
        'lint: uv run --no-sync ruff check .',
        'typecheck: uv run --no-sync mypy .',
      ],
      generated: { 'uv.lock': 'uv lock' },
      notes: [],
    });
  });

  test('of poetry has its environment in the workspace', () => {
    const project = '[tool.poetry]\nname = "a"\n[tool.poetry.group.dev.dependencies]\npytest = "^8"\n';
    expect(detect({ 'pyproject.toml': project, 'poetry.lock': '' })).toMatchObject({
      setup: 'POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install',
      checks: ['test: poetry run pytest'],
    });
  });

  test.each([
    [
      { 'requirements.txt': 'flask\n', 'requirements-dev.txt': 'pytest\n' },
      'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt -r requirements-dev.txt',
      ['test: .venv/bin/python -m pytest'],
    ],
    [
      {
        'pyproject.toml':
          '[build-system]\nrequires = ["hatchling"]\n[project.optional-dependencies]\ntest = [\n  "pytest",\n]\n[tool.ruff]\n',
      },
      "python3 -m venv .venv && .venv/bin/pip install -e '.[test]'",
      ['test: .venv/bin/python -m pytest'],
    ],
    [
      { 'setup.py': '', 'tests/test_a.py': '' },
      expect.stringContaining('-e .'),
      ['test: .venv/bin/python -m unittest'],
    ],
    [{ 'pyproject.toml': '[tool.black]\n', 'test_a.py': '' }, null, ['test: python3 -m unittest']],
    [{ 'requirements.txt': 'flask\n' }, expect.any(String), []],
  ])('of pip is installed into a .venv: %j', (files, setup, checks) => {
    expect(detect(files)).toMatchObject({ setup, checks });
  });

  test('of cargo brings its crates along, and needs nothing without any', () => {
    const lock = '[[package]]\nname = "serde"\nversion = "1"\nsource = "registry+https://x"\n';
    expect(detect({ 'Cargo.toml': '[package]\n[dependencies]\nserde = "1"\n', 'Cargo.lock': lock })).toEqual({
      setup: 'CARGO_HOME="$PWD/target/crates" cargo fetch --locked',
      checks: ['test: CARGO_HOME="$PWD/target/crates" cargo test --offline'],
      generated: { 'Cargo.lock': 'cargo update --workspace' },
      notes: [],
    });
    expect(detect({ 'Cargo.toml': '[package]\nname = "a"\n' })).toMatchObject({
      setup: null,
      checks: ['test: cargo test --offline'],
    });
  });

  test('of Go needs its modules in vendor, and says so where that would count as work', () => {
    const mod = 'module a\n\nrequire (\n\tx.org/y v1.0.0\n)\n';
    expect(detect({ 'go.mod': 'module a\n' })).toMatchObject({
      setup: null,
      checks: ['test: go test ./...'],
      notes: [],
    });
    expect(detect({ 'go.mod': mod, 'vendor/modules.txt': '' })).toMatchObject({ setup: null, notes: [] });
    expect(detect({ 'go.mod': mod }, { wouldIgnore: ['vendor'] })).toMatchObject({ setup: 'go mod vendor', notes: [] });
    expect(detect({ 'go.mod': mod, 'go.sum': '' })).toMatchObject({
      setup: null,
      generated: { 'go.sum': 'go mod tidy' },
      notes: [expect.stringContaining('commit vendor/')],
    });
  });

  test('of make has the targets that are there, unless a package manager knows better', () => {
    const make = 'CC := gcc\ntest: build\n\t./run\nlint:\n\ttidy\ncheck: test\n';
    expect(detect({ Makefile: make, 'main.c': '' }).checks).toEqual(['test: make test', 'lint: make lint']);
    expect(detect({ Makefile: 'check:\n\tx\n' }).checks).toEqual(['check: make check']);
    expect(detect({ Makefile: 'test := 1\nall:\n' }).checks).toEqual([]);
    expect(detect({ Makefile: make, 'package.json': json({ scripts: { test: 'x' } }) }).checks).toEqual([
      'test: npm test',
    ]);
  });

  test('of two languages at the top has the checks of both', () => {
    const found = detect({
      'package.json': json({ scripts: { test: 'x' }, dependencies: { a: '1' } }),
      'requirements.txt': 'pytest\n',
    });
    expect(found.setup).toBe('npm install && python3 -m venv .venv && .venv/bin/pip install -r requirements.txt');
    expect(found.checks).toEqual(['test: npm test', 'pip test: .venv/bin/python -m pytest']);
  });

  test('that has its parts in directories is looked for there', () => {
    const found = detect({
      'README.md': '',
      'web/package.json': json({ scripts: { test: 'x', lint: 'y' } }),
      'web/package-lock.json': '',
      'web/src/index.ts': '',
      'api/go.mod': 'module api\n',
    });
    expect(found).toEqual({
      setup: '(cd web && npm ci)',
      checks: ['web test: cd web && npm test', 'web lint: cd web && npm run lint', 'api test: cd api && go test ./...'],
      generated: { 'web/package-lock.json': 'cd web && npm install --package-lock-only' },
      notes: [],
    });
  });

  test('whose product of setup is not ignored is told', () => {
    const files = { 'package.json': json({ scripts: {} }), 'package-lock.json': '' };
    expect(detect(files, { wouldIgnore: [] }).notes).toEqual([
      expect.stringMatching(/^node_modules is not in .gitignore/),
    ]);
  });

  test('with ignored environment files has them included, and not their samples or what lies in ignored directories', () => {
    const ignored = ['.env', '.env.local', 'apps/web/.env', 'node_modules/', '.env.example', 'a.env.txt', 'dist/'];
    const { include, notes } = detectProject(tree({}, { ignored }));
    expect(include).toEqual(['/.env', '/.env.local', '/apps/web/.env']);
    expect(notes).toEqual(['agents can read what is in .env, .env.local, apps/web/.env: see .worktreeinclude']);
  });

  test('with compose files is told how tasks keep apart', () => {
    const { notes } = detectProject(tree({ 'docker-compose.yml': '', 'infra/compose.dev.yaml': '', 'compose.md': '' }));
    expect(notes).toEqual([
      expect.stringMatching(/^docker-compose.yml, infra\/compose.dev.yaml: .*COMPOSE_PROJECT_NAME/),
    ]);
  });
});
