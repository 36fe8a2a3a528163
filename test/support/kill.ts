import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { findObject, readPointers } from '../../src/adapters/git/lfs/index.ts';
import { replayRun } from '../../src/engine/replay.ts';
import { checkHistory, type GitFacts, type Violation } from './checker.ts';
import { fakeClaude } from './fake-claude.ts';
import { attemptProblems, livingJobs } from './job-traces.ts';
import { answerEverything } from './person.ts';
import { commandLine, otherProcesses } from './processes.ts';
import { ended, handoff, project, scripted } from './project.ts';
import { runOnly } from './run-only.ts';
import { armed } from './sweep.ts';

/** What is done while a process is to be killed, and what must be true in the end. */
export type Scenario = {
  readonly name: string;
  readonly plan: object;
  /** Brings the project to where the killing begins. */
  readonly before: (project: Project) => Promise<void>;
  readonly during: readonly string[];
  /** Of everything that is called. */
  readonly env?: Readonly<Record<string, string>>;
  /** What a program named `claude` does; without it agents are commands. */
  readonly claude?: string;
  /** Files of `main` in the end. */
  readonly files: readonly string[];
  /** How the run has ended; by default all of it has landed. */
  readonly ended?: 'done';
};
type Project = Awaited<ReturnType<typeof project>>;

/** It leaves a process behind, which must not outlive it, whoever is killed (I9). */
const writing = `sleep 600 >/dev/null 2>&1 & echo one > one.txt; ${handoff}`;
const task = scripted(writing, { owns: ['one.txt'] });
const checks = [{ name: 'test', run: 'test -f readme.md' }];
/** A closure role that reports this word. */
const says = (word: string) => ({ command: ['sh', '-c', `tidegate verdict ${word}`] });
/** An editor that puts a file named `passwd` into the directory that it is given. */
const editor = { VISUAL: '', EDITOR: 'cp /etc/passwd' };

/** The stream of the project's run; empty before it was ordered. */
async function first(p: Project): Promise<string> {
  if (!existsSync(join(p.root, 'state'))) return '';
  return (await p.events()).find(({ event }) => event.type === 'requested-run')?.stream ?? '';
}

