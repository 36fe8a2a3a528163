import { defineConfig } from './config-files.ts';
import { filesStarted, join, placeFrom, type Reading, upwards } from './reading.ts';

export const isRunner = (name: string): boolean => Object.hasOwn(runners, name);

/** Adds the configuration of a runner to the definitions. False when the table has no such row. */
export function defineRunner(reading: Reading, name: string, args: readonly string[], directory: string): boolean {
  const runner = isRunner(name) ? runners[name] : undefined;
  if (runner === undefined) return false;
  const roots = optionValues(args, runner.roots ?? []).flatMap((root) => placeFrom(directory, root) ?? []);
  for (const root of [directory, ...roots]) {
    const { nested = false } = runner;
    for (const place of nested ? upwards(root).slice(1) : upwards(root)) definePlace(reading, runner, place);
    if (nested) definePlace(reading, runner, join(root, '**'));
    else for (const file of runner.anywhere ?? []) defineConfig(reading, join(root, `**/${file}`));
    for (const [file, keys] of runner.members === true ? Object.entries(runner.keys ?? {}) : [])
      reading.define(join(root, `**/${file}`), keys);
  }
  defineOptions(reading, runner.options ?? [], args, directory);
  for (const other of runner.with ?? []) defineRunner(reading, other, args, directory);
  return true;
}

/** `place` may be a pattern. */
function definePlace(reading: Reading, runner: Runner, place: string): void {
  const { files = [], anywhere = [], manifest, pyproject, sections = {}, keys = {} } = runner;
  for (const file of [...files, ...anywhere]) defineConfig(reading, join(place, file));
  const document = join(place, 'package.json');
  if (manifest !== undefined && (place.endsWith('**') || reading.files.has(document)))
    reading.define(document, manifest);
  if (pyproject !== undefined)
    defineConfig(
      reading,
      join(place, 'pyproject.toml'),
      pyproject.map((table) => `tool.${table}`),
    );
  // options in DEFAULT apply to every other section
  for (const [file, names] of Object.entries(sections)) reading.define(join(place, file), ['DEFAULT', ...names]);
  for (const [file, names] of Object.entries(keys)) reading.define(join(place, file), names);
}

function defineOptions(reading: Reading, options: readonly string[], args: readonly string[], directory: string): void {
  defineNamed(
    reading,
    options.filter((option) => loads.has(option)),
    args,
    directory,
  );
  const configs = options.filter((option) => !loads.has(option));
  for (const path of namedFiles(reading, configs, args, directory)) defineConfig(reading, path);
}

/** Options that load code. Imports of that code are not followed, because they are often the sources. */
const loads = new Set(['-r', '--require', '--import', '--loader', '--experimental-loader', '--preload']);

/** Adds the files of the repository that options name. */
export function defineNamed(
  reading: Reading,
  options: readonly string[],
  args: readonly string[],
  directory: string,
): void {
  for (const path of namedFiles(reading, options, args, directory)) reading.define(path);
}

const namedFiles = (
  reading: Reading,
  options: readonly string[],
  args: readonly string[],
  directory: string,
): readonly string[] =>
  optionValues(args, options)
    .flatMap((value) => filesStarted(reading, directory, value))
    .map((path) => (reading.files.has(`${path}/tsconfig.json`) ? `${path}/tsconfig.json` : path));

/** Returns the values of `--option value` and `--option=value`. */
function optionValues(args: readonly string[], options: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const at = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const [option, value] = at < 0 ? [arg, args[index + 1]] : [arg.slice(0, at), arg.slice(at + 1)];
    return !options.includes(option) || value === undefined || value.startsWith('-') ? [] : [value];
  });
}

/**
 * The configuration of a test runner, linter or compiler.
 *
 * `files` are looked for in the directory of the call and above, up to the top; `anywhere` also below. `manifest` holds keys of
 * `package.json`, `pyproject` tables below `tool`, `sections` parts of INI files, with `*` at the end for a prefix. `members`: `keys` also
 * count in files of that name below. `nested`: everything also counts below, because the program uses the configuration nearest to each
 * file. `options` take a file; `roots` take a directory that replaces that of the call. `with`: the program also uses another row.
 */
