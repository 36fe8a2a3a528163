import { readMake } from './make-file.ts';
import { readPackageManager, runScripts } from './package-scripts.ts';
import { type Call, join, pathFrom, type Reading } from './reading.ts';
import { defineNamed, defineRunner } from './runners.ts';
import { readJust, readTask } from './task-files.ts';

type Reader = (reading: Reading, call: Call) => void;

/** What one call of a program rests on. */
export function readProgram(reading: Reading, call: Call): void {
  const { program, directory } = call;
  const name = program.split('/').at(-1) ?? '';
  const path = pathFrom(directory, program);
  if (!program.includes('/') || /^[/~]/.test(program) || installed.test(program))
    readNamed(reading, { ...call, program: name });
  else if (path !== null) readScript(reading, path, directory);
}

/** Where package managers put programs: not files of the repository. */
const installed = /(^|\/)(node_modules\/\.bin|\.?venv\/bin|\.tox\/[^/]+\/bin|vendor\/bin)\/[^/]+$/;

function readNamed(reading: Reading, call: Call): void {
  const { program } = call;
  const reader = Object.hasOwn(readers, program) ? readers[program] : undefined;
  if (reader !== undefined) reader(reading, call);
  else if (/^python[\d.]*$/.test(program)) readPython(reading, call);
  else if (!defineRunner(reading, program, call.args, call.directory) && !plain.has(program)) reading.unread(program);
}

/** A file of the repository that is started: it counts as a whole, and so does what a shell script leads to. */
export function readScript(reading: Reading, path: string, directory: string): void {
  reading.define(path);
  const text = reading.files.text(path);
  if (text === null) return;
  const interpreter = /^#!\s*\S*?(?:\/env\s+(?:-S\s+)?)?([\w.-]+)\s*$/m.exec(text.split('\n')[0] ?? '')?.[1];
  if (/\.(sh|bash)$/.test(path) || /^(ba|da|z|k|a)?sh$/.test(interpreter ?? ''))
    reading.commands(text, directory, 'script');
}

/** The first word that is no option; those of `takes` are followed by a word of their own. */
function operands(args: readonly string[], takes: readonly string[] = []): readonly string[] {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && !takes.includes(args[index - 1] ?? ''));
  return at < 0 ? [] : args.slice(at);
}

const readShell: Reader = (reading, { args, directory }) => {
  if (args.some((arg) => /^-[a-z]*c$/i.test(arg))) return; // what follows was read as commands already
  const [script] = operands(args, ['-o', '+o', '--rcfile', '--init-file']);
  const path = script === undefined ? null : pathFrom(directory, script);
  if (path !== null) {
    reading.define(path);
    const text = reading.files.text(path);
    if (text !== null) reading.commands(text, directory, 'script');
  }
};