/** Somebody adds a file to the branch while the run is there. */
function commitMeanwhile(p: Project): void {
  p.write('theirs.txt', 'theirs\n');
  p.git('add', 'theirs.txt');
  p.git('commit', '-q', '-m', 'meanwhile');
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'a run from order to landing',
    plan: { checks, tasks: { one: task } },
    before: async () => undefined,
    during: ['run', 'plan.yaml', '--yes', '--land', '--json'],
    files: ['one.txt', 'plan.yaml', 'readme.md'],
  },
  {
    name: 'paths dropped from a held task',
    plan: { tasks: { one: scripted(`echo one > one.txt; echo two > two.txt; ${handoff}`, { owns: ['one.txt'] }) } },
    before: async (p) => void (await p.cli('run', 'plan.yaml', '--yes', '--land', '--json')),
    during: ['drop', 'RUN/one', 'two.txt', '--json'],
    files: ['one.txt', 'plan.yaml', 'readme.md'],
  },
  {
    name: 'a failed task edited by hand',
    plan: {
      limits: { attempts: 1 },
      tasks: { one: scripted('echo one > one.txt; tidegate handoff partial -m half', { owns: ['one.txt'] }) },
    },
    env: editor,
    before: async (p) => void (await p.cli('run', 'plan.yaml', '--yes', '--land', '--json')),
    during: ['edit', 'RUN/one', '--json'],
    files: ['one.txt', 'passwd', 'plan.yaml', 'readme.md'],
  },
  {
    name: 'a landing that conflicts edited by hand',
    plan: { checks, tasks: { one: scripted(`echo theirs > passwd; ${handoff}`, { owns: ['passwd'] }) } },
    env: editor,
    before: async (p) => {
      await p.cli('run', 'plan.yaml', '--yes', '--json');
      p.write('passwd', 'ours\n');
      p.git('add', 'passwd');
      p.git('commit', '-q', '-m', 'meanwhile');
      await p.cli('land', await first(p), '--json');
    },
    during: ['edit', 'RUN', '--json'],
    files: ['passwd', 'plan.yaml', 'readme.md'],
  },
  {
    name: 'a landed run undone',
    plan: { land: 'auto', tasks: { one: task } },
    before: async (p) => void (await p.cli('run', 'plan.yaml', '--yes', '--json')),
    during: ['undo', 'RUN', '--yes', '--json'],
    files: ['plan.yaml', 'readme.md'],
  },
  {
    name: 'a landed run undone below later work',
    plan: { land: 'auto', checks, tasks: { one: task } },
    before: async (p) => {
      await p.cli('run', 'plan.yaml', '--yes', '--json');
      commitMeanwhile(p);
    },
    during: ['undo', 'RUN', '--yes', '--json'],
    files: ['plan.yaml', 'readme.md', 'theirs.txt'],
  },
  {
    name: 'a landing on a branch that moved',
    plan: { checks, tasks: { one: task } },
    before: async (p) => {
      await p.cli('run', 'plan.yaml', '--yes', '--json');
      commitMeanwhile(p);
    },
    during: ['land', 'RUN', '--json'],
    files: ['one.txt', 'plan.yaml', 'readme.md', 'theirs.txt'],
  },
  {
    name: 'a run with generated files',
    plan: { generated: { 'list.txt': 'ls > list.txt' }, tasks: { one: task } },
    before: async () => undefined,
    during: ['run', 'plan.yaml', '--yes', '--land', '--json'],
    files: ['list.txt', 'one.txt', 'plan.yaml', 'readme.md'],
  },
  {
    name: 'a wave that closure roles judge',
    plan: {
      checks,
      closure: {
        security: says('clear'),
        docs: {
          command: ['sh', '-c', 'mkdir -p docs; echo one > docs/one.md; tidegate verdict closed'],
          owns: ['docs/**'],
        },
        qa: says('pass'),
      },
      matrix: 'matrix.json',
      tasks: { one: scripted(writing, { owns: ['one.txt'], promotes: { api: 'contract-frozen' } }) },
    },
    before: async (p) => {
      p.write('matrix.json', '{ "components": { "api": { "currentLevel": "inventoried" } } }\n');
      p.git('add', 'matrix.json');
      p.git('commit', '-q', '-m', 'components');
    },
    during: ['run', 'plan.yaml', '--yes', '--land', '--json'],
    files: ['docs/one.md', 'matrix.json', 'one.txt', 'plan.yaml', 'readme.md'],
  },
  {
    name: 'a conflict that a resolver resolves',
    plan: {
      checks,
      resolver: { command: ['sh', '-c', `printf 'a\\nb\\n' > readme.md; ${handoff}`] },
      tasks: { a: scripted(`echo a > readme.md; ${handoff}`), b: scripted(`echo b > readme.md; ${handoff}`) },
    },
    before: async () => undefined,
    during: ['run', 'plan.yaml', '--yes', '--land', '--json'],
    files: ['plan.yaml', 'readme.md'],
  },
  {
    name: 'a wave of which a person lets a part run again',
    plan: {
      checks,
      closure: { security: says('clear'), qa: says('concerns') },
      tasks: { one: task },
    },
    before: async (p) => void (await p.cli('run', 'plan.yaml', '--yes', '--land', '--json')),
    during: ['retry', 'RUN', '--from', 'security', '--json'],
    files: ['one.txt', 'plan.yaml', 'readme.md'],
  },
  {
    name: 'a decision for all runs that a run takes over',
    plan: {
      tasks: {
        one: scripted(
          `tidegate post question --to person --severity critical --ref units.txt -m 'which?'; echo one > one.txt; ${handoff}`,
          { owns: ['one.txt'] },
        ),
      },
    },
    before: async (p) => void (await p.cli('run', 'plan.yaml', '--yes', '--land', '--json')),
    during: ['post', '--repository', '--kind', 'decision', '--ref', 'units.txt', '-m', 'metres', '--json'],
    files: ['one.txt', 'plan.yaml', 'readme.md'],
  },
  {
    name: 'a landing that closure roles judge again',
    plan: {
      checks,
      closure: { integration: says('ready'), qa: says('pass') },
      tasks: { one: scripted(writing, { owns: ['one.txt'], reads: ['theirs.txt'] }) },
    },
    before: async (p) => {
      await p.cli('run', 'plan.yaml', '--yes', '--json');
      commitMeanwhile(p);
    },
    during: ['land', 'RUN', '--json'],
    files: ['one.txt', 'plan.yaml', 'readme.md', 'theirs.txt'],
  },
  {
    name: 'a run with a file that LFS keeps',
    plan: {
      checks: [{ name: 'content', run: 'test ! -e one.bin || test "$(cat one.bin)" = one' }],
      tasks: { one: scripted(`echo one > one.bin; ${handoff}`, { owns: ['one.bin'] }) },
    },
    before: async (p) => {
      p.write('.gitattributes', '*.bin filter=lfs -text\n');
      p.git('add', '.gitattributes');
      p.git('commit', '-q', '-m', 'LFS');
      // Whatever the system has set up, the pointer is checked out as it is.
      for (const [key, value] of Object.entries({ process: '', clean: 'cat', smudge: 'cat', required: 'false' }))
        p.git('config', `filter.lfs.${key}`, value);
    },
    during: ['run', 'plan.yaml', '--yes', '--land', '--json'],
    files: ['.gitattributes', 'one.bin', 'plan.yaml', 'readme.md'],
  },
  {
    name: 'a run that gets another plan',
    plan: { checks, limits: { attempts: 1 }, tasks: { one: task, two: scripted('echo half > two.txt; exit 1') } },
    before: async (p) => {
      await p.cli('run', 'plan.yaml', '--yes', '--json');
      const two = scripted(`echo two > two.txt; ${handoff}`, { owns: ['two.txt'] });
      p.write('plan.yaml', stringify({ checks, limits: { attempts: 2 }, tasks: { one: task, two } }));
      p.git('commit', '-q', '-a', '-m', 'another plan');
    },
    during: ['resume', 'RUN', '--replan', '--yes', '--land', '--json'],
    files: ['one.txt', 'plan.yaml', 'readme.md', 'two.txt'],
  },
  {
    name: 'an agent that speaks a protocol',
    plan: { tasks: { one: { do: 'Write one.txt. Acceptance: it is there.', agent: 'claude', owns: ['one.txt'] } } },
    claude: `${writing}; through 0.5`,
    before: async () => undefined,
    during: ['run', 'plan.yaml', '--yes', '--land', '--json'],
    files: ['one.txt', 'plan.yaml', 'readme.md'],
  },
  {
    name: 'a run whose thread nobody opens',
    plan: { tasks: { one: task } },
    // a port where nobody listens
    env: { TIDEGATE_THREAD_INTAKE: 'http://127.0.0.1:1/intake', TIDEGATE_THREAD_THREADS: 'http://127.0.0.1:1/threads' },
    before: async () => undefined,
    during: ['run', 'plan.yaml', '--yes', '--land', '--json'],
    files: ['one.txt', 'plan.yaml', 'readme.md'],
  },
];

