import { join } from 'node:path';
import { noAgentLines } from '../../../domain/explain/text.ts';
import { detectProject, type Project } from '../../../domain/project/project.ts';
import type { RehearsalRow } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { type Context, command, done, exitCodes, type Outcome, usageError } from '../../frame/command.ts';
import type { InitPorts } from '../../frame/ports.ts';
import { showProgress } from '../../frame/terminals.ts';
import { examinationLines } from './doctor.ts';
import { completed, filesToWrite, firstPlanText, type PlannedFile } from './init-files.ts';

export const initCommand = command({
  name: 'init',
  group: 'begin',
  summary: 'write tidegate.yaml for this repository, then try it out',
  options: {
    dryRun: { about: 'show what would be written; write and try nothing' },
    rehearse: { negated: true, about: 'do not try setup, checks and agents inside the fence' },
    merge: { about: 'add missing settings at the end of existing files' },
    force: { about: 'replace existing files; the old ones are kept as <name>.old' },
    sample: { about: 'also write tidegate.plan.yaml, a sample plan that is ready to run' },
  },
  help: 'Detects how the project is set up and checked, and tries that inside the fence before any tokens are spent.',
  run: async (options, context, { ports }) => setUp(await ports.init(), context, options),
});

type InitOptions = Readonly<Record<'force' | 'merge' | 'dryRun' | 'rehearse' | 'sample', boolean>>;

async function setUp(ports: InitPorts, context: Context, options: InitOptions): Promise<Outcome> {
  const repository = await ports.find(context.cwd);
  if (!repository.ok) return usageError('no-repository', repository.error);
  const { toplevel } = repository.value;
  const project = await detect(ports, context, toplevel);
  const planned = await plannedFiles(ports, toplevel, project, options);
  const print = (...lines: readonly Text[]) => {
    if (!context.json) for (const line of lines) context.terminal.line(line);
  };
  const files: WrittenFile[] = [];
  for (const file of planned) {
    const outcome = await writeFile(ports, context, join(toplevel, file.name), file, options);
    files.push({ name: file.name, outcome, lines: linesIn(file, outcome) });
    print(...fileLines(file, outcome));
  }
  print(...project.notes.map((note): Text => [{ text: 'note     ', tone: 'waiting' }, note]));
  const data = { files, detected: project };
  if (options.dryRun) return done(['Nothing was written.'], data);
  if (files.some(isChange)) print('', ...commitLines(files));
  if (!options.rehearse) return done(nextLines, data);
  return await rehearse(ports, context, print, data);
}

async function detect(ports: InitPorts, context: Context, toplevel: string): Promise<Project> {
  using progress = await showProgress(context);
  progress.step('looking at the files of the project');
  return detectProject(await ports.look(toplevel));
}

type WrittenFile = { readonly name: string; readonly outcome: FileOutcome; readonly lines: readonly string[] };
type FileOutcome = 'written' | 'replaced' | 'added' | 'kept' | 'would write' | 'would add';

async function plannedFiles(
  ports: InitPorts,
  toplevel: string,
  project: Project,
  { force, sample }: InitOptions,
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

async function writeFile(
  ports: InitPorts,
  context: Context,
  path: string,
  file: PlannedFile,
  { force, merge, dryRun }: InitOptions,
): Promise<FileOutcome> {
  if (file.state === 'complete' || file.state === 'unreadable') return 'kept';
  if (dryRun) return file.state === 'new' ? 'would write' : 'would add';
  if (file.state === 'new') {
    const outcome = await ports.write(path, completed(file), { replace: force });
    return outcome === 'exists' ? 'kept' : outcome;
  }
  if (!merge && !(await mayAdd(context, file))) return 'kept';
  await ports.rewrite(path, completed(file));
  return 'added';
}

async function mayAdd({ terminal, json }: Context, { name, adds }: PlannedFile): Promise<boolean> {
  if (json || !terminal.interactive) return false;
  terminal.line(`${name} lacks:`);
  for (const line of adds) terminal.line(`    ${line}`);
  return (await terminal.ask('Add this at the end? [y/N]'))?.trim().toLowerCase() === 'y';
}

const isChange = ({ outcome }: WrittenFile): boolean => outcome !== 'kept';

const linesIn = ({ adds, state }: PlannedFile, outcome: FileOutcome): readonly string[] =>
  outcome === 'kept' && state !== 'lacks' ? [] : adds;

function fileLines(file: PlannedFile, outcome: FileOutcome): readonly Text[] {
  const head = (text: string): Text => [
    { text: `${outcome} `.padEnd(9), tone: outcome === 'kept' ? 'dim' : 'good' },
    `${file.name}${text}`,
  ];
  const listed = linesIn(file, outcome).map((line) => `    ${line}`);
  if (outcome === 'replaced') return [head(`; the old file is now ${file.name}.old`), ...listed];
  if (outcome !== 'kept') return [head(''), ...listed];
  if (file.state === 'unreadable') return [head(' unchanged: it cannot be read as a mapping. See: tidegate config')];
  if (file.state === 'lacks') return [head(' unchanged; tidegate init --merge would add'), ...listed];
  return [head(' unchanged')];
}

/** Both files are read from the checkout, so only other people, clones and worktrees need a commit. */
function commitLines(files: readonly WrittenFile[]): readonly Text[] {
  const names = files.filter(isChange).map(({ name }) => name);
  return [`These files take effect now. To share them: git add ${names.join(' ')} && git commit -m "Set up Tidegate"`];
}

const nextCommand = 'tidegate go "what you want done"';
const nextLines: readonly Text[] = ['', `Next: ${nextCommand}`];

const noAgent = (agents: readonly RehearsalRow[]): readonly Text[] => [
  '',
  ...noAgentLines(
    agents.flatMap(({ fix }) => fix ?? []),
    nextCommand,
  ),
];

async function rehearse(
  ports: InitPorts,
  context: Context,
  print: (...lines: readonly Text[]) => void,
  data: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const stop = new AbortController();
  using _ = context.onSignal(() => stop.abort());
  using progress = await showProgress(context);
  const rows: RehearsalRow[] = [];
  print('', [{ text: 'Rehearsal inside the fence; no agent is called', tone: 'strong' }]);
  await ports.rehearse(context, {
    stop: stop.signal,
    step: (text) => progress.step(text),
    examined: (row) => {
      rows.push(row);
      progress.step(null);
      print(...examinationLines(row));
    },
  });
  progress.step(null);
  const all = { ...data, rehearsal: rows };
  if (stop.signal.aborted)
    return {
      exit: exitCodes.interrupted,
      reason: 'interrupted',
      lines: ['Interrupted. The rehearsal left nothing behind.'],
      data: all,
    };
  const bad = rows.filter(({ state }) => state === 'bad');
  const agents = rows.filter(({ isAgent }) => isAgent === true);
  const lacksAgent = agents.length > 0 && agents.every(({ state }) => state !== 'good');
  if (bad.length === 0) return done(lacksAgent ? noAgent(agents) : ['Ready.', ...nextLines], all);
  const lines = ['', `Fix ${bad.length} of ${rows.length}, then run tidegate init again.`];
  const needs = bad.map(({ name, found, fix }) => ({
    kind: 'rehearsal',
    task: null,
    message: `${name}: ${found}`,
    command: fix ?? 'tidegate doctor',
  }));
  return { exit: exitCodes.failed, reason: 'rehearsal-failed', lines, data: all, ...(context.json ? { needs } : {}) };
}
