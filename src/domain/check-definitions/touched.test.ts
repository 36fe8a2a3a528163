import { describe, expect, test } from 'vitest';
import { projectFiles } from '../../../test/support/project-files.ts';
import { keysBetweenTexts } from '../../adapters/files/structured-text.ts';
import { compileDefinitions, touchedDefinition } from './definition.ts';
import { definitionsOf } from './read-check.ts';

type Files = Readonly<Record<string, string>>;
type Row = readonly [command: string, files: Files, path: string, after?: string];

const script = (test: string): Files => ({ 'package.json': JSON.stringify({ scripts: { test } }) });

const touched = ([command, files, path, after = 'x\n']: Row) => {
  const { definitions } = definitionsOf(command, projectFiles(files));
  const hasKeys = /(^|\/)(package\.json|pyproject\.toml|setup\.cfg|tox\.ini)$/.test(path);
  const keys = hasKeys ? keysBetweenTexts(path, files[path] ?? null, after) : null;
  return touchedDefinition(compileDefinitions([{ name: 'test', definitions }]), path, keys);
};
const unread = (command: string, files: Files = {}) => definitionsOf(command, projectFiles(files)).unread;

const titled = (rows: readonly Row[]) =>
  rows.map((row) => ({ row, title: `${row[0]} ${JSON.stringify(row[1])}: ${row[2]}` }));

const ini = (section: string) => `[${section}]\naddopts = --collect-only\n`;
const toml = (table: string) => `[tool.${table}]\nx = 1\n`;
const here = 'here=$(cd "$(dirname "$0")" && pwd)\n';