/** A killed process loses nothing that it wrote, so memory is as good as a disk here, and faster. */
const sharedMemory = existsSync('/dev/shm') && !tmpdir().startsWith('/dev/shm/') ? '/dev/shm' : tmpdir();

/** The project of a scenario. */
export async function staged(scenario: Scenario): Promise<Project> {
  if (scenario.claude === undefined)
    return await project({ plan: scenario.plan, env: scenario.env ?? {}, place: sharedMemory });
  // Not where temporary files are: that may be a place that no fence shows.
  const beside = mkdtempSync('/var/tmp/tg-claude-');
  chmodSync(beside, 0o755);
  const env = { PATH: fakeClaude(beside, scenario.claude), ANTHROPIC_API_KEY: 'test-key' };
  const p = await project({ plan: scenario.plan, place: sharedMemory, env });
  return {
    ...p,
    async [Symbol.asyncDispose]() {
      await p[Symbol.asyncDispose]();
      rmSync(beside, { recursive: true, force: true });
    },
  };
}

/** How often a scenario comes by each failpoint when nothing is killed. */
export async function hitsOf(scenario: Scenario): Promise<ReadonlyMap<string, number>> {
  await using p = await staged(scenario);
  const tally = join(p.root, 'hits');
  await scenario.before(p);
  await ended(p.start(await wordsOf(p, scenario), { TIDEGATE_FAILPOINT: `*@${tally}` }));
  await allEnded(p, ['cli', 'merger']);
  const names = existsSync(tally) ? readFileSync(tally, 'utf8').trim().split('\n') : [];
  return new Map([...new Set(names)].map((name) => [name, names.filter((hit) => hit === name).length]));
}

