import type { Desk } from '../../ports/desk.ts';
import { followRun } from '../follow/follow.ts';
import { ticker } from '../follow/foreground.ts';
import { actOn } from '../frame/act.ts';
import { type Context, exitCodes, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { atDesk } from '../frame/desk.ts';
import { wholeRunNamed } from '../frame/subject.ts';

/** `tidegate abandon [run]`: ends a run for good, and says so when it has ended. */
export const abandonRun = (
  { run }: { readonly run: string | undefined },
  context: Context,
  { ports }: Program,
): Promise<Outcome> => atDesk(ports.openDesk, context, 'ask', (desk) => abandon(desk, run));

async function abandon(desk: Desk, given: string | undefined): Promise<Outcome> {
  const found = await wholeRunNamed(desk, 'abandon', given);
  if (!found.ok) return found.error;
  const { run } = found.value;
  // whatever halted the run before it was abandoned is over: abandoning resumes it
  let isHalted = false;
  await using following = await followRun(desk, run, ({ event }, isNew) => {
    if (isNew && event.type === 'run-halted') isHalted = true;
    if (event.type === 'run-resumed') isHalted = false;
  });
  using ticks = ticker(1000);
  const outcome = await actOn(desk, { action: 'abandon', subject: found.value, input: {} });
  if (outcome.exit !== exitCodes.done || found.value.state.ended !== null) return outcome;
  for (;;) {
    const state = following.view()?.state;
    if (state?.ended !== undefined && state.ended !== null) return outcome;
    if (isHalted) return halted(run);
    await Promise.race([following.changed(), ticks.next()]);
    // a coordinator that died meanwhile is followed by another, which goes on with it
    await desk.ensureCoordinator();
  }
}

const halted = (run: string): Outcome => ({
  exit: exitCodes.personNeeded,
  reason: 'halted',
  problems: [`tidegate: ${run} is abandoned, but something of it could not be ended: tidegate why ${run}`],
  data: { run },
});
