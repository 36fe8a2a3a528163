import { runId } from '../../domain/base/ids.ts';
import { describeVerdict } from '../../domain/explain/explain.ts';
import type { RunState } from '../../domain/run/run.ts';
import { performAction } from '../../engine/actions/perform.ts';
import { dropAction } from '../../engine/actions/task-actions.ts';
import { knownRuns } from '../../engine/orders/find-run.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { eventTeller } from '../../view/event-line.ts';
import { inForeground } from '../follow/foreground.ts';
import { type Context, exitCodes, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import type { DemoRepository } from '../frame/ports.ts';
import { failed, withRepository } from '../frame/with-repository.ts';
import { begin } from './run.ts';

/**
 * `tidegate demo`: a throw-away repository, two waves of five real processes, one of them a rogue. It answers the taps of
 * its own repository, whoever calls; everything else is what `tidegate run` does anywhere.
 */
export async function playDemo(_input: object, context: Context, { ports }: Program): Promise<Outcome> {
  const repository = await ports.makeDemo();
  const there: Context = { ...context, cwd: repository.path, stateRoot: repository.state };
  say(context, [{ text: `A new repository is in ${repository.path}`, tone: 'strong' }]);
  say(
    context,
    `Five tasks in two waves, each a real process. One of them, ${repository.rogue}, does not keep to its task.`,
    '',
  );
  return await withRepository(ports.openRepository, there, 'act', (repo) => play(asDemo(repo), there, repository));
}

const asDemo = (repo: RepositoryHandle): RepositoryHandle => ({
  ...repo,
  caller: { agent: null, mayDecide: true, by: { who: 'demo', via: 'demo' } },
});

async function play(
  repo: RepositoryHandle,
  context: Context,
  { rogue, ...repository }: DemoRepository,
): Promise<Outcome> {
  // in a pipe the timeline at the end tells it once, with times
  const quiet = { ...context, json: !context.terminal.interactive };
  const first = await begin(repo, quiet, repository.plan, { yes: true, isBrief: true });
  const [known] = await knownRuns(repo.ledger);
  const task = Object.values(known?.state?.tasks ?? {}).find(({ id }) => id === rogue);
  if (known === undefined || known.state === null || task?.progress.status !== 'held') return first;

  const hold = task.progress.hold;
  const reasons = hold.because === 'gate' ? hold.verdicts.flatMap(describeVerdict) : [hold.because];
  say(
    context,
    '',
    [{ text: `${rogue} is held, and nothing of it was merged:`, tone: 'strong' }],
    ...reasons.map((reason) => `  ${reason}`),
  );
  for (const line of await triedBy(repo, task.progress.attempt.id)) say(context, `  ${line}`);
  say(context, '', `A person drops it by name: tidegate drop ${known.run}/${rogue}`, '');
  const subject = { run: known.run, state: known.state, task: task.id };
  const dropped = await performAction(repo, { action: dropAction, subject, input: { paths: [] } });
  if (dropped.outcome !== 'accepted') return failed('demo', `the drop was ${dropped.outcome}`);
  const last = await inForeground(repo, quiet, runId(known.run), {
    yes: false,
    land: false,
    warnings: [],
    fromStart: false,
    isBrief: true,
  });
  const [ended] = await knownRuns(repo.ledger);
  if (ended === undefined || ended.state?.ended !== 'landed') return last;
  const lines = [...(await timeline(repo, ended.run)), '', ...howToLook(context, ended.state, repository)];
  return {
    exit: exitCodes.done,
    reason: 'done',
    lines,
    data: { run: ended.run, repository: repository.path, state: repository.state },
  };
}

function say(context: Context, ...lines: readonly Text[]): void {
  if (!context.json) for (const line of lines) context.terminal.line(line);
}

/** What the rogue printed of its own attempts. */
async function triedBy(repo: RepositoryHandle, attempt: string): Promise<readonly string[]> {
  const { text } = await repo.files.readLog(attempt, 0);
  return text.split('\n').filter((line) => line.startsWith('refused:') || line.startsWith('did it:'));
}

async function timeline(repo: RepositoryHandle, run: string): Promise<readonly Text[]> {
  const textOf = eventTeller();
  const events = (await repo.ledger.read(run)).flatMap(({ at, event }) => {
    const line = textOf(event);
    return line === null ? [] : [{ at: Date.parse(at), line }];
  });
  const start = events[0]?.at ?? 0;
  const seconds = (at: number) => `${((at - start) / 1000).toFixed(1)}s`.padStart(7);
  return ['', [{ text: 'Timeline', tone: 'strong' }], ...events.map(({ at, line }): Text => `${seconds(at)}  ${line}`)];
}

function howToLook({ env }: Context, state: RunState, repository: Omit<DemoRepository, 'rogue'>): readonly Text[] {
  const program = env['npm_command'] === undefined ? 'tidegate' : 'npx tidegate';
  const there = `-C ${repository.path} --state-dir ${repository.state}`;
  const looks = [
    ['what landed', `git -C ${repository.path} log --stat`],
    ['the run', `${program} ${there} status ${state.run}`],
    ['every event', `${program} ${there} events ${state.run}`],
    ["the rogue's work, kept", `${program} ${there} rescue ${state.run}/shortcut`],
    ['is the ledger whole', `${program} ${there} verify`],
    ['take it all back', `${program} ${there} undo ${state.run}`],
  ];
  return [
    [{ text: 'Look at it', tone: 'strong' }],
    ...looks.map(([what = '', how = '']): Text => `  ${what.padEnd(24)}${how}`),
  ];
}
