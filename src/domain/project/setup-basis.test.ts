import { expect, test } from 'vitest';
import { setupBasis } from './setup-basis.ts';

const files: Readonly<Record<string, string>> = {
  'package.json': '{ "scripts": { "test": "x", "build": "y" } }',
  'requirements.txt': 'pytest==8\n',
  Gemfile: "source 'https://rubygems.org'\ngem 'rake'\n",
  'composer.json': '{}',
  'src/a.ts': '',
};
const basisOf = (run: string, more: Readonly<Record<string, string>> = {}): string => {
  const all = { ...files, ...more };
  return setupBasis(run, undefined, Object.keys(all), (path) => all[path as keyof typeof all] ?? '').by;
};

test.each([
  ...[
    'npm ci',
    'npm install --no-audit',
    'pnpm install --frozen-lockfile',
    'pnpm i',
    'yarn',
    'yarn install --immutable',
  ],
  ...[
    'bun install',
    'pip install -r requirements.txt',
    'python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt',
  ],
  ...[
    'POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install',
    'uv sync --frozen',
    'bundle install',
    'bundle',
    'composer install',
  ],
  ...['CARGO_HOME="$PWD/target/crates" cargo fetch --locked', 'go mod download', 'mix deps.get', '(cd web && npm ci)'],
  'npm ci && pip install -r requirements.txt',
])('%s only installs what manifests list', (run) => {
  expect(basisOf(run)).toBe('manifests');
});

test.each([
  ...[
    'make',
    'npm ci && npm run build',
    'npm ci; cp src/v out/v',
    'npm install ./tool',
    'npm ci > log',
    './setup.sh',
    'npx x',
  ],
  ...[
    'pip install .',
    'pip install -e .',
    'pip install -r requirements.txt -e lib',
    'go mod vendor',
    'cargo build',
    '$INSTALL',
  ],
  ...['npm $WHAT', 'poetry run x', 'bundle exec rake', 'sh -c "npm ci; make"', ''],
])('nobody knows what %s reads', (run) => {
  expect(basisOf(run)).toBe('tree');
});

test.each([
  ['npm ci', { 'package.json': '{ "scripts": { "postinstall": "node build.js" } }' }],
  ['npm ci', { 'lib/package.json': '{ "scripts": { "prepare": "tsc" } }' }],
  ['yarn', { 'package.json': 'not JSON' }],
  ['npm ci', { 'binding.gyp': '' }],
  ['pip install -r requirements.txt', { 'requirements.txt': 'x\n-e .\n' }],
  ['bundle install', { Gemfile: 'gemspec\n' }],
  ['npm ci', { 'package.json': '{ "scripts": { "dependencies": "node build.js" } }' }],
  ['pnpm install', { 'package.json': '{ "dependencies": { "lib": "file:./lib" } }' }],
  ['yarn', { 'package.json': '{ "devDependencies": { "lib": "portal:../lib" } }' }],
  ['yarn', { 'package.json': '{ "resolutions": { "lib": "link:./lib" } }' }],
  ['npm ci', { 'package.json': '{ "optionalDependencies": { "lib": "./lib" } }' }],
  ['npm ci', { 'app/package.json': '{ "overrides": { "a": { "lib": "file:lib.tgz" } } }' }],
  ['pnpm install', { 'package.json': '{ "pnpm": { "overrides": { "lib": "file:lib" } } }' }],
  ['pnpm install', { 'package.json': '{ "dependenciesMeta": { "lib": { "injected": true } } }' }],
  ['pnpm install', { 'pnpm-workspace.yaml': 'overrides:\n  lib: file:./lib\n' }],
  ['poetry install', { 'pyproject.toml': '[tool.poetry.dependencies]\nlib = { path = "./lib" }\n' }],
  ['uv sync', { 'pyproject.toml': '[tool.uv.sources]\nlib.path = "lib"\n' }],
  ['uv sync', { 'pyproject.toml': 'dependencies = ["lib @ file:./lib"]\n' }],
  ['pipenv install', { Pipfile: '[packages]\nlib = {path = "./lib", editable = true}\n' }],
  ['composer install', { 'composer.json': '{ "repositories": [{ "type": "path", "url": "lib" }] }' }],
  ['composer install', { 'composer.json': '{ "scripts": { "post-install-cmd": "x" } }' }],
])('%s runs code of the repository with %j', (run, more) => {
  expect(basisOf(run, more)).toBe('tree');
});

test.each([
  ['npm ci', { 'package.json': '{ "name": "file:x", "dependencies": { "lib": "^1", "own": "workspace:*" } }' }],
  ['npm ci', { 'pyproject.toml': '[tool.poetry.dependencies]\nlib = { path = "./lib" }\n' }],
  ['uv sync', { 'package.json': '{ "dependencies": { "lib": "file:./lib" } }' }],
])('%s installs from elsewhere with %j', (run, more) => {
  expect(basisOf(run, more)).toBe('manifests');
});

test('inputs of the plan decide, whatever the command', () => {
  expect(setupBasis('npm ci', ['src/**'], ['src/a.ts'], () => '')).toEqual({ by: 'inputs', patterns: ['src/**'] });
  expect(setupBasis('npm ci', ['scr/**'], ['src/a.ts'], () => '')).toEqual({ by: 'tree' });
});

test('an installer without a manifest has the whole tree', () => {
  expect(setupBasis('npm ci', undefined, ['a.txt'], () => '').by).toBe('tree');
});