const weakening: readonly Row[] = [
  // a file that is started by name is no test
  ['npm test', script('node scripts/test.mjs'), 'scripts/test.mjs'],
  ['node test.js', {}, 'test.js'],
  ['tsx spec.ts', {}, 'spec.ts'],
  ['python3 run_test.py', {}, 'run_test.py'],
  ['node --test-reporter spec scripts/test.mjs', {}, 'scripts/test.mjs'],
  // a planted program
  ['npm test', script('node x.js'), 'node_modules/.bin/node'],
  ['npm --prefix web test', { 'web/package.json': script('jest')['package.json'] ?? '' }, 'web/node_modules/.bin/jest'],
  ['npm --prefix web test', { 'web/package.json': script('jest')['package.json'] ?? '' }, 'node_modules/.bin/jest'],
  ['npx jest', {}, 'node_modules/.bin/jest'],
  ['npm exec jest', {}, 'node_modules/.bin/jest'],
  ['npx jest', {}, 'node_modules'],
  ['.venv/bin/pytest', {}, '.venv/bin/pytest'],
  // a link in place of a directory that definitions would be in
  ['cargo test', { 'Cargo.toml': '' }, '.cargo'],
  ['sh ci/test.sh', { 'ci/test.sh': 'pytest\n' }, 'ci'],
  // configuration nearest to what a program is given
  ['pytest tests', {}, 'tests/pytest.ini'],
  ['pytest tests', {}, 'tests/tox.ini', ini('pytest')],
  ['pytest tests', {}, 'tests/setup.cfg', ini('tool:pytest')],
  ['pytest tests', {}, 'tests/pyproject.toml', toml('pytest.ini_options')],
  ['ruff check', {}, 'src/pyproject.toml', toml('ruff')],
  ['ruff check', {}, 'src/ruff.toml'],
  ['black --check src', {}, 'src/pyproject.toml', toml('black')],
  ['prettier --check .', {}, 'src/.prettierrc'],
  ['cargo fmt --check', {}, 'src/rustfmt.toml'],
  ['vitest run --root web', {}, 'web/vitest.config.ts'],
  // options of python
  ['python -W error -m pytest', {}, 'pytest.ini'],
  ['python -X dev -Wdefault -m pytest', {}, 'pytest.ini'],
  ['python -bWerror -mpytest', {}, 'pytest.ini'],
  ['python -W error tools/check.py', {}, 'tools/check.py'],
  // a path with `..`
  ['cd a/b && jest --config ../../jest.base.js', {}, 'jest.base.js'],
  ['make -C sub test', { 'sub/Makefile': 'include ../common.mk\ntest:\n\ttrue\n' }, 'common.mk'],
  ['make -C sub -f ../main.mk test', { 'main.mk': 'test:\n\tpytest\n' }, 'main.mk'],
  ['make test', { Makefile: 'TOP = ci\ninclude $(TOP)/*.mk\n', 'ci/a.mk': 'test:\n\tpytest\n' }, 'pytest.ini'],
  // scripts that work out where they are
  ['bash ci/ci.sh', { 'ci/ci.sh': `${here}"$here/unit.sh"\n`, 'ci/unit.sh': 'pytest\n' }, 'ci/unit.sh'],
  ['bash ci/ci.sh', { 'ci/ci.sh': `${here}"$here/unit.sh"\n`, 'ci/unit.sh': 'pytest\n' }, 'pytest.ini'],
  ['bash ci/ci.sh', { 'ci/ci.sh': '. "$(dirname "$0")/../lib/lib.sh"\n', 'lib/lib.sh': 'x\n' }, 'lib/lib.sh'],
  ['bash ci/ci.sh', { 'ci/ci.sh': 'node "$HERE/check.mjs"\n', 'ci/check.mjs': '' }, 'ci/check.mjs'],
  ['ci/ci.sh', { 'ci/ci.sh': 'cd "$(dirname "$0")"\n./unit.sh\n', 'ci/unit.sh': '' }, 'ci/unit.sh'],
  ['bash ci.sh', { 'ci.sh': '"$VENV/bin/pytest" -q\n' }, 'pytest.ini'],
  ['bash ci.sh', { 'ci.sh': 'run() {\n  "$@"\n}\nrun pytest -q\n' }, 'pytest.ini'],
  ['bash env.sh pytest -q', { 'env.sh': 'set -e\nexec "$@"\n' }, 'pytest.ini'],
  // shells within the shell
  ['bash ci.sh', { 'ci.sh': '(\n  cd api\n  mypy\n)\n' }, 'api/mypy.ini'],
  ['bash ci.sh', { 'ci.sh': '(pytest)\n' }, 'pytest.ini'],
  ['(pytest)', {}, 'pytest.ini'],
  ['(cd api && mypy)', {}, 'api/mypy.ini'],
  ['bash ci.sh', { 'ci.sh': 'case "$1" in\n  pytest) pytest ;;\nesac\n' }, 'pytest.ini'],
  // make, just, task
  ['make test-unit', { Makefile: 'test-%: lint-%\n\tpytest $*\nlint-%:\n\tflake8\n' }, 'pytest.ini'],
  ['make test-unit', { Makefile: 'test-%: lint-%\n\tpytest $*\nlint-%:\n\tflake8\n' }, '.flake8'],
  ['make run-pytest', { Makefile: 'run-%:\n\t$*\n' }, 'pytest.ini'],
  ['make', { Makefile: 'RUN = echo\nRUN += && pytest\nall:\n\t$(RUN)\n' }, 'pytest.ini'],
  ['just t', { justfile: 'import "ci.just"\nalias t := test\n', 'ci.just': 'test:\n  pytest\n' }, 'pytest.ini'],
  ['task test-unit', { 'Taskfile.yml': 'tasks:\n  test-*:\n    cmds: [pytest]\n' }, 'pytest.ini'],
  [
    'task test',
    {
      'Taskfile.yml': 'includes: {ci: ./ci}\ntasks:\n  test:\n    cmds: [{task: "ci:unit"}]\n',
      'ci/Taskfile.yml': 'includes: {up: ../Taskfile.yml}\ntasks:\n  unit: pytest\n',
    },
    'ci/pytest.ini',
  ],
  // tasks of Python's package managers
  ['pixi run test', { 'pixi.toml': '[tasks]\ntest = "pytest -q"\n' }, 'pytest.ini'],
  [
    'pixi run test',
    { 'pyproject.toml': '[tool.pixi.tasks]\ntest = { cmd = ["mypy"], depends-on = ["a"] }\na = "ruff check"\n' },
    'ruff.toml',
  ],
  ['pixi run test', { 'pyproject.toml': '' }, 'pyproject.toml', '[tool.pixi.tasks]\ntest = "true"\n'],
  ['hatch run ci:cov', { 'pyproject.toml': '[tool.hatch.envs.ci.scripts]\ncov = ["mypy", "pytest"]\n' }, 'pytest.ini'],
  ['hatch test', {}, 'pytest.ini'],
  ['pdm run test', { 'pyproject.toml': '[tool.pdm.scripts]\ntest = {composite = ["a"]}\na = "mypy"\n' }, 'mypy.ini'],
  ['uv --directory api run mypy', {}, 'api/mypy.ini'],
  ['uv run check.py', { 'check.py': '' }, 'check.py'],
  // INI
  [
    'mypy',
    { 'setup.cfg': '[metadata]\nname = x\n' },
    'setup.cfg',
    '[metadata]\nname = x\n[mypy] x\nignore_errors = 1\n',
  ],
  ['mypy', { 'setup.cfg': '[metadata]\n' }, 'setup.cfg', '[metadata]\n [mypy]\nignore_errors = 1\n'],
  ['mypy', { 'setup.cfg': '[metadata]\nname = x\n' }, 'setup.cfg', '[metadata]\nname = x\r[mypy]\rignore_errors = 1\n'],
  ['mypy', { 'setup.cfg': '[metadata]\n' }, 'setup.cfg', '[mypy-src.*]\nignore_errors = True\n'],
  ['mypy', { 'setup.cfg': '[metadata]\n' }, 'setup.cfg', '[DEFAULT]\nignore_errors = True\n'],
  ['flake8', { 'setup.cfg': '[metadata]\n' }, 'setup.cfg', '[flake8:local-plugins]\nx = y\n'],
  // configuration that leads to other files
  ['tsc', { 'tsconfig.json': '{ "extends": "./ci/base" }', 'ci/base.json': '{}' }, 'ci/base.json'],
  [
    'tsc -b',
    { 'tsconfig.json': '{ "references": [{ "path": "./core" }] }', 'core/tsconfig.json': '{}' },
    'core/tsconfig.json',
  ],
  ['eslint .', { '.eslintrc.yml': 'extends:\n  - ./base.js\n', 'base.js': '' }, 'base.js'],
  ['ruff check', { 'ruff.toml': 'extend = "base.toml"\n', 'base.toml': '' }, 'base.toml'],
  [
    'jest',
    { 'jest.config.js': "module.exports = { preset: '<rootDir>/ci/preset.js' };", 'ci/preset.js': '' },
    'ci/preset.js',
  ],
  ['vitest run', { 'vitest.config.ts': "import shared from './shared.js';", 'shared.ts': '' }, 'shared.ts'],
  [
    'vitest run',
    { 'vite.config.ts': "export default { test: { setupFiles: ['./setup.ts'] } };", 'setup.ts': '' },
    'setup.ts',
  ],
  // make: a goal that is a file, or a directory, is up to date
  ['make check', { Makefile: 'check:\n\tgrep good src.txt\n' }, 'check'],
  ['make check', { Makefile: 'check:\n\tgrep good src.txt\n' }, 'check/a.txt'],
  ['make', { Makefile: 'test: lint\nlint:\n\tgrep good src.txt\n' }, 'lint'],
  ['make -C sub test-unit', { 'sub/Makefile': 'test-%:\n\tpytest\n' }, 'sub/test-unit/a'],
  // make: it makes its own file anew from these
  ['make test', { Makefile: '.PHONY: test\ntest:\n\tpytest\n' }, 'Makefile.sh'],
  ['make test', { Makefile: 'include ci.mk\n', 'ci.mk': 'test:\n\tpytest\n' }, 'ci.mk.sh'],
  // a nearer manifest
  ['cd app && npm test', script('jest'), 'app/package.json', '{"scripts":{"test":"true"}}'],
  ['cd app && npm run test --if-present', script('jest'), 'app/package.json', '{}'],
  ['cd app && yarn test', script('jest'), 'app/package.json', '{"scripts":{"test":"true"}}'],
  ['yarn jest', { 'package.json': '{}' }, 'package.json', '{"scripts":{"jest":"true"}}'],
  ['cd app && pnpm run test', script('jest'), 'app/package.json', '{"scripts":{"test":"true"}}'],
  ['cd app && make test', { 'app/Makefile': 'test:\n\tpytest\n' }, 'app/GNUmakefile'],
  ['cd app && just test', { justfile: 'test:\n  pytest\n' }, 'app/justfile'],
  ['cd app && task test', { 'Taskfile.yml': 'tasks: {test: pytest}\n' }, 'app/Taskfile.yml'],
  ['cd app && deno task test', { 'deno.json': '{"tasks":{"test":"true"}}' }, 'app/deno.json'],
  ['cd app && deno task test', { 'deno.json': '{"tasks":{"test":"sh ci.sh"}}' }, 'ci.sh'],
  ['cd app && composer test', { 'composer.json': '{"scripts":{"test":"phpunit"}}' }, 'app/composer.json'],
  ['composer test', { 'composer.json': '{"scripts":{"test":["@unit"],"unit":"phpunit"}}' }, 'phpunit.xml'],
  ['composer run-script test', { 'composer.json': '{"scripts":{"test":"sh ci.sh"}}' }, 'ci.sh'],
  ['cd app && cargo test', { 'Cargo.toml': '' }, 'app/Cargo.toml'],
  // make: files that it includes
  ['make', { Makefile: 'include $(wildcard mk/*.mk)\n', 'mk/a.mk': 'all:\n\tpytest\n' }, 'mk/a.mk'],
  ['make', { Makefile: 'include $(wildcard mk/*.mk)\n', 'mk/a.mk': 'all:\n\tpytest\n' }, 'mk/b.mk'],
  ['make', { Makefile: 'D=mk\nifdef D\n  include $(D)/a.mk\nendif\n', 'mk/a.mk': 'all:\n\tpytest\n' }, 'pytest.ini'],
  // files that the shell is given
  ['sh "$PWD/ci/test.sh"', { 'ci/test.sh': '' }, 'ci/test.sh'],
  ['sh < ci/test.sh', { 'ci/test.sh': 'pytest\n' }, 'ci/test.sh'],
  ['sh < ci/test.sh', { 'ci/test.sh': 'pytest\n' }, 'pytest.ini'],
  ['node < check.js', {}, 'check.js'],
  ['sh ci/*.sh', { 'ci/a.sh': 'pytest\n' }, 'pytest.ini'],
  ['sh ci/*.sh', { 'ci/a.sh': 'pytest\n' }, 'ci/b.sh'],
  // setup, which is read the same way
  ['npm ci', {}, 'package.json', '{"scripts":{"postinstall":"node x.js"}}'],
  ['yarn', {}, 'packages/a/package.json', '{"scripts":{"prepare":"node x.js"}}'],
  ['pip install -e .[dev]', {}, 'setup.py'],
  ['uv sync', {}, 'pyproject.toml', '[build-system]\nbuild-backend = "mine"\n'],
  ['Rscript tests.R', {}, 'tests.R'],
  ['elixir test.exs', {}, 'test.exs'],
  // build tools
  ['./gradlew test', {}, 'build.gradle.kts'],
  ['./gradlew test', {}, 'app/build.gradle'],
  ['./gradlew test', {}, 'gradlew'],
  ['./gradlew test', {}, 'settings.gradle'],
  ['./gradlew test', {}, 'gradle/wrapper/gradle-wrapper.properties'],
  ['./mvnw verify', {}, 'pom.xml'],
  ['swift test', {}, 'Package.swift'],
  ['ninja test', {}, 'build.ninja'],
  ['docker compose run test', {}, 'compose.yaml'],
  ['docker compose -f ci/all.yml run test', {}, 'ci/all.yml'],
  ['docker build .', {}, 'Dockerfile'],
  // configuration below
  ['eslint .', {}, 'src/eslint.config.js'],
  ['prettier --check .', {}, 'src/.editorconfig'],
  ['shellcheck ci/a.sh', {}, 'ci/.shellcheckrc'],
  ['tsc -b', {}, 'packages/a/tsconfig.json'],
  ['tsc -b packages/a', {}, 'packages/a/tsconfig.json'],
  ['vitest run', {}, 'packages/a/vitest.config.ts'],
  ['cargo test', { 'Cargo.toml': '' }, 'core/Cargo.toml'],
  ['yarn test', script('jest'), '.pnp.cjs'],
  ['rg good src', {}, '.ignore'],
  ['rg good src', {}, 'src/.rgignore'],
];

