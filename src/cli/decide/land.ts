import { chooseTasks, hasWhollyLanded, type WithoutTasks } from '../../domain/landing/land-some.ts';
import { isUndone } from '../../domain/landing/undo.ts';
import type { LedgerEvent } from '../../domain/ledger/events.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { KnownRun } from '../../engine/orders/find-run.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import { eventLine } from '../../view/event-line.ts';
import { followRun } from '../follow/follow.ts';
import { inForeground } from '../follow/foreground.ts';
import { actOn, refusedToAgent } from '../frame/act.ts';
import { type Context, done, exitCodes, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { runNamed, wholeRunNamed } from '../frame/subject.ts';
import { failed, withRepository } from '../frame/with-repository.ts';
import { partName } from '../frame/wording.ts';
import { previewUndo, type UndoPreview } from './preview-undo.ts';

type LandChoice = { readonly only: string | undefined; readonly except: string | undefined };

/** `tidegate land [run]`: moves the person's branch to what the run has proven, or to some of it, and waits until it is there. */
export const landRun = (
  { run, ...choice }: LandChoice & { readonly run: string | undefined },
  context: Context,
  { ports }: Program,
): Promise<Outcome> =>
  withRepository(ports.openRepository, context, 'ask', (repo) => landNow(repo, context, run, choice));

async function landNow(
  repo: RepositoryHandle,
  context: Context,
  given: string | undefined,
  choice: LandChoice,
): Promise<Outcome> {
  const found = await wholeRunNamed(repo, 'land', given, 'newest');
  if (!found.ok) return found.error;
  const { run, state } = found.value;
  const input = { only: listed(choice.only), except: listed(choice.except) };
  const asked = await actOn(repo, { action: 'land', subject: found.value, input });
  if (asked.exit !== exitCodes.done || hasWhollyLanded(state)) return asked;
  for (const { task, needs } of withoutThese(state, input.except))
    if (!context.json) context.terminal.line(`${task} is left out too: it needs ${needs}.`);
  const how = { yes: false, land: false, warnings: [], fromStart: false, isBrief: true };
  return await inForeground(repo, context, run, how);
}

const listed = (names: string | undefined): readonly string[] | undefined =>
  names?.split(',').map((name) => name.trim());

function withoutThese(state: RunState, except: readonly string[] | undefined): WithoutTasks['also'] {
  const chosen = chooseTasks(state, null, except ?? null);
  return chosen.ok ? (chosen.value?.also ?? []) : [];
}

type UndoOptions = { readonly dryRun: boolean; readonly yes: boolean };

/** `tidegate undo [run[/task]]`: takes a landing back, exactly where nothing came after it; else by checked reverts. */
export const undoRun = (
  { subject, ...options }: UndoOptions & { readonly subject: string | undefined },
  context: Context,
  { ports }: Program,
): Promise<Outcome> =>
  withRepository(ports.openRepository, context, options.dryRun ? 'look' : 'ask', (repo) =>
    takeBack(repo, context, subject, options),
  );

async function takeBack(
  repo: RepositoryHandle,
  context: Context,
  given: string | undefined,
  { dryRun, yes }: UndoOptions,
): Promise<Outcome> {
  const hasLanded = ({ state }: KnownRun): boolean => state !== null && state.undo.standing !== 'nothing';
  const found = await runNamed(repo, 'undo', given, 'newest', hasLanded);
  if (!found.ok) return found.error;
  const name = partName(found.value);
  const refused = dryRun ? null : refusedToAgent(repo, 'undo', `undo ${name}`);
  if (refused !== null) return refused;
  const { run, task, state } = found.value;
  if ((dryRun || !yes) && !isUndone(state, task)) {
    const preview = await previewUndo(repo, found.value);
    if (!preview.ok) return failed('nothing-to-undo', `undo: ${preview.error}`);
    const { lines, data } = preview.value;
    if (dryRun) return done([...lines, `Nothing was done. To do it: tidegate undo ${name}`], data);
    if (!context.terminal.interactive || context.json) return unconfirmed(name, preview.value);
    for (const line of lines) context.terminal.line(line);
    const said = (await context.terminal.ask(`Undo ${name}? [y/N]`))?.trim().toLowerCase();
    if (said !== 'y' && said !== 'yes')
      return { exit: exitCodes.personNeeded, reason: 'not-confirmed', lines: ['Nothing was done.'], data };
  }
  await using _following = await followRun(repo, run, ({ event }, isNew) => {
    const line = isNew && isOnTheWay(event) ? eventLine(event) : null;
    if (line !== null && !context.json) context.terminal.line(line);
  });
  return await actOn(repo, { action: 'undo', subject: found.value, input: {} });
}

/** Nobody can be asked: the branch stays where it is. */
const unconfirmed = (name: string, { lines, data }: UndoPreview): Outcome => ({
  exit: exitCodes.personNeeded,
  reason: 'not-confirmed',
  needs: [{ kind: 'undo', task: null, message: `undo moves ${data.branch}`, command: `tidegate undo ${name} --yes` }],
  lines: [...lines, 'Nothing was done, because nobody could be asked.'],
  data,
});

/** What is waited for; how it ends is the command's own last line. */
const isOnTheWay = (event: LedgerEvent): boolean =>
  event.type === 'undo-prepared' || (event.type === 'check-ended' && event.purpose === 'undo');
