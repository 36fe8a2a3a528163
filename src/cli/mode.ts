import type { Finding } from '../domain/findings/finding.ts';
import type { RunId } from '../domain/ids.ts';
import type { RunState } from '../domain/run.ts';
import { ask, inLineBehind } from '../engine/ask.ts';
import type { Desk } from '../ports/desk.ts';
import { askOnce, outcomeOf } from './ask-coordinator.ts';
import { inBackground } from './background.ts';
import { type Context, done, misused, type Outcome, type Register } from './command.ts';
import { atDesk, type OpenDesk } from './desk.ts';
import { inForeground } from './foreground.ts';
import { planNote, replan } from './replan.ts';
import { type MadeRun, subjectOf, wholeRunNamed } from './subject.ts';

/** `tidegate pause [run]`: nothing new starts; what runs goes on. */
export const pause =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[run]', 'a run or the beginning of its name; without it the live one')
      .action(does((given: string | undefined) => atDesk(open, context, 'ask', (desk) => pauseRun(desk, given))));
  };

/** `tidegate stop [run]`: agents are ended, their work is snapshotted. */
export const stop =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[run]', 'a run or the beginning of its name; without it the live one')
      .action(does((given: string | undefined) => atDesk(open, context, 'ask', (desk) => stopRun(desk, given))));
  };

export async function pauseRun(desk: Desk, given: string | undefined): Promise<Outcome> {
  const found = await wholeRunNamed(desk, 'pause', given);
  if (!found.ok) return found.error;
  const said = `Paused ${found.value.run}: nothing new starts. Go on: tidegate resume ${found.value.run}`;
  return await askOnce(desk, found.value, { type: 'requested-pause', by: desk.caller.by }, said);
}

export async function stopRun(desk: Desk, given: string | undefined): Promise<Outcome> {
  const found = await wholeRunNamed(desk, 'stop', given);
  if (!found.ok) return found.error;
  const { run } = found.value;
  const behind = await inLineBehind(desk, run);
  const said =
    behind === null
      ? `Stopping ${run}: agents end, their work is kept. Go on: tidegate resume ${run}`
      : `Given up: ${run} waited in line behind ${behind}, and nothing of it had begun.`;
  return await askOnce(desk, found.value, { type: 'requested-stop', by: desk.caller.by }, said);
}

/** Lets a run go on that stands, without following it. */
export async function resumeRun(desk: Desk, given: string): Promise<Outcome> {
  const found = await wholeRunNamed(desk, 'resume', given);
  if (!found.ok) return found.error;
  return (await lift(desk, found.value)) ?? done([`${found.value.run} goes on.`]);
}

type ResumeOptions = {
  readonly replan?: boolean;
  readonly detach?: boolean;
  readonly yes?: boolean;
  readonly land?: boolean;
};

/**
 * `tidegate resume [run]`: goes on with the frozen plan, after a pause, a stop, a failure of the machine, or a crash. Files
 * that differ by now are told; `--replan` takes them.
 */
export const resume =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[run]', 'a run or the beginning of its name; without it the live one')
      .option('--replan', 'take the plan as it is written now: what is merged stays, the rest is approved again')
      .option('-d, --detach', 'go on in the background')
      .option('--yes', 'answer the start approval with yes, and nothing else')
      .option('--land', 'answer the landing with yes')
      .action(
        does((given: string | undefined, options: ResumeOptions) =>
          atDesk(open, context, 'ask', (desk) => goOn(desk, context, given, options)),
        ),
      );
  };

async function goOn(desk: Desk, context: Context, given: string | undefined, options: ResumeOptions): Promise<Outcome> {
  const found = await subjectOf(desk, 'resume', given);
  if (!found.ok) return found.error;
  const { run, state, stored } = found.value;
  if (state === null)
    return options.replan === true
      ? misused('not-made', `resume: ${run} is ordered, but no coordinator has begun it yet`)
      : await bringOn(desk, context, run, options);
  const subject = { run, state, stored };
  const replaced = options.replan === true ? await replan(desk, subject) : null;
  if (replaced?.ok === false) return replaced.error;
  const note = replaced === null ? await planNote(desk, subject) : replaced.value.note;
  if (note !== null) context.terminal.problem(`tidegate: note: ${note.message}`);
  const isNew = replaced !== null && replaced.value.note.differences.length > 0;
  const outcome = isNew ? null : await lift(desk, subject);
  const ended = outcome ?? (await bringOn(desk, context, run, options, replaced?.value.warnings));
  return note === null ? ended : { ...ended, data: { ...ended.data, planFiles: note } };
}

/** Asks for what lets a run go on that stands. Null: it goes on. */
async function lift(desk: Desk, { run, state }: MadeRun): Promise<Outcome | null> {
  // An active run only lacks its coordinator; asking for more would be noise in its history.
  // One that has ended stands only when undoing it was halted.
  const stands =
    state.ended === null ? state.mode.mode !== 'active' || hasStuckTask(state) : state.mode.mode === 'halted';
  if (!stands) return null;
  const answered = await ask(desk, { run, state }, { type: 'requested-resume', by: desk.caller.by });
  return answered.outcome === 'accepted' ? null : outcomeOf(run, answered, '');
}

async function bringOn(
  desk: Desk,
  context: Context,
  run: RunId,
  options: ResumeOptions,
  warnings: readonly Finding[] = [],
): Promise<Outcome> {
  const how = { yes: options.yes === true, land: options.land === true, warnings, fromStart: false };
  return options.detach === true
    ? await inBackground(desk, context, run, how)
    : await inForeground(desk, context, run, how);
}

const hasStuckTask = (state: RunState): boolean =>
  Object.values(state.tasks).some(({ progress }) => progress.status === 'waiting' && progress.next.halt !== null);