describe('a change that weakens a check touches a definition', () => {
  test.each(titled(weakening))('$title', ({ row }) => expect(touched(row)).toMatchObject({ checks: ['test'] }));
});

const ordinary: readonly Row[] = [
  ['node --test test/a.test.js', {}, 'test/a.test.js'],
  ['tsx --test test/a.test.ts', {}, 'test/a.test.ts'],
  ['pytest tests/test_a.py', {}, 'tests/test_a.py'],
  ['pytest', {}, 'tests/pyproject.toml', toml('black')],
  ['npm test', script('vitest run'), 'node_modules/vitest/index.js'],
  ['npm test', script('vitest run'), 'web/.binary'],
  ['vitest run', { 'vitest.config.ts': "import x from 'vitest/config';" }, 'src/config.ts'],
  [
    'tsc',
    { 'tsconfig.json': '{ "compilerOptions": { "paths": { "a": ["./src/a.ts"] } }, "include": ["./src"] }' },
    'src/a.ts',
  ],
  ['mypy', { 'setup.cfg': '[metadata]\nname = x\n' }, 'setup.cfg', '[metadata]\nname = y\n  [a]\n'],
  ['bash ci/ci.sh', { 'ci/ci.sh': '. "$here/lib.sh"\n', 'ci/lib.sh': '' }, 'src/a.py'],
  ['make test', { Makefile: 'test: a.txt\n\tpytest\n', 'a.txt': '' }, 'a.txt'],
  ['awk -F: "{print $1}" data.txt', {}, 'data.txt'],
  ['make test', { Makefile: '.PHONY: test\ntest:\n\tpytest\n' }, 'test/a.py'],
  ['make test', { Makefile: 'test:\n\tpytest\n', 'test/a.py': '' }, 'test/b.py'],
  ['make all', { Makefile: 'all: test\n.PHONY: test\ntest:\n\tpytest\n' }, 'all/a.py'],
  ['npm test', script('vitest run'), 'app/package.json', '{"scripts":{"test":"true"}}'],
  ['cd app && npm test', { 'app/package.json': script('jest')['package.json'] ?? '' }, 'app/src/package.json', '{}'],
  ['docker build .', {}, 'src/a.js'],
  ['npm ci', {}, 'package.json', '{"dependencies":{"a":"1"},"scripts":{"docs":"typedoc"}}'],
  ['npm ci', {}, 'package-lock.json'],
  ['uv sync', {}, 'pyproject.toml', '[project]\ndependencies = ["a"]\n'],
  ['pip install -r requirements.txt', {}, 'requirements.txt'],
];

