import { join } from 'node:path';
import { toldOfNoAgent } from '../../domain/explain/machine.ts';
import { detectProject, type Project } from '../../domain/project/project.ts';
import type { Text } from '../../ports/terminal.ts';
import { type Context, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { longWork } from '../frame/long-work.ts';
import type { InitPorts, Rehearsed } from '../frame/ports.ts';
import { examinationLines } from './doctor.ts';
import { completed, filesToWrite, firstPlanText, type PlannedFile } from './init-files.ts';

type Options = {
  readonly force: boolean;
  readonly merge: boolean;
  readonly dryRun: boolean;
  readonly rehearse: boolean;
  readonly sample: boolean;
};

/** `tidegate init`: a configuration with what was detected, tried out before a token is spent. */
export const setUpProject = async (options: Options, context: Context, { ports }: Program): Promise<Outcome> =>
  setUp(await ports.init(), context, options);

async function setUp(ports: InitPorts, context: Context, options: Options): Promise<Outcome> {
  const repository = await ports.find(context.cwd);
  if (!repository.ok) return misused('no-repository', repository.error);
  const { toplevel } = repository.value;
  const project = await looked(ports, context, toplevel);
  const planned = await plannedFiles(ports, toplevel, project, options);
  const say = (...lines: readonly Text[]) => {
    if (!context.json) for (const line of lines) context.terminal.line(line);
  };
  const files: WrittenFile[] = [];
  for (const file of planned) {
    const outcome = await carryOut(ports, context, join(toplevel, file.name), file, options);
    files.push({ name: file.name, outcome, lines: linesIn(file, outcome) });
    say(...fileLines(file, outcome));
  }
  say(...project.notes.map((note): Text => [{ text: 'note     ', tone: 'waiting' }, note]));
  const data = { files, detected: project };
  if (options.dryRun) return ended(exitCodes.done, 'done', ['Nothing was written.'], data);
  if (files.some(isChange)) say('', ...commitLines(files));
  if (!options.rehearse) return ended(exitCodes.done, 'done', nextLines, data);
  return await rehearsed(ports, context, say, data);
}

async function looked(ports: InitPorts, context: Context, toplevel: string): Promise<Project> {
  using work = longWork(context);
  work.doing('looking at the files of the project');
  return detectProject(await ports.look(toplevel));
}

type WrittenFile = { readonly name: string; readonly outcome: FileOutcome; readonly lines: readonly string[] };
type FileOutcome = 'written' | 'replaced' | 'added' | 'kept' | 'would write' | 'would add';

async function plannedFiles(
  ports: InitPorts,
  toplevel: string,
  project: Project,
  { force, sample }: Options,
): Promise<readonly PlannedFile[]> {
  const read = async (name: string) => (force ? null : await ports.read(toplevel, name));
  const existing = {
    config: await read('tidegate.yaml'),
    include: await read('.worktreeinclude'),
    keysOf: ports.keysOf,
  };
  const files = filesToWrite(project, existing);
  if (!sample) return files;
  const plan = await read('tidegate.plan.yaml');
  const adds = plan === null ? firstPlanText.trimEnd().split('\n') : [];
  return [...files, { name: 'tidegate.plan.yaml', text: plan ?? '', state: plan === null ? 'new' : 'complete', adds }];
}

async function carryOut(
  ports: InitPorts,
  context: Context,
  path: string,
  file: PlannedFile,
  { force, merge, dryRun }: Options,
): Promise<FileOutcome> {
  if (file.state === 'complete' || file.state === 'unreadable') return 'kept';
  if (dryRun) return file.state === 'new' ? 'would write' : 'would add';
  if (file.state === 'new') {
    const outcome = await ports.write(path, completed(file), { replace: force });
    return outcome === 'exists' ? 'kept' : outcome;
  }
  if (!merge && !(await isWanted(context, file))) return 'kept';
  await ports.rewrite(path, completed(file));
  return 'added';
}

async function isWanted({ terminal, json }: Context, { name, adds }: PlannedFile): Promise<boolean> {
  if (json || !terminal.interactive) return false;
  terminal.line(`${name} does not say:`);
  for (const line of adds) terminal.line(`    ${line}`);
  return (await terminal.ask('Add it at the end? [y/N]'))?.trim().toLowerCase() === 'y';
}

const isChange = ({ outcome }: WrittenFile): boolean => outcome !== 'kept';

const linesIn = ({ adds, state }: PlannedFile, outcome: FileOutcome): readonly string[] =>
  outcome === 'kept' && state !== 'lacks' ? [] : adds;

function fileLines(file: PlannedFile, outcome: FileOutcome): readonly Text[] {
  const head = (text: string): Text => [
    { text: `${outcome} `.padEnd(9), tone: outcome === 'kept' ? 'dim' : 'good' },
    `${file.name}${text}`,
  ];
  const shown = linesIn(file, outcome).map((line) => `    ${line}`);
  if (outcome === 'replaced') return [head(`, the old one is ${file.name}.old`), ...shown];
  if (outcome !== 'kept') return [head(''), ...shown];
  if (file.state === 'unreadable') return [head(', as it was; nothing can be added to it: see tidegate config')];
  if (file.state === 'lacks') return [head(', as it was; tidegate init --merge would add'), ...shown];
  return [head(', as it was')];
}

/** Both files are read from the checkout, so a commit is for others: people, clones, other worktrees. */
function commitLines(files: readonly WrittenFile[]): readonly Text[] {
  const names = files.filter(isChange).map(({ name }) => name);
  return [
    `In force from now on, committed or not. For everybody else: git add ${names.join(' ')} && git commit -m "Set up Tidegate"`,
  ];
}

const nextCommand = 'tidegate go "what you want done"';
const nextLines: readonly Text[] = ['', `Next: ${nextCommand}`];

const noAgent = (agents: readonly Rehearsed[]): readonly Text[] => [
  '',
  ...toldOfNoAgent(
    agents.flatMap(({ fix }) => fix ?? []),
    nextCommand,
  ),
];

async function rehearsed(
  { rehearse }: InitPorts,
  context: Context,
  say: (...lines: readonly Text[]) => void,
  data: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const stop = new AbortController();
  using _ = context.onSignal(() => stop.abort());
  using work = longWork(context);
  const rows: Rehearsed[] = [];
  say('', [{ text: 'Rehearsal inside the fence; no agent is asked anything', tone: 'strong' }]);
  await rehearse(context, {
    stop: stop.signal,
    doing: (what) => work.doing(what),
    examined: (row) => {
      rows.push(row);
      work.doing(null);
      say(...examinationLines(row));
    },
  });
  work.doing(null);
  const all = { ...data, rehearsal: rows };
  if (stop.signal.aborted)
    return ended(exitCodes.interrupted, 'interrupted', ['Interrupted. Nothing of the rehearsal is left.'], all);
  const bad = rows.filter(({ state }) => state === 'bad');
  const agents = rows.filter(({ isAgent }) => isAgent === true);
  const lacksAgent = agents.length > 0 && agents.every(({ state }) => state !== 'good');
  if (bad.length === 0)
    return ended(exitCodes.done, 'done', lacksAgent ? noAgent(agents) : ['Ready.', ...nextLines], all);
  const lines = ['', `${bad.length} of ${rows.length} must be mended before a run; then tidegate init again.`];
  const needs = bad.map(({ name, found, fix }) => ({
    kind: 'rehearsal',
    task: null,
    message: `${name}: ${found}`,
    command: fix ?? 'tidegate doctor',
  }));
  return { ...ended(exitCodes.failed, 'rehearsal-failed', lines, all), ...(context.json ? { needs } : {}) };
}

const ended = (
  exit: Outcome['exit'],
  reason: string,
  lines: readonly Text[],
  data: Readonly<Record<string, unknown>>,
): Outcome => ({ exit, reason, lines, data });
