import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { writeModules } from './modules.ts';

/**
 * `npm run walks [-- <checkout>]` counts the files of src/ that one call walks through: those in which at least one function ran.
 * Code that a module runs while it is loaded does not count. V8 counts the calls.
 *
 * - run: `tidegate run --yes --land` of a plan with one task, in all processes that it starts.
 * - patch: `PATCH /api/subtasks/:id`, in a server that has answered other requests before.
 *
 * `--write` puts the lists into docs/architecture.md. Another checkout is measured with the same script.
 */
export type Walk = {
  /** The files of each process, in alphabetical order. */
  readonly processes: Readonly<Record<string, readonly string[]>>;
  /** The files of all processes, each once. */
  readonly files: readonly string[];
};

export async function walksOf(checkout: string): Promise<{ readonly run: Walk; readonly patch: Walk }> {
  const place = mkdtempSync(join(tmpdir(), 'tg-walks-'));
  try {
    const program = writeProgram(resolve(checkout), join(place, 'program'));
    return {
      run: await walkOfRun(program, join(place, 'run')),
      patch: await walkOfPatch(program, join(place, 'patch')),
    };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Writes every module as a file of its own, unlike the bundles, so that V8 counts by file. Returns the path of its command line. */
function writeProgram(checkout: string, to: string): string {
  writeModules(checkout, join(to, 'dist'));
  for (const name of ['package.json', 'node_modules', 'schemas']) symlinkSync(join(checkout, name), join(to, name));
  return join(to, 'dist/main/cli.js');
}

async function walkOfRun(program: string, place: string): Promise<Walk> {
  const project = makeProject(place);
  const coverage = join(place, 'coverage');
  const { code, output } = await ended(
    project.start(program, ['run', 'plan.yaml', '--yes', '--land'], { NODE_V8_COVERAGE: coverage }),
  );
  if (code !== 0) throw new Error(`tidegate run failed:\n${output}`);
  // A supervisor may write its counts a moment after the run has ended.
  const reports = await settled(() => globSync(join(coverage, '*.json')));
  // The agent called it in its fence, which no report leaves. It is one file.
  const processes: Record<string, string[]> = { 'fence-client': ['src/main/fence-client.ts'] };
  for (const path of reports) {
    const { result } = JSON.parse(readFileSync(path, 'utf8')) as { readonly result: readonly Script[] };
    const main = result.map(({ url }) => /\/dist\/main\/(cli|merger|supervisor)\.js$/.exec(url)?.[1]).find(Boolean);
    if (main !== undefined) processes[main] = [...(processes[main] ?? []), ...filesThatRan(result, program)];
  }
  return walkThrough(processes);
}

/** Waits until no file has been added for half a second. */
async function settled(list: () => readonly string[]): Promise<readonly string[]> {
  for (let before = list(); ; ) {
    await nextLook(500);
    const now = list();
    if (now.length === before.length) return now;
    before = now;
  }
}

async function walkOfPatch(program: string, place: string): Promise<Walk> {
  const project = makeProject(place);
  const counts = join(place, 'counts.json');
  const preload = join(place, 'count-calls.mjs');
  writeFileSync(preload, countCalls(counts));
  const server = project.start(program, ['serve', '--json', '--port', '0'], {
    NODE_OPTIONS: `--import ${pathToFileURL(preload).href}`,
  });
  const over = ended(server);
  try {
    const { serving } = JSON.parse(await firstLine(server, over)) as { readonly serving: string };
    const token = (await ended(project.start(program, ['token', '--role', 'operate']))).output.trim();
    const call = (method: string, path: string, body: object) =>
      requestJson({ url: new URL(path, serving), method, token, body });
    await call('POST', '/api/waves/walk/create', { wave_number: 0 });
    await call('POST', '/api/waves/walk/start', { wave_number: 0 });
    const task = { task_id: 'one', agent_type: 'backend-laravel', description: 'one' };
    const batch = { session_id: 'walk', wave_number: 0, tasks: [task] };
    const { batch: submitted } = (await call('POST', '/api/orchestration/batch-submit', batch)) as {
      readonly batch: { readonly subtask_ids: readonly string[] };
    };
    await countsOf(server, counts);
    await call('PATCH', `/api/subtasks/${submitted.subtask_ids[0]}`, { status: 'running' });
    return walkThrough({ server: filesThatRan(await countsOf(server, counts), program) });
  } finally {
    server.kill('SIGTERM');
    await over;
  }
}

/** A module for `--import`: on SIGUSR2 it writes how often each function was called since the last time. */
const countCalls = (file: string): string => `
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('SIGUSR2', () => session.post('Profiler.takePreciseCoverage', (error, counts) => {
  writeFileSync('${file}.new', JSON.stringify(error ?? counts));
  renameSync('${file}.new', '${file}');
}));
`;

async function countsOf(server: ChildProcess, file: string): Promise<readonly Script[]> {
  rmSync(file, { force: true });
  server.kill('SIGUSR2');
  while (globSync(file).length === 0) await nextLook(20);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly result: readonly Script[] }).result;
}

