import type { Finding } from '../domain/findings/finding.ts';
import type { RunId } from '../domain/ids.ts';
import type { Desk } from '../ports/desk.ts';
import { actOn } from './act.ts';
import { inBackground } from './background.ts';
import { type Context, exitCodes, misused, type Outcome } from './command.ts';
import type { Program } from './definition.ts';
import { atDesk } from './desk.ts';
import { inForeground } from './foreground.ts';
import { lift } from './lift.ts';
import { planNote, replan } from './replan.ts';
import { type MadeRun, subjectOf } from './subject.ts';

type ResumeOptions = {
  readonly replan: boolean;
  readonly detach: boolean;
  readonly yes: boolean;
  readonly land: boolean;
};

/**
 * `tidegate resume [run]`: goes on with the frozen plan, after a pause, a stop, a failure of the machine, or a crash. Files
 * that differ by now are told; `--replan` takes them.
 */
export const resumeAndFollow = (
  { run, ...options }: ResumeOptions & { readonly run: string | undefined },
  context: Context,
  { ports }: Program,
): Promise<Outcome> => atDesk(ports.openDesk, context, 'ask', (desk) => goOn(desk, context, run, options));

async function goOn(desk: Desk, context: Context, given: string | undefined, options: ResumeOptions): Promise<Outcome> {
  const found = await subjectOf(desk, 'resume', given, 'newest');
  if (!found.ok) return found.error;
  const { run, state, stored } = found.value;
  if (state === null)
    return options.replan
      ? misused('not-made', `resume: ${run} is ordered, but no coordinator has begun it yet`)
      : await bringOn(desk, context, run, options);
  const subject = { run, state, stored };
  const replaced = options.replan ? await replan(desk, subject) : null;
  if (replaced?.ok === false) return replaced.error;
  const note = replaced === null ? await planNote(desk, subject) : replaced.value.note;
  if (note !== null) context.terminal.problem(`tidegate: note: ${note.message}`);
  const isNew = replaced !== null && replaced.value.note.differences.length > 0;
  const outcome = isNew ? null : ((await lift(desk, subject)) ?? (await landLater(desk, subject, options)));
  const ended = outcome ?? (await bringOn(desk, context, run, options, replaced?.value.warnings));
  return note === null ? ended : { ...ended, data: { ...ended.data, planFiles: note } };
}

/** `--land` says yes to a landing that nobody has been asked about yet. Null: it is recorded, or there is nothing to record. */
async function landLater(desk: Desk, subject: MadeRun, { land }: ResumeOptions): Promise<Outcome | null> {
  const { state } = subject;
  if (!land || state.ended !== null || state.plan.land !== 'ask' || state.taps.land !== undefined) return null;
  const { mayDecide, by } = desk.caller;
  const outcome = await actOn(desk, {
    action: 'approve',
    subject,
    input: { hash: state.hash, tap: 'land' },
    caller: { mayDecide, by: { ...by, via: 'land-flag' } },
  });
  return outcome.exit === exitCodes.done ? null : outcome;
}

async function bringOn(
  desk: Desk,
  context: Context,
  run: RunId,
  { yes, land, detach }: ResumeOptions,
  warnings: readonly Finding[] = [],
): Promise<Outcome> {
  const how = { yes, land, warnings, fromStart: false };
  return detach ? await inBackground(desk, context, run, how) : await inForeground(desk, context, run, how);
}