export type Outcome = { readonly reached: boolean; readonly problems: readonly string[] };

/** Kills one process at one failpoint. */
export const killAt = (scenario: Scenario, failpoint: string, hit: number): Promise<Outcome> =>
  killBy(scenario, ({ root }) => armed(root, failpoint, hit));

/** Something that kills one process of those that get its environment, and tells afterwards whether it did. */
export type Weapon = { readonly env: Record<string, string>; wasReached(): boolean };

/** Lets one process be killed, brings the run to its end as a person would, and holds the result against the invariants. */
export async function killBy(scenario: Scenario, aim: (project: Project) => Weapon): Promise<Outcome> {
  await using p = await staged(scenario);
  const { env, wasReached } = aim(p);
  await scenario.before(p);
  const words = await wordsOf(p, scenario);
  await ended(p.start(words, env));
  await allEnded(p, ['cli', 'merger']);
  if (!wasReached()) return { reached: false, problems: [] };
  const run = await first(p);
  if (run === '') await p.cli(...words);
  else {
    if (words.includes('--replan')) await p.cli(...words);
    await answerEverything(p, run);
    if (words[0] === 'undo') await p.cli(...words);
  }
  return { reached: true, problems: await problemsOf(p, scenario) };
}

/** Kills one process at each of these failpoints, one after the other in one run. `missed`: those that were not come by then. */
export async function killAtEach(scenario: Scenario, failpoints: readonly string[]) {
  await using p = await staged(scenario);
  const weapons = failpoints.map((name) => ({ name, ...armed(p.root, name, 1) }));
  const env = { TIDEGATE_FAILPOINT: weapons.map((weapon) => weapon.env.TIDEGATE_FAILPOINT).join(',') };
  await scenario.before(p);
  let words = await wordsOf(p, scenario);
  const missed = () => weapons.filter(({ wasReached }) => !wasReached()).map(({ name }) => name);
  for (let life = 0; life <= failpoints.length && missed().length > 0; life += 1) {
    await ended(p.start(words, env));
    await allEnded(p, ['cli', 'merger']);
    const run = await first(p);
    if (run !== '') words = ['resume', run, '--yes', '--land', '--json'];
  }
  await answerEverything(p, await first(p));
  return { missed: missed(), problems: await problemsOf(p, scenario) };
}

/** Kills coordinator and merger at every n-th hit of a failpoint, life after life, until the run has ended all the same. */
export async function killOverAndOver(scenario: Scenario, failpoint: string, every: number) {
  await using p = await staged(scenario);
  await scenario.before(p);
  let words = await wordsOf(p, scenario);
  let kills = 0;
  for (let life = 0; life < 40; life += 1) {
    const { code } = await ended(p.start(words, { TIDEGATE_FAILPOINT: `${failpoint}#${every}` }));
    await allEnded(p, ['cli', 'merger']);
    if (code === 0) break;
    kills += code === null ? 1 : 0;
    const run = await first(p);
    if (run !== '') words = ['resume', run, '--yes', '--land', '--json'];
  }
  await answerEverything(p, await first(p));
  return { kills, problems: await problemsOf(p, scenario) };
}

