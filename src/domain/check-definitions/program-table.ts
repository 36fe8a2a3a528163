import { readAwk, readCoverage, readInterpreter, readNode, readPython } from './programs/interpreters.ts';
import { readMake } from './programs/make-file.ts';
import { readPackageManager } from './programs/package-scripts.ts';
import { environment, readPip } from './programs/python-tasks.ts';
import { readScript, readShell, readSourced } from './programs/shell-scripts.ts';
import { readJust, readTask } from './programs/task-files.ts';
import {
  leads,
  readCargo,
  readCompose,
  readComposer,
  readDeno,
  readDocker,
  readNpx,
  readSeveral,
  readTsc,
  spreads,
  wraps,
} from './programs/wrappers.ts';
import {
  type Call,
  filesNamed,
  type ProgramReader,
  pathFrom,
  plainPrograms,
  type Reading,
  shownWord,
} from './reading.ts';
import { defineRunner, isRunner } from './runners.ts';

/** Reads one call of a program: its files, and the programs that it starts. */
export function readProgram(reading: Reading, call: Call): void {
  const { program, directory } = call;
  const name = program.split('/').at(-1) ?? '';
  if (program.includes('$')) readExpanded(reading, call);
  else if (!program.includes('/') || /^[/~]/.test(program)) readNamed(reading, { ...call, program: name });
  else {
    const path = pathFrom(directory, program);
    if (path === null) return;
    const buildTool = wrappers[name];
    if (!installed.test(program) && buildTool === undefined) readScript(reading, path, call);
    else {
      reading.define(path);
      readNamed(reading, { ...call, program: buildTool ?? name });
    }
  }
}

/** Directories where package managers install programs. A repository has none of them, unless a task plants one. */
const installed = /(^|\/)(node_modules\/\.bin|\.?venv\/bin|\.tox\/[^/]+\/bin|vendor\/bin)\/[^/]+$/;

/** Scripts of a repository that fetch a build tool and start it. */
const wrappers: Readonly<Record<string, string | undefined>> = { gradlew: 'gradle', mvnw: 'mvn' };

/** `$here/unit.sh` is a file of the repository, `$VENV/bin/pytest` is pytest. */
function readExpanded(reading: Reading, call: Call): void {
  const { program, directory } = call;
  const paths = filesNamed(reading, directory, program);
  const name = /\/([^/$]+)$/.exec(program)?.[1];
  if (paths.length > 0) for (const path of paths) readScript(reading, path, call);
  else if (name !== undefined && isKnown(name)) readNamed(reading, { ...call, program: name });
  else reading.unread(shownWord(program));
}

function readNamed(reading: Reading, call: Call): void {
  const { program, args, directory } = call;
  const reader = readerOf(program);
  if (reader !== undefined) reader(reading, call);
  else if (!defineRunner(reading, program, args, directory) && !plainPrograms.has(program)) reading.unread(program);
}

function readerOf(program: string): ProgramReader | undefined {
  if (/^python[\d.]*$/.test(program)) return readPython;
  return Object.hasOwn(readers, program) ? readers[program] : undefined;
}

/** True when a table knows the files of this program. */
export const isKnown = (program: string): boolean => readerOf(program) !== undefined || isRunner(program);

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Gives several programs one reader. */
const each = (names: string, reader: ProgramReader): Readonly<Record<string, ProgramReader>> =>
  Object.fromEntries(words(names).map((name) => [name, reader]));

/** Programs that start others or read files in their own way. Test runners are in the table `runners`, which needs no code. */
const readers: Readonly<Record<string, ProgramReader>> = {
  ...each('sh bash zsh dash ksh ash fish', readShell),
  ...each('source .', readSourced),
  ...each('node nodejs tsx ts-node tsm vite-node babel-node esno jiti', readNode),
  ...each(
    'ruby perl php lua luajit Rscript julia elixir groovy java',
    readInterpreter(['-r', '-I', '-f'], ['-e', '-E', '-r', '-v']),
  ),
  ...each('awk gawk', readAwk),
  ...each('npm pnpm yarn bun', readPackageManager),
  ...each('npx bunx pnpx', readNpx),
  ...each('run-s run-p npm-run-all npm-run-all2 concurrently start-server-and-test', readSeveral),
  ...each('cross-env cross-env-shell dbus-run-session wait-for-it caffeinate', leads()),
  ...each('make gmake', readMake),
  ...each('task go-task', readTask),
  ...each('pip pip3', readPip),
  uvx: leads(['--from', '--with', '-p', '--python']),
  pipx: leads(['--spec'], 1),
  'env-cmd': leads(['-f']),
  dotenv: leads(['-e', '-f']),
  'xvfb-run': leads(['-s', '-n', '-e']),
  c8: wraps('c8', ['-r', '--reporter']),
  nyc: wraps('nyc', ['-r', '--reporter']),
  coverage: readCoverage,
  turbo: spreads('turbo.json', 'turbo.jsonc'),
  nx: spreads('nx.json', '**/project.json'),
  lerna: spreads('lerna.json'),
  uv: environment('uv', 'uv.toml'),
  poetry: environment('poetry', 'poetry.toml'),
  rye: environment('rye'),
  pdm: environment('pdm', 'pdm.toml'),
  hatch: environment('hatch', 'hatch.toml'),
  pixi: environment('pixi', 'pixi.toml'),
  pipenv: environment('pipenv', 'Pipfile'),
  bundle: environment('bundle', '.bundle/config'),
  ...each('docker podman', readDocker),
  ...each('docker-compose podman-compose', readCompose),
  tsc: readTsc,
  just: readJust,
  cargo: readCargo,
  deno: readDeno,
  composer: readComposer,
};
