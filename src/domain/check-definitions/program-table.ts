import { readCompose, readDocker } from './programs/containers.ts';
import { readAwk, readCoverage, readInterpreter, readNode } from './programs/interpreters.ts';
import { readMake } from './programs/make-file.ts';
import { readPackageManager } from './programs/package-scripts.ts';
import { environment, readPip } from './programs/python-tasks.ts';
import { readShell, readSourced } from './programs/shell-scripts.ts';
import { readJust, readTask } from './programs/task-files.ts';
import {
  leads,
  readCargo,
  readComposer,
  readDeno,
  readNpx,
  readSeveral,
  readTsc,
  spreads,
  wraps,
} from './programs/wrappers.ts';
import type { ProgramReader } from './reading.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** One reader for several programs. */
const each = (names: string, reader: ProgramReader): Readonly<Record<string, ProgramReader>> =>
  Object.fromEntries(words(names).map((name) => [name, reader]));

/** Programs that start others, or read files in a way of their own. Runners of tests are in a table without code. */
export const readers: Readonly<Record<string, ProgramReader>> = {
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
