import { join, type Reading, upwards } from './reading.ts';

/**
 * What a runner of tests, linter or compiler reads to know what it has to do. Rows are names of programs.
 *
 * `files` are looked for where the program is called and above, up to the top; `anywhere` also below. `manifest` are keys of
 * `package.json`, `pyproject` tables below `tool`, `sections` parts of files in the manner of INI. `options` take a file. `with`: it
 * starts or obeys another row.
 */
type Runner = {
  readonly files?: readonly string[];
  readonly anywhere?: readonly string[];
  readonly manifest?: readonly string[];
  readonly pyproject?: readonly string[];
  readonly sections?: Readonly<Record<string, readonly string[]>>;
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  readonly options?: readonly string[];
  readonly with?: readonly string[];
};

const config = ['-c', '--config'];
const configs = (...names: readonly string[]): readonly string[] => names.map((name) => `${name}.config.*`);
const rc = (name: string): readonly string[] => [`.${name}rc`, `.${name}rc.*`];

export const runners: Readonly<Record<string, Runner>> = {
  // JavaScript
  vitest: { files: [...configs('vitest', 'vite'), 'vitest.workspace.*'], options: config },
  vite: { files: configs('vite'), options: config },
  jest: { files: [...configs('jest', 'babel'), ...rc('babel')], manifest: ['jest', 'babel'], options: config },
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
    options: [...config, '--ignore-path', '--rulesdir'],
  },
  oxlint: { anywhere: ['.oxlintrc.json', '.oxlintignore'], options: config },
  biome: { anywhere: ['biome.json', 'biome.jsonc'], options: ['--config-path'] },
  prettier: {
    files: [...rc('prettier'), ...configs('prettier'), '.prettierignore', '.editorconfig'],
    manifest: ['prettier'],
    options: ['--config', '--ignore-path'],
  },
  stylelint: { files: [...rc('stylelint'), ...configs('stylelint'), '.stylelintignore'], manifest: ['stylelint'] },
  standard: { manifest: ['standard'] },
  xo: { files: [...configs('xo'), ...rc('xo-config')], manifest: ['xo'] },
  tslint: { files: ['tslint.json', 'tslint.yaml'], options: config },
  tsc: { files: ['tsconfig.json'], options: ['-p', '--project', '-b', '--build'] },
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
  cspell: { files: ['cspell.*', '.cspell.*'], options: config },
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
    options: ['-c', '--config-file', '--confcutdir'],
  },
  unittest: {},
  doctest: {},
  coverage: {
    files: ['.coveragerc', '.coveragerc.toml'],
    pyproject: ['coverage'],
    sections: { 'setup.cfg': ['coverage:run', 'coverage:report'], 'tox.ini': ['coverage:run', 'coverage:report'] },
    options: ['--rcfile'],
  },
  tox: {
    files: ['tox.toml', 'tox.ini'],
    pyproject: ['tox'],
    sections: { 'setup.cfg': ['tox:tox', 'testenv'] },
    options: ['-c', '--conf'],
    with: ['pytest'],
  },
  nox: { files: ['noxfile.py'], options: ['-f', '--noxfile'], with: ['pytest'] },
  mypy: {
    files: ['mypy.ini', '.mypy.ini'],
    pyproject: ['mypy'],
    sections: { 'setup.cfg': ['mypy'] },
    options: ['--config-file'],
  },
  pyright: { files: ['pyrightconfig.json'], pyproject: ['pyright'], options: ['-p', '--project'] },
  basedpyright: { pyproject: ['basedpyright'], with: ['pyright'] },
  ty: { files: ['ty.toml'], pyproject: ['ty'] },
  ruff: { anywhere: ['ruff.toml', '.ruff.toml'], pyproject: ['ruff'], options: ['--config'] },
  flake8: { files: ['.flake8'], sections: { 'setup.cfg': ['flake8'], 'tox.ini': ['flake8'] }, options: ['--config'] },
  pylint: {
    files: ['pylintrc', '.pylintrc', 'pylintrc.toml', '.pylintrc.toml'],
    pyproject: ['pylint'],
    options: ['--rcfile'],
  },
  pycodestyle: { sections: { 'setup.cfg': ['pycodestyle'], 'tox.ini': ['pycodestyle'] }, options: ['--config'] },
  black: { pyproject: ['black'], options: ['--config'] },
  isort: { files: ['.isort.cfg'], pyproject: ['isort'], sections: { 'setup.cfg': ['isort'] } },
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
    options: ['--config', '--manifest-path'],
  },
  'cargo clippy': { files: ['clippy.toml', '.clippy.toml'], with: ['cargo'] },
  'cargo fmt': { files: ['rustfmt.toml', '.rustfmt.toml'], with: ['cargo'] },
  'cargo deny': { files: ['deny.toml'], with: ['cargo'] },
  go: { files: ['go.work'], options: ['-modfile', '-overlay', '-toolexec'] },
  gofmt: {},
  gotestsum: { with: ['go'] },
  staticcheck: { files: ['staticcheck.conf'] },
  'golangci-lint': { files: ['.golangci.*'], options: config },

  // others
  rspec: { files: ['.rspec'], options: ['-O', '--options', '-r', '--require'] },
  rubocop: { anywhere: ['.rubocop.yml'], options: config },
  rake: { files: ['Rakefile', 'rakefile', 'Rakefile.rb'], options: ['-f', '--rakefile'] },
  phpunit: { files: ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'], options: ['-c', '--configuration'] },
  phpstan: { files: ['phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon'], options: ['-c', '--configuration'] },
  pest: { files: ['tests/Pest.php'], with: ['phpunit'] },
  mix: { files: ['mix.exs', '.formatter.exs', '.credo.exs'] },
  dart: { files: ['dart_test.yaml', 'analysis_options.yaml'] },
  flutter: { with: ['dart'] },
  swift: { files: ['.swiftlint.yml'] },
  ctest: { anywhere: ['CMakeLists.txt'], files: ['CTestTestfile.cmake'] },
  cmake: { anywhere: ['CMakeLists.txt'], files: ['CMakePresets.json'] },
  meson: { anywhere: ['meson.build'] },
  ninja: {},
  bats: {},
  shellcheck: { files: ['.shellcheckrc'] },
  shfmt: { files: ['.editorconfig'] },
  hadolint: { files: ['.hadolint.yaml', '.hadolint.yml'], options: config },
  yamllint: { files: ['.yamllint', '.yamllint.yaml', '.yamllint.yml'], options: ['-c', '--config-file'] },
  actionlint: { files: ['.github/actionlint.yaml', '.github/actionlint.yml'] },
  'pre-commit': { files: ['.pre-commit-config.yaml'], options: config },
  buf: { files: ['buf.yaml', 'buf.gen.yaml', 'buf.work.yaml'] },
  terraform: { files: ['.tflint.hcl', '.terraformrc'] },
};