/** A module as V8 counted it. */
type Script = {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
};

/** Files of src/ with a function that was called. The function that starts at 0 is the module itself. */
function filesThatRan(scripts: readonly Script[], program: string): readonly string[] {
  const root = dirname(dirname(program));
  return scripts
    .filter(({ url }) => url.startsWith(pathToFileURL(root).href))
    .filter(({ functions }) =>
      functions.some(({ ranges: [whole] }) => whole && whole.startOffset > 0 && whole.count > 0),
    )
    .map(({ url }) => join('src', relative(root, fileURLToPath(url))).replace(/\.js$/, '.ts'));
}

function walkThrough(processes: Readonly<Record<string, readonly string[]>>): Walk {
  const unique = (files: readonly string[]): readonly string[] => [...new Set(files)].sort();
  return {
    processes: Object.fromEntries(Object.entries(processes).map(([name, files]) => [name, unique(files)])),
    files: unique(Object.values(processes).flat()),
  };
}

/** A repository with a plan of one task, and a state directory of its own. */
function makeProject(place: string) {
  const checkout = join(place, 'repo');
  mkdirSync(join(place, 'home'), { recursive: true });
  mkdirSync(checkout);
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: checkout });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  writeFileSync(join(checkout, 'plan.yaml'), plan);
  git('add', '-A');
  git('commit', '-q', '-m', 'the plan');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(place, 'home'),
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    TIDEGATE_STATE_DIR: join(place, 'state'),
    TIDEGATE_DISK_FREE: '0MB',
  };
  return {
    start: (program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess =>
      spawn(process.execPath, [program, ...args], {
        cwd: checkout,
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  };
}

const plan = `name: walk
tasks:
  one:
    do: Write one.txt.
    agent: command
    command: [/bin/sh, -ec, 'echo one > one.txt; tidegate handoff done -m "wrote it"']
    owns: [one.txt]
`;

function ended(child: ChildProcess): Promise<{ readonly code: number | null; readonly output: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += String(chunk);
    });
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => done({ code, output }));
  });
}

function firstLine(child: ChildProcess, over: ReturnType<typeof ended>): Promise<string> {
  let text = '';
  return new Promise((done, failed) => {
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) done(text.split('\n')[0] ?? '');
    });
    void over.then(({ output }) => failed(new Error(`the server ended:\n${output}`)));
  });
}

function requestJson({
  url,
  method,
  token,
  body,
}: {
  url: URL;
  method: string;
  token: string;
  body: object;
}): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((done, failed) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => {
        if ((response.statusCode ?? 500) < 300) done(JSON.parse(text));
        else failed(new Error(`${method} ${url.pathname} returned ${response.statusCode}: ${text}`));
      });
    });
    sent.once('error', failed);
    sent.end(JSON.stringify(body));
  });
}

/** Counts of the commit before the house was put in order (89cdf0f2), by this script. A walk is to be a third shorter. */
export const before = { run: 388, patch: 44 };

const titles = { run: '`tidegate run` of one task, to the end', patch: '`PATCH /api/subtasks/:id`' };

function writeChapter(walks: Readonly<Record<keyof typeof titles, Walk>>): void {
  const page = fileURLToPath(new URL('../docs/architecture.md', import.meta.url));
  const text = readFileSync(page, 'utf8');
  const [start, end] = ['<!-- walks: written by `npm run walks -- --write` -->\n', '<!-- /walks -->'];
  const from = text.indexOf(start) + start.length;
  if (from < start.length || text.indexOf(end) < from) throw new Error(`${page} has no place for the walks`);
  writeFileSync(page, text.slice(0, from) + chapter(walks) + text.slice(text.indexOf(end)));
}

function chapter(walks: Readonly<Record<keyof typeof titles, Walk>>): string {
  const names = Object.keys(titles) as (keyof typeof titles)[];
  const rows = names.map((name) => `| ${titles[name]} | ${before[name]} | ${walks[name].files.length} |`);
  const lists = names.flatMap((name) =>
    Object.entries(walks[name].processes).flatMap(([process, files]) => [
      `**${titles[name]}: ${process}, ${files.length} ${files.length === 1 ? 'file' : 'files'}**`,
      '',
      ...[...Map.groupBy(files, dirname)].map(
        ([folder, its]) => `- \`${folder}/\`: ${its.map((file) => basename(file, '.ts')).join(', ')}`,
      ),
      '',
    ]),
  );
  return ['', '| walk | files before | files now |', '|---|---|---|', ...rows, '', ...details(lists), ''].join('\n');
}

const details = (lines: readonly string[]): readonly string[] => [
  '<details><summary>The files of each walk</summary>',
  '',
  ...lines,
  '</details>',
  '',
];

if (import.meta.main) {
  const [checkout = '.'] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const walks = await walksOf(resolve(checkout));
  for (const [name, { processes, files }] of Object.entries(walks)) {
    const parts = Object.entries(processes).map(([process, its]) => `${process} ${its.length}`);
    console.log(`${name}: ${files.length} files (${parts.join(', ')})`);
  }
  if (process.argv.includes('--write')) writeChapter(walks);
}