describe('ordinary work does not', () => {
  test.each(titled(ordinary))('$title', ({ row }) => expect(touched(row)).toBeNull());
});

describe('a person is asked for the files', () => {
  test.each([
    ['bash ci.sh', { 'ci.sh': '"$RUNNER" -q\n' }, '$RUNNER'],
    ['bash ci.sh', { 'ci.sh': `${here}. "$here/none.sh"\n` }, '$here/none.sh'],
    ['bash ci.sh', { 'ci.sh': 'for d in a b; do\n  cd "$d"\n  npm test\ndone\n' }, 'npm'],
    ['make -C "$D" test', {}, 'make'],
    ['make test-unit', { Makefile: 'test:\n\ttrue\n' }, 'make test-unit'],
    ['make test', { Makefile: 'test: $(TESTS:%=run-%)\n' }, 'make $(TESTS:%=run-%)'],
    ['just unit', { justfile: 'test:\n  pytest\n' }, 'just unit'],
    ['task unit', { 'Taskfile.yml': 'tasks: {test: pytest}\n' }, 'task unit'],
    ['pixi run test', {}, 'pixi run test'],
    ['pdm run test', { 'pyproject.toml': '[tool.pdm.scripts]\nlint = "ruff"\n' }, 'pdm run test'],
    ['poetry run test', {}, 'poetry run test'],
    ['echo ci/test.sh | xargs sh', {}, 'sh'],
    ['echo ci/test.sh | xargs -n1 sh -e', {}, 'sh'],
    ['find ci -name test.sh -exec sh {} \\;', {}, '{}'],
    ['find ci -name test.js -exec node {} +', {}, '{}'],
    ['cat ci/test.sh | sh', {}, 'sh'],
    ['cat check.py | python3 -', {}, 'python3'],
    ['cat check.js | node', {}, 'node'],
    ['bash -s < "$T"', {}, '$T'],
    ['sh -c "$(cat ci/test.sh)"', {}, '$(…)'],
    ['eval "$(cat ci/test.sh)"', {}, 'eval'],
    ['T=ci/test.sh; sh $T', {}, '$T'],
    ['for f in ci/*.sh; do sh "$f"; done', {}, '$f'],
    ['sh <<E\n. ci/test.sh\nE\n', {}, 'sh'],
    ['node -e \'require("./check.js")\'', {}, 'node -e'],
    ["python3 -c 'import check'", {}, 'python3 -c'],
    ['perl -e \'do "./check.pl"\'', {}, 'perl -e'],
    ['ruby -e \'load "check.rb"\'', {}, 'ruby -e'],
    ['docker run x sh ci/test.sh', {}, 'docker run'],
    ['docker compose run test', {}, 'docker compose'],
    ['npm run test:$X', {}, 'test:$X'],
    ['make', { Makefile: 'include $(shell ls mk)\nall:\n\ttrue\n' }, 'include $(shell ls mk)'],
    ['make test', {}, 'make'],
    [
      'vitest run',
      { 'vitest.config.ts': "import a from './a.ts';", 'a.ts': "import b from './b.ts';", 'b.ts': '' },
      'a.ts',
    ],
  ] as const)('%s %j', (command, files, expected) => expect(unread(command, files)).toEqual([expected]));
});

