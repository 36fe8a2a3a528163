import { runId } from '../../../domain/base/ids.ts';
import { describeVerdict } from '../../../domain/explain/explain.ts';
import type { RunState } from '../../../domain/run/run.ts';
import { performAction } from '../../../engine/actions/perform.ts';
import { dropAction } from '../../../engine/actions/task-actions.ts';
import { knownRuns } from '../../../engine/orders/find-run.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { eventDescriber } from '../../../view/event-line.ts';
import { inForeground } from '../../follow/foreground.ts';
import { type Context, command, exitCodes, failure, type Outcome } from '../../frame/command.ts';
import type { DemoRepository } from '../../frame/ports.ts';
import { withRepository } from '../../frame/subject.ts';
import { runPlanFile } from '../run/run.ts';

export const demoCommand = command({
  name: 'demo',
  group: 'begin',
  summary: 'watch five agents in a throw-away repository; one misbehaves',
  help: 'The demo approves its own start and landing. Everything else is what `tidegate run` does in any repository.',
  run: async (_input, context, { ports }) => {
    const demo = await ports.makeDemo();
    const inside: Context = { ...context, cwd: demo.path, stateRoot: demo.state };
    print(context, [{ text: `A new repository is in ${demo.path}`, tone: 'strong' }]);
    print(context, `Five tasks in two waves, each a real process. One of them, ${demo.rogue}, breaks the rules.`, '');
    return await withRepository(ports.openRepository, inside, 'act', (repo) => play(asDemo(repo), inside, demo));
  },
});

const asDemo = (repo: RepositoryHandle): RepositoryHandle => ({
  ...repo,
  caller: { agent: null, mayDecide: true, by: { who: 'demo', via: 'demo' } },
});

async function play(repo: RepositoryHandle, context: Context, { rogue, ...demo }: DemoRepository): Promise<Outcome> {
  // in a pipe the timeline at the end shows everything once, with times
  const quiet = { ...context, json: !context.terminal.interactive };
  const first = await runPlanFile(repo, quiet, demo.plan, { yes: true, isBrief: true });
  const [known] = await knownRuns(repo.ledger);
  const task = Object.values(known?.state?.tasks ?? {}).find(({ id }) => id === rogue);
  if (known === undefined || known.state === null || task?.progress.status !== 'held') return first;

  const hold = task.progress.hold;
  const reasons = hold.because === 'gate' ? hold.verdicts.flatMap(describeVerdict) : [hold.because];
  print(
    context,
    '',
    [{ text: `${rogue} is held; nothing of it was merged:`, tone: 'strong' }],
    ...reasons.map((reason) => `  ${reason}`),
  );
  for (const line of await attemptsOfRogue(repo, task.progress.attempt.id)) print(context, `  ${line}`);
  print(context, '', `A person drops it: tidegate drop ${known.run}/${rogue}`, '');
  const subject = { run: known.run, state: known.state, task: task.id };
  const dropped = await performAction(repo, { action: dropAction, subject, input: { paths: [] } });
  if (dropped.outcome !== 'accepted') return failure('demo', `the drop was ${dropped.outcome}`);
  const last = await inForeground(repo, quiet, runId(known.run), {
    yes: false,
    land: false,
    warnings: [],
    fromStart: false,
    isBrief: true,
  });
  const [ended] = await knownRuns(repo.ledger);
  if (ended === undefined || ended.state?.ended !== 'landed') return last;
  const lines = [...(await timeline(repo, ended.run)), '', ...nextCommands(context, ended.state, demo)];
  return {
    exit: exitCodes.done,
    reason: 'done',
    lines,
    data: { run: ended.run, repository: demo.path, state: demo.state },
  };
}

function print(context: Context, ...lines: readonly Text[]): void {
  if (!context.json) for (const line of lines) context.terminal.line(line);
}

/** Returns the lines in which the rogue reports its own attempts. */
async function attemptsOfRogue(repo: RepositoryHandle, attempt: string): Promise<readonly string[]> {
  const { text } = await repo.files.readLog(attempt, 0);
  return text.split('\n').filter((line) => line.startsWith('refused:') || line.startsWith('did it:'));
}

async function timeline(repo: RepositoryHandle, run: string): Promise<readonly Text[]> {
  const textOf = eventDescriber();
  const events = (await repo.ledger.read(run)).flatMap(({ at, event }) => {
    const line = textOf(event);
    return line === null ? [] : [{ at: Date.parse(at), line }];
  });
  const start = events[0]?.at ?? 0;
  const seconds = (at: number) => `${((at - start) / 1000).toFixed(1)}s`.padStart(7);
  return ['', [{ text: 'Timeline', tone: 'strong' }], ...events.map(({ at, line }): Text => `${seconds(at)}  ${line}`)];
}

function nextCommands({ env }: Context, state: RunState, demo: Omit<DemoRepository, 'rogue'>): readonly Text[] {
  const program = env['npm_command'] === undefined ? 'tidegate' : 'npx tidegate';
  const place = `-C ${demo.path} --state-dir ${demo.state}`;
  const commands = [
    ['landed work', `git -C ${demo.path} log --stat`],
    ['the run', `${program} ${place} status ${state.run}`],
    ['all events', `${program} ${place} events ${state.run}`],
    ["the rogue's work", `${program} ${place} rescue ${state.run}/shortcut`],
    ['check the ledger', `${program} ${place} verify`],
    ['undo it all', `${program} ${place} undo ${state.run}`],
  ];
  return [
    [{ text: 'Next', tone: 'strong' }],
    ...commands.map(([what = '', how = '']): Text => `  ${what.padEnd(24)}${how}`),
  ];
}