/** Puts what a runner reads into the list. False when there is no such row. */
export function defineRunner(reading: Reading, name: string, args: readonly string[], directory: string): boolean {
  const runner = Object.hasOwn(runners, name) ? runners[name] : undefined;
  if (runner === undefined) return false;
  for (const place of upwards(directory)) {
    for (const file of runner.files ?? []) reading.define(join(place, file));
    for (const file of runner.anywhere ?? []) reading.define(join(place, file));
    if (runner.manifest !== undefined && reading.files.has(join(place, 'package.json')))
      reading.define(join(place, 'package.json'), runner.manifest);
    if (runner.pyproject !== undefined)
      reading.define(
        join(place, 'pyproject.toml'),
        runner.pyproject.map((table) => `tool.${table}`),
      );
    for (const [file, keys] of Object.entries({ ...runner.sections, ...runner.keys }))
      reading.define(join(place, file), keys);
  }
  for (const file of runner.anywhere ?? []) reading.define(join(directory, `**/${file}`));
  defineNamed(reading, runner.options ?? [], args, directory);
  for (const other of runner.with ?? []) defineRunner(reading, other, args, directory);
  return true;
}

/** Files of the repository that options name, and what those in turn say that they extend. */
export function defineNamed(
  reading: Reading,
  options: readonly string[],
  args: readonly string[],
  directory: string,
): void {
  args.forEach((arg, index) => {
    const [option = '', value] = arg.startsWith('--') && arg.includes('=') ? splitOnce(arg) : [arg, args[index + 1]];
    if (!options.includes(option) || value === undefined || value.startsWith('-')) return;
    for (const path of [join(directory, value.replace(/^\.\//, ''))])
      reading.define(reading.files.has(`${path}/tsconfig.json`) ? `${path}/tsconfig.json` : path);
  });
}

const splitOnce = (arg: string): readonly [string, string] => {
  const at = arg.indexOf('=');
  return [arg.slice(0, at), arg.slice(at + 1)];
};