describe('nobody is asked for nothing', () => {
  test.each([
    ['bash ci.sh', { 'ci.sh': 'if [ -f x ] && [[ $a == b ]]; then echo "$x"; fi\nrun() { "$@"; }\nrun pytest\n' }],
    ['bash ci.sh', { 'ci.sh': 'case "$1" in\n  # all\n  a|b) echo a ;;\n  *) exit 1 ;;\nesac\nx=$(date)\n' }],
    [
      'make test',
      { Makefile: '.PHONY: test\ntest: build\n\t@echo $$HOME $@\nbuild: a.txt | out\nout:\n\tmkdir $@\n', 'a.txt': '' },
    ],
    [
      'just test one',
      { justfile: 'test name: (build "x") && after\n  pytest {{name}}\nbuild x:\n  true\nafter:\n  true\n' },
    ],
    ['just test one two', { justfile: 'test *args:\n  pytest {{args}}\n' }],
    ['(cd web && npx vitest)', {}],
    ['node --version && python3 -V && bash --version && docker ps', {}],
    ['node -e "process.exit(0)" && python3 -c "print(1)"', {}],
    ['sh -c "npm test" && bash -ec \'pytest $X\'', script('jest')],
    ['eval "pytest -q"', {}],
    ['python3 -m venv .venv && .venv/bin/pip install -r requirements.txt && corepack enable && npm ci', {}],
    ['find . -name "*.c" -exec grep -l x {} +', {}],
  ] as const)('%s %j', (command, files) => expect(unread(command, files)).toEqual([]));
});