type Runner = {
  readonly files?: readonly string[];
  readonly anywhere?: readonly string[];
  readonly manifest?: readonly string[];
  readonly pyproject?: readonly string[];
  readonly sections?: Readonly<Record<string, readonly string[]>>;
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  readonly members?: true;
  readonly nested?: true;
  readonly options?: readonly string[];
  readonly roots?: readonly string[];
  readonly with?: readonly string[];
};

const config = ['-c', '--config'];
const configs = (...names: readonly string[]): readonly string[] => names.map((name) => `${name}.config.*`);
const rc = (name: string): readonly string[] => [`.${name}rc`, `.${name}rc.*`];

/** Runners by the name of their program. */
const runners: Readonly<Record<string, Runner>> = {
  // JavaScript
  vitest: {
    files: [...configs('vite'), 'vitest.workspace.*'],
    anywhere: configs('vitest'),
    options: config,
    roots: ['-r', '--root'],
  },
  vite: { files: configs('vite'), options: config, roots: ['--root'] },
  jest: {
    files: [...configs('jest', 'babel'), ...rc('babel')],
    manifest: ['jest', 'babel'],
    options: config,
    roots: ['--rootDir'],
  },
  mocha: { files: rc('mocha'), manifest: ['mocha'], options: [...config, '-r', '--require', '--package', '--opts'] },
  ava: { files: configs('ava'), manifest: ['ava'], options: config },
  tap: { files: rc('tap'), manifest: ['tap'] },
  tape: { options: ['-r', '--require'] },
  uvu: { options: ['-r', '--require'] },
  jasmine: { files: ['spec/support/jasmine.*'], options: config },
  karma: { files: ['karma.conf.*'] },
  cypress: { files: [...configs('cypress'), 'cypress.json'], options: ['-C', '--config-file'] },
  playwright: { files: configs('playwright'), options: config },
  wtr: { files: configs('web-test-runner'), options: config },
  c8: { files: [...rc('c8'), ...rc('nyc')], manifest: ['c8', 'nyc'], options: config },
  nyc: { files: [...rc('nyc'), ...configs('nyc')], manifest: ['nyc'] },
  'node --test': {
    options: ['-r', '--require', '--import', '--loader', '--experimental-loader', '--test-config-file'],
  },
  'bun test': { keys: { 'bunfig.toml': ['test', 'preload'] }, options: ['--preload'] },
  eslint: {
    files: configs('eslint'),
    anywhere: [...rc('eslint'), '.eslintignore'],
    manifest: ['eslintConfig', 'eslintIgnore'],
    nested: true,
    options: [...config, '--ignore-path', '--rulesdir'],
  },
  oxlint: { anywhere: ['.oxlintrc.json', '.oxlintignore'], options: config },
  biome: { anywhere: ['biome.json', 'biome.jsonc'], options: ['--config-path'] },
  prettier: {
    files: [...rc('prettier'), ...configs('prettier'), '.prettierignore', '.editorconfig'],
    manifest: ['prettier'],
    nested: true,
    options: ['--config', '--ignore-path'],
  },
  stylelint: {
    files: [...rc('stylelint'), ...configs('stylelint'), '.stylelintignore'],
    manifest: ['stylelint'],
    nested: true,
  },
  standard: { manifest: ['standard'] },
  xo: { files: [...configs('xo'), ...rc('xo-config')], manifest: ['xo'] },
  tslint: { files: ['tslint.json', 'tslint.yaml'], options: config },
  tsc: { files: ['tsconfig.json'], options: ['-p', '--project'] },
  'tsc --build': { anywhere: ['tsconfig.json', 'tsconfig.*.json'], options: ['-b', '--build'] },
  'vue-tsc': { with: ['tsc'] },
  'svelte-check': { files: configs('svelte'), options: ['--tsconfig'], with: ['tsc'] },
  tsd: { manifest: ['tsd'] },
  attw: { files: ['.attw.json'] },
  publint: {},
  knip: { files: ['knip.*', '.knip.*'], manifest: ['knip'], options: config },
  depcheck: { files: rc('depcheck') },
  'size-limit': { files: ['.size-limit.*'], manifest: ['size-limit'] },
  markdownlint: { files: [...rc('markdownlint'), '.markdownlint.*', '.markdownlintignore'], options: config },
  'markdownlint-cli2': { anywhere: ['.markdownlint-cli2.*', '.markdownlint.*'], options: ['--config'] },
  cspell: { files: ['cspell.*', '.cspell.*'], nested: true, options: config },
  commitlint: { files: [...rc('commitlint'), ...configs('commitlint')], manifest: ['commitlint'] },
  webpack: { files: configs('webpack'), options: config },
  rollup: { files: configs('rollup'), options: config },
  rolldown: { files: configs('rolldown'), options: config },
  esbuild: {},
  tsup: { files: configs('tsup'), options: ['--config'] },
  next: { files: configs('next') },
  astro: { files: configs('astro') },
  ng: { files: ['angular.json', '.angular.json'] },
  'react-scripts': { with: ['jest'] },
  'lint-staged': { files: [...rc('lintstaged'), ...configs('lint-staged')], manifest: ['lint-staged'] },
  deno: {
    files: ['deno.jsonc'],
    keys: { 'deno.json': ['tasks', 'test', 'lint', 'fmt', 'exclude', 'compilerOptions'] },
  },

  // Python
  pytest: {
    files: ['pytest.ini', '.pytest.ini', 'pytest.toml', '.pytest.toml'],
    anywhere: ['conftest.py'],
    pyproject: ['pytest'],
    sections: { 'setup.cfg': ['tool:pytest'], 'tox.ini': ['pytest'] },
    nested: true,
    options: ['-c', '--config-file', '--confcutdir'],
  },
  unittest: {},
  doctest: {},
  coverage: {
    files: ['.coveragerc', '.coveragerc.toml'],
    pyproject: ['coverage'],
    sections: { 'setup.cfg': ['coverage:*'], 'tox.ini': ['coverage:*'] },
    options: ['--rcfile'],
  },
  tox: {
    files: ['tox.toml', 'tox.ini'],
    pyproject: ['tox'],
    sections: { 'setup.cfg': ['tox:*', 'testenv*'] },
    options: ['-c', '--conf'],
    with: ['pytest'],
  },
  nox: { files: ['noxfile.py'], options: ['-f', '--noxfile'], with: ['pytest'] },
  mypy: {
    files: ['mypy.ini', '.mypy.ini'],
    pyproject: ['mypy'],
    sections: { 'setup.cfg': ['mypy', 'mypy-*'] },
    options: ['--config-file'],
  },
  pyright: { files: ['pyrightconfig.json'], pyproject: ['pyright'], options: ['-p', '--project'] },
  basedpyright: { pyproject: ['basedpyright'], with: ['pyright'] },
  ty: { files: ['ty.toml'], pyproject: ['ty'] },
  ruff: { files: ['ruff.toml', '.ruff.toml'], pyproject: ['ruff'], nested: true, options: ['--config'] },
  flake8: {
    files: ['.flake8'],
    sections: { 'setup.cfg': ['flake8', 'flake8:*'], 'tox.ini': ['flake8', 'flake8:*'] },
    options: ['--config'],
  },
  pylint: {
    files: ['pylintrc', '.pylintrc', 'pylintrc.toml', '.pylintrc.toml'],
    pyproject: ['pylint'],
    sections: { 'setup.cfg': ['pylint*'], 'tox.ini': ['pylint*'] },
    options: ['--rcfile'],
  },
  pycodestyle: { sections: { 'setup.cfg': ['pycodestyle'], 'tox.ini': ['pycodestyle'] }, options: ['--config'] },
  black: { pyproject: ['black'], nested: true, options: ['--config'] },
  isort: {
    files: ['.isort.cfg'],
    pyproject: ['isort'],
    sections: { 'setup.cfg': ['isort', 'isort:*'], 'tox.ini': ['isort', 'isort:*'] },
    nested: true,
  },
  bandit: { files: ['.bandit', 'bandit.yaml'], pyproject: ['bandit'], options: config },
  compileall: {},

  // Rust and Go
  cargo: {
    files: ['.cargo/config.toml', '.cargo/config', 'rust-toolchain', 'rust-toolchain.toml', '.config/nextest.toml'],
    keys: {
      'Cargo.toml': [
        ...['lib', 'bin', 'test', 'bench', 'example', 'profile', 'lints', 'package.build', 'package.autotests'],
        ...['workspace.members', 'workspace.exclude', 'workspace.default-members', 'workspace.lints'],
      ],
    },
    members: true,
    options: ['--config', '--manifest-path'],
  },
  'cargo clippy': { files: ['clippy.toml', '.clippy.toml'], with: ['cargo'] },
  'cargo fmt': { files: ['rustfmt.toml', '.rustfmt.toml'], nested: true, with: ['cargo'] },
  'cargo deny': { files: ['deny.toml'], with: ['cargo'] },
  go: { files: ['go.work'], options: ['-modfile', '-overlay', '-toolexec'] },
  gofmt: {},
  gotestsum: { with: ['go'] },
  staticcheck: { files: ['staticcheck.conf'] },
  'golangci-lint': { files: ['.golangci.*'], nested: true, options: config },

  // others
  rspec: { files: ['.rspec'], options: ['-O', '--options', '-r', '--require'] },
  rubocop: { anywhere: ['.rubocop.yml'], options: config },
  rake: { files: ['Rakefile', 'rakefile', 'Rakefile.rb'], options: ['-f', '--rakefile'] },
  phpunit: { files: ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'], options: ['-c', '--configuration'] },
  phpstan: { files: ['phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon'], options: ['-c', '--configuration'] },
  pest: { files: ['tests/Pest.php'], with: ['phpunit'] },
  mix: { files: ['mix.exs', '.formatter.exs', '.credo.exs'] },
  dart: { files: ['dart_test.yaml', 'analysis_options.yaml'], nested: true },
  flutter: { with: ['dart'] },
  swift: { files: ['Package.swift', 'Package@*.swift', '.swiftlint.yml'] },
  gradle: {
    files: ['gradle/**', 'buildSrc/**', 'gradle.properties', 'settings.gradle', 'settings.gradle.kts'],
    anywhere: ['*.gradle', '*.gradle.kts'],
    options: ['-b', '--build-file', '-I', '--init-script', '-c', '--settings-file'],
  },
  mvn: { files: ['.mvn/**'], anywhere: ['pom.xml'], options: ['-f', '--file', '-s', '--settings'] },
  ctest: { anywhere: ['CMakeLists.txt'], files: ['CTestTestfile.cmake'] },
  cmake: { anywhere: ['CMakeLists.txt'], files: ['CMakePresets.json'] },
  meson: { anywhere: ['meson.build'] },
  ninja: { files: ['build.ninja'], anywhere: ['*.ninja'], options: ['-f'], with: ['cmake', 'meson'] },
  rg: { files: ['.ignore', '.rgignore'], nested: true, options: ['-f', '--file', '--ignore-file'] },
  bats: {},
  shellcheck: { files: ['.shellcheckrc', 'shellcheckrc'], nested: true },
  shfmt: { files: ['.editorconfig'], nested: true },
  hadolint: { files: ['.hadolint.yaml', '.hadolint.yml'], options: config },
  yamllint: { files: ['.yamllint', '.yamllint.yaml', '.yamllint.yml'], options: ['-c', '--config-file'] },
  actionlint: { files: ['.github/actionlint.yaml', '.github/actionlint.yml'] },
  'pre-commit': { files: ['.pre-commit-config.yaml'], options: config },
  buf: { files: ['buf.yaml', 'buf.gen.yaml', 'buf.work.yaml'] },
  terraform: { files: ['.tflint.hcl', '.terraformrc'] },
};
