import type { RunState } from '../domain/run.ts';
import { ask, askOnce, outcomeOf } from './ask-coordinator.ts';
import { inBackground } from './background.ts';
import type { Context, Outcome, Register } from './command.ts';
import { atDesk, type Desk, type OpenDesk } from './desk.ts';
import { inForeground } from './foreground.ts';
import { subjectOf, wholeRunNamed } from './subject.ts';

/** `tidegate pause [run]`: nothing new starts; what runs goes on. */
export const pause =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command.argument('[run]', 'a run or the beginning of its name; without it the live one').action(
      does((given: string | undefined) =>
        atDesk(open, context, 'ask', async (desk) => {
          const found = await wholeRunNamed(desk, 'pause', given);
          if (!found.ok) return found.error;
          const said = `Paused ${found.value.run}: nothing new starts. Go on: tidegate resume ${found.value.run}`;
          return await askOnce(desk, found.value, { type: 'requested-pause', by: desk.caller.by }, said);
        }),
      ),
    );
  };

/** `tidegate stop [run]`: agents are ended, their work is snapshotted. */
export const stop =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command.argument('[run]', 'a run or the beginning of its name; without it the live one').action(
      does((given: string | undefined) =>
        atDesk(open, context, 'ask', async (desk) => {
          const found = await wholeRunNamed(desk, 'stop', given);
          if (!found.ok) return found.error;
          const said = `Stopping ${found.value.run}: agents end, their work is kept. Go on: tidegate resume ${found.value.run}`;
          return await askOnce(desk, found.value, { type: 'requested-stop', by: desk.caller.by }, said);
        }),
      ),
    );
  };

type ResumeOptions = { readonly detach?: boolean; readonly yes?: boolean; readonly land?: boolean };

/** `tidegate resume [run]`: goes on with the frozen plan, after a pause, a stop, a failure of the machine, or a crash. */
export const resume =
  (open: OpenDesk): Register =>
  (command, does, context) => {
    command
      .argument('[run]', 'a run or the beginning of its name; without it the live one')
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
  // An active run only lacks its coordinator; asking for more would be noise in its history.
  // One that has ended stands only when undoing it was halted.
  const stands =
    state !== null &&
    (state.ended === null ? state.mode.mode !== 'active' || hasStuckTask(state) : state.mode.mode === 'halted');
  if (stands) {
    const answered = await ask(desk, { run, state, stored }, { type: 'requested-resume', by: desk.caller.by });
    if (answered.outcome !== 'accepted') return outcomeOf(run, answered, '');
  }
  const how = { yes: options.yes === true, land: options.land === true, warnings: [], fromStart: false };
  return options.detach === true
    ? await inBackground(desk, context, run, how)
    : await inForeground(desk, context, run, how);
}

const hasStuckTask = (state: RunState): boolean =>
  Object.values(state.tasks).some(({ progress }) => progress.status === 'waiting' && progress.next.halt !== null);