const readSourced: Reader = (reading, { args: [file], directory }) => {
  const path = file === undefined || /[$`]/.test(file) ? null : pathFrom(directory, file);
  if (path !== null) readShell(reading, { program: 'sh', args: [path], directory: '' });
};

/** Tests are judged, not believed: a file by such a name is one, whichever program runs it. */
const isTest = (path: string): boolean =>
  /(^|[/._-])(tests?|specs?)\.\w+$|(^|\/)test_[^/]*\.\w+$|_(test|spec)\.\w+$/i.test(path) && !/\.(ba)?sh$/.test(path);

const nodeTakes = [
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-C',
  '--conditions',
  '--env-file',
];

/** `node file`, `ruby file` and their like. */
const readInterpreter =
  (takes: readonly string[], code: readonly string[]): Reader =>
  (reading, { args, directory }) => {
    defineNamed(reading, takes, args, directory);
    const [file] = operands(args, takes);
    const isCode = args.slice(0, file === undefined ? undefined : args.indexOf(file)).some((arg) => code.includes(arg));
    const path = file === undefined || isCode ? null : pathFrom(directory, file);
    if (path !== null && !isTest(path)) reading.define(path);
  };

const readNode: Reader = (reading, call) => {
  const { args, directory } = call;
  const script = args.find((_, index) => args[index - 1] === '--run') ?? optionValue(args, '--run');
  if (script !== undefined) runScripts(reading, [script], directory);
  else if (args.some((arg) => arg === '--test' || arg.startsWith('--test-')))
    defineRunner(reading, 'node --test', args, directory);
  else readInterpreter(nodeTakes, ['-e', '--eval', '-p', '--print', '-pe', '-c', '--check'])(reading, call);
};

const optionValue = (args: readonly string[], option: string): string | undefined =>
  args.find((arg) => arg.startsWith(`${option}=`))?.slice(option.length + 1);

/** `python -m x` takes x from the directory that it is called in before it looks anywhere else. */
const readPython: Reader = (reading, call) => {
  const { args, directory } = call;
  const begin = args.findIndex((arg) => /^-[a-zA-Z]*[mc]$/.test(arg) || !arg.startsWith('-'));
  if (!/^-[a-zA-Z]*m$/.test(args[begin] ?? '')) {
    readInterpreter(['-W', '-X'], ['-c'])(reading, call);
    return;
  }
  const [name = '', ...rest] = args.slice(begin + 1);
  const path = join(directory, name.replaceAll('.', '/'));
  const own = [`${path}.py`, `${path}/__main__.py`];
  for (const file of [...own, join(directory, 'sitecustomize.py')]) reading.define(file);
  if (!own.some((file) => reading.files.has(file))) readNamed(reading, { program: name, args: rest, directory });
};

/** Programs that start the one after them. `takes`: options followed by a word of their own. */
const leads =
  (takes: readonly string[] = [], words = 0): Reader =>
  (reading, { args, directory }) => {
    const rest = operands(args, takes).slice(words);
    const from = rest.findIndex((arg) => !/^[A-Za-z_]\w*=/.test(arg) && arg !== '--');
    const [program, ...more] = from < 0 ? [] : rest.slice(from);
    if (program !== undefined) readProgram(reading, { program, args: more, directory });
  };

const npx: Reader = (reading, { args, directory }) => {
  const text = args.find((_, index) => args[index - 1] === '-c' || args[index - 1] === '--call');
  const [program, ...more] = operands(args, ['-p', '--package']);
  if (text !== undefined) reading.commands(text, directory);
  // `npx vitest@3` is vitest
  else if (program !== undefined)
    readProgram(reading, { program: program.replace(/(?<=.)@[^/@]*$/, ''), args: more, directory });
};

/** `uv run`, `poetry run` …: what comes before the program is theirs. */
const environment =
  (table: string, files: readonly string[] = []): Reader =>
  (reading, { args, directory }) => {
    const [verb, ...rest] = operands(args, ['-C', '--directory', '--project', '-p']);
    for (const file of files) reading.define(join(directory, file));
    reading.define(join(directory, 'pyproject.toml'), [`tool.${table}.scripts`, `tool.${table}.envs`]);
    if (verb !== 'run' && verb !== 'exec') return;
    leads(['--with', '--extra', '--group', '--python', '-p', '-e', '--env', '--package', '--env-file'])(reading, {
      program: table,
      args: rest,
      directory,
    });
  };

/** Wraps a command whose outcome it passes on, and reads something itself. */
const wraps =
  (runner: string, takes: readonly string[]): Reader =>
  (reading, call) => {
    defineRunner(reading, runner, call.args, call.directory);
    leads(takes)(reading, call);
  };

/** `coverage run` is python in its place. */
const readCoverage: Reader = (reading, call) => {
  defineRunner(reading, 'coverage', call.args, call.directory);
  const [verb, ...args] = call.args;
  const takes = ['--source', '--rcfile', '--omit', '--include', '--context', '--data-file'];
  const from = args.findIndex(
    (arg, index) => arg === '-m' || (!arg.startsWith('-') && !takes.includes(args[index - 1] ?? '')),
  );
  if (verb === 'run' && from >= 0) readPython(reading, { ...call, program: 'python', args: args.slice(from) });
};

/** Runs scripts of all members of a repository. */
const spreads =
  (...files: readonly string[]): Reader =>
  (reading, { args, directory }) => {
    for (const file of files) reading.define(join(directory, file));
    const names = args.filter((arg) => /^[\w:.,]+$/.test(arg) && !['run', 'run-many', 'affected'].includes(arg));
    runScripts(
      reading,
      names.flatMap((name) => name.split(',')),
      directory,
      'all',
    );
  };

/** Each word is a script of `package.json`, or a command of its own. */
const several: Reader = (reading, { args, directory }) => {
  for (const arg of operands(args, ['-n', '--names', '-c', '--prefix-colors', '--kill-others-on-fail']))
    if (arg.startsWith('npm:')) runScripts(reading, [arg.slice(4)], directory);
    else if (/\s/.test(arg)) reading.commands(arg, directory);
    else if (!/^https?:|^\d+$/.test(arg) && !arg.startsWith('-')) runScripts(reading, [arg], directory);
};

const readCargo: Reader = (reading, { args, directory }) => {
  const [verb = ''] = operands(args).filter((arg) => !arg.startsWith('+'));
  if (!defineRunner(reading, `cargo ${verb}`, args, directory)) defineRunner(reading, 'cargo', args, directory);
};

const readDeno: Reader = (reading, call) => {
  defineRunner(reading, 'deno', call.args, call.directory);
  const [verb, ...rest] = operands(call.args);
  if (verb === 'run') readInterpreter([], [])(reading, { ...call, args: rest });
};

const readComposer: Reader = (reading, { directory }) =>
  reading.define(join(directory, 'composer.json'), ['scripts', 'config']);

const readers: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish'].map((name) => [name, readShell])),
  ...{ source: readSourced, '.': readSourced, node: readNode, nodejs: readNode },
  ...Object.fromEntries(
    ['tsx', 'ts-node', 'tsm', 'vite-node', 'babel-node', 'esno', 'jiti'].map((name) => [
      name,
      readInterpreter([...nodeTakes, '--tsconfig', '-P', '--project'], ['-e', '--eval', '-p']),
    ]),
  ),
  ...Object.fromEntries(
    ['ruby', 'perl', 'php', 'lua', 'luajit', 'Rscript', 'julia', 'elixir', 'groovy', 'java', 'awk', 'gawk'].map(
      (name) => [name, readInterpreter(['-r', '-I', '-f'], ['-e', '-E', '-r', '-v'])],
    ),
  ),
  ...{ npm: readPackageManager, pnpm: readPackageManager, yarn: readPackageManager, bun: readPackageManager },
  ...{ npx, bunx: npx, pnpx: npx, uvx: leads(['--from', '--with', '-p', '--python']), pipx: leads(['--spec'], 1) },
  ...{ 'run-s': several, 'run-p': several, 'npm-run-all': several, 'npm-run-all2': several, concurrently: several },
  'start-server-and-test': several,
  ...{ 'cross-env': leads(), 'cross-env-shell': leads(), 'env-cmd': leads(['-f']), dotenv: leads(['-e', '-f']) },
  ...{
    'xvfb-run': leads(['-s', '-n', '-e']),
    'dbus-run-session': leads(),
    'wait-for-it': leads(),
    caffeinate: leads(),
  },
  ...{ c8: wraps('c8', ['-r', '--reporter']), nyc: wraps('nyc', ['-r', '--reporter']) },
  coverage: readCoverage,
  ...{
    turbo: spreads('turbo.json', 'turbo.jsonc'),
    nx: spreads('nx.json', '**/project.json'),
    lerna: spreads('lerna.json'),
  },
  ...{ uv: environment('uv', ['uv.toml']), poetry: environment('poetry', ['poetry.toml']), rye: environment('rye') },
  ...{
    pdm: environment('pdm', ['pdm.toml']),
    hatch: environment('hatch', ['hatch.toml']),
    pixi: environment('pixi', ['pixi.toml']),
  },
  ...{ pipenv: environment('pipenv', ['Pipfile']), bundle: environment('bundle', ['.bundle/config']) },
  ...{ make: readMake, gmake: readMake, just: readJust, task: readTask, 'go-task': readTask },
  ...{ cargo: readCargo, deno: readDeno, composer: readComposer },
};

/** Programs of every system that read nothing but what their command names: what they judge is theirs to judge. */
const plain: ReadonlySet<string> = new Set(
  `: [ [[ alias awk b2sum base64 basename bg break bzip2 cat cd chmod chown cksum clear cmp column comm continue cp csplit curl cut
  date dd declare df diff dirname docker du echo ed egrep eval exec exit expand export expr false fg fgrep file find fmt fold
  getconf getopts git grep gunzip gzip hash head help hostname iconv id install jobs join jq kill less let ln local locale ls
  md5sum mkdir mkfifo mktemp more mv nice nl nohup nproc od paste patch pgrep pkill podman popd printenv printf ps pushd pwd read
  readlink readonly realpath return rev rg rm rmdir rsync sed select seq set sha1sum sha256sum sha512sum shift shopt shuf sleep
  sort split ssh stat stdbuf strings sum sync tac tail tar tee test timeout touch tr trap true truncate tty type typeset ulimit
  umask uname unalias uniq unset unzip unxz uuidgen wait watch wc wget which whoami who xargs xmllint xxd xz yes yq zcat zip
  if then else elif fi for while until do done case esac in function time { } ! tidegate`.split(/\s+/),
);