export async function wordsOf(p: Project, scenario: Scenario): Promise<readonly string[]> {
  const run = await first(p);
  return scenario.during.map((word) => word.replace('RUN', run));
}

/**
 * Until no process of these programs works for the project any more. A coordinator in the background ends by itself when
 * nothing is left to do; a supervisor leaves when a coordinator has taken note of its exit.
 */
export async function allEnded(p: Pick<Project, 'root'>, programs: readonly string[]): Promise<void> {
  const others = new Set<string>();
  const isOurs = (pid: string): boolean => {
    if (others.has(pid)) return false;
    if (worksFor(pid, p.root, programs)) return true;
    others.add(pid);
    return false;
  };
  while (otherProcesses().some(isOurs)) await new Promise((resolve) => setTimeout(resolve, 20));
}

function worksFor(pid: string, root: string, programs: readonly string[]): boolean {
  const command = commandLine(pid);
  return command.includes(root) && programs.some((program) => command.includes(`/main/${program}.`));
}

export async function problemsOf(p: Project, scenario: Scenario): Promise<readonly string[]> {
  await allEnded(p, ['cli', 'merger', 'supervisor']);
  const events = await p.events();
  const processes = livingJobs(p);
  const violations = checkHistory(events, { git: gitFacts(p), processes });
  const files = p.git('ls-tree', '-r', '--name-only', 'main').split('\n');
  const status = p.git('status', '--porcelain');
  const last = events.findLast(({ event }) => event.type === 'run-ended')?.event;
  const locks = readdirSync(join(p.checkout, '.git')).filter((name) => name.endsWith('.lock'));
  const replayed = replayRun(events.filter(({ stream }) => stream !== 'repo'));
  return [
    ...violations.map((violation: Violation) => `${violation.invariant} at ${violation.seq}: ${violation.what}`),
    ...(files.join() === scenario.files.join() ? [] : [`main holds ${files.join()}`]),
    ...(status === '' ? [] : [`status: ${status}`]),
    ...(last?.type === 'run-ended' && last.outcome === (scenario.ended ?? 'landed') ? [] : ['the run has not landed']),
    ...(await unkeptObjects(p, files)).map((file) => `the object of ${file} has not landed`),
    ...processes.map((job) => `a process of ${job} is alive`),
    ...attemptProblems(p, events),
    ...locks.map((name) => `left behind: .git/${name}`),
    ...replayed.differences.map(({ seq, detail }) => `replay differs at ${seq}: ${detail}`),
  ];
}

/** Files of `main` that are LFS pointers to something that the person's repository does not have. */
async function unkeptObjects(p: Project, files: readonly string[]): Promise<readonly string[]> {
  const store = join(p.checkout, '.git/lfs');
  const ids = new Map(files.map((file) => [p.git('rev-parse', `main:${file}`), file]));
  const pointers = await readPointers(join(p.checkout, '.git'), ids.keys());
  return [...pointers].filter(([, pointer]) => findObject([store], pointer) === null).map(([id]) => ids.get(id) ?? id);
}

export function gitFacts(p: Pick<Project, 'checkout' | 'state'>): GitFacts {
  const bare = p.state().repository;
  const refs = new Map<string, string>();
  for (const directory of [bare, join(p.checkout, '.git')])
    for (const line of runOnly(
      'git',
      ['--git-dir', directory, 'for-each-ref', '--format=%(refname) %(objectname)'],
      p.checkout,
    ).split('\n')) {
      const [name, id] = line.split(' ');
      if (name !== undefined && id !== undefined) refs.set(name, id);
    }
  return {
    refs,
    commit: (id) => {
      const text = runOnly('git', ['--git-dir', bare, 'log', '-1', '--format=%T %P', id], p.checkout).trim();
      const [tree = '', ...parents] = text.split(' ');
      return { tree, parents };
    },
  };
}
